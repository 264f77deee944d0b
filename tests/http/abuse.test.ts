import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { JSON_ROUTES } from '../../src/http/routes.ts';
import { fc } from '../property.ts';
import { type Answer, ask } from './service.ts';

/** The Big List of Naughty Strings. */
const NAUGHTY = JSON.parse(
  readFileSync(join(import.meta.dir, '../fixtures/strings/naughty-strings.json'), 'utf8'),
) as string[];

/** What an answer to anything must be: JSON, and an error of the contract where it is none of 200. */
function expectContract(path: string, { status, headers, body }: Answer): void {
  const isFine =
    status === 200 || (status < 500 && typeof body.error?.message === 'string') || status === 501;
  if (!isFine) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
  if (headers.get('Content-Type') !== 'application/json') throw new Error(`${path}: not JSON`);
  if (status !== 200 && body.request_id !== headers.get('X-Request-Id'))
    throw new Error(`${path}: no request id`);
}

/** Values near what parameters take, so that they reach deep. */
const plausible = fc.oneof(
  fc.constantFrom(
    'UTC',
    'Europe/Paris',
    'UTC,UTC',
    ',',
    '+05:30',
    '-23:59',
    '8.8.8.8',
    '::1',
    'true',
    '0',
    '-1',
    'now',
  ),
  fc.constantFrom(
    '8640000000000',
    '-8640000000000000',
    '2026-03-08T02:30',
    '-271821-04-20',
    '+275760-09-13T00:00Z',
  ),
  fc.constantFrom(
    '%Y',
    '%',
    '%300Y',
    '%E',
    '%::::z',
    'iso=2026-01-01',
    'tz=UTC',
    'unix=x',
    'DE',
    '90',
    '-180',
    '91',
  ),
  fc.constantFrom(...NAUGHTY),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.integer().map(String),
);

describe('whatever is asked, the answer is one of the contract', () => {
  for (const { path, query } of JSON_ROUTES) {
    const names = Object.keys(query.properties);

    test(`${path} with each naughty string in each parameter`, async () => {
      for (const name of names) {
        for (const value of NAUGHTY) {
          const url = `${path}?${new URLSearchParams({ [name]: value })}`;
          expectContract(url, await ask(url));
        }
      }
    });

    test(`${path} with any mixture of parameters`, async () => {
      const pair = fc.tuple(fc.constantFrom(...names, 'tz', 'iso', 'x'), plausible);
      await fc.assert(
        fc.asyncProperty(fc.array(pair, { maxLength: 6 }), async pairs => {
          const url = `${path}?${new URLSearchParams(pairs)}`;
          expectContract(url, await ask(url));
        }),
      );
    });

    test(`${path} with a query string of any characters`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 200 }), async search => {
          const url = `${path}?${search.toWellFormed().replaceAll('#', '')}`;
          expectContract(url, await ask(url));
        }),
      );
    });
  }

  test('any path is 404 with the error body', async () => {
    await fc.assert(
      fc.asyncProperty(fc.webPath(), async path => {
        const answer = await ask(path);
        expect([200, 404]).toContain(answer.status);
      }),
    );
  });
});
