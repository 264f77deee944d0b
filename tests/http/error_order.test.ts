import { expect, test } from 'bun:test';
import { API_ROUTES } from '../../src/api/routes.ts';
import { send } from '../support/service.ts';

const LOCAL = '2026-04-16T09:00';
const COUNT = 'business_days=true&holiday_country=DE';

/** Valid queries of each route, to which faults are added; hints need a local `iso`. */
const GOOD_QUERIES: Readonly<Record<string, readonly string[]>> = {
  '/v1/time/current': ['tz=UTC', 'tz=UTC,UTC'],
  '/v1/time/convert': [`iso=${LOCAL}&tz=UTC`, `iso=${LOCAL}&tz=UTC,UTC`],
  '/v1/time/diff': [`from=iso=${LOCAL}&to=iso=${LOCAL}&${COUNT}`],
  '/v1/time/add': [`iso=${LOCAL}&days=1&tz=UTC`],
  '/v1/time/calendar': [`iso=${LOCAL}&tz=UTC`],
  '/v1/time/dst': [`iso=${LOCAL}&tz=UTC`],
  '/v1/time/transitions': ['tz=UTC,UTC&from=2026-01-01', 'country=NZ&from=2026-01-01'],
  '/v1/time/elapsed': [`iso=${LOCAL}&compare_iso=${LOCAL}&${COUNT}`, `iso=${LOCAL}&tz=UTC&${COUNT}`],
  '/v1/timezone': [`iso=${LOCAL}&tz=UTC`],
  '/v1/timezones': [`iso=${LOCAL}`],
  '/v1/holidays': ['country=DE&year=2026', ''],
  '/v1/time/clock': [`style=analog-station&iso=${LOCAL}&tz=UTC`],
};

/** Faults found at different stages: a parameter without a value, given twice, or with an invalid value. */
const faultsOf = (name: string) => [`${name}=`, `${name}=x&${name}=y`, `${name}=zz~`];

/** A query without some of its parameters. */
function without(query: string, ...names: string[]): string[] {
  return query.split('&').filter(part => part !== '' && !names.includes(part.slice(0, part.indexOf('='))));
}

/** The error of a query; null if it is valid, or if its parameters are ambiguous, which precedes. */
async function messageOf(path: string, parts: readonly string[]): Promise<string | null> {
  const { error } = (await send(`${path}?${parts.join('&')}`)).body;
  return error === undefined || error.code === 'AMBIGUOUS_TARGET' ? null : error.message;
}

/** The queries with two faults; the one in `first` is reported if it is the only one. */
async function* faultyQueries(path: string, names: readonly string[]) {
  for (const query of GOOD_QUERIES[path]!) {
    for (const [index, first] of names.entries()) {
      for (const fault of faultsOf(first)) {
        const alone = await messageOf(path, [...without(query, first), fault]);
        if (!alone?.startsWith(`Cannot read '${first}'`)) continue; // such as a flag that is just off
        for (const second of names.slice(index + 1)) {
          yield { first, parts: [`${second}=`, ...without(query, first, second), fault, `${second}=`] };
        }
      }
    }
  }
}

test.each(
  API_ROUTES.filter(({ path }) => path in GOOD_QUERIES).map(
    route => [route.path, Object.keys(route.inputs.parameters)] as const,
  ),
)('of two invalid parameters of %s, the first in its table is reported', async (path, names) => {
  let checked = 0;
  for await (const { first, parts } of faultyQueries(path, names)) {
    const message = await messageOf(path, parts);
    if (message === null) continue;
    expect(`${parts.join('&')}: ${message}`).toStartWith(`${parts.join('&')}: Cannot read '${first}'`);
    checked++;
  }
  expect(checked).toBeGreaterThan(0);
});

test.each([
  [
    '/v1/time/diff?from=now&to=now&business_days=true&holiday_country=XX&holiday_subdivision=',
    'holiday_country',
  ],
  ['/v1/time/elapsed?unix=1&business_days=true&holiday_country=XX&holiday_subdivision=', 'holiday_country'],
  ['/v1/holidays?country=XX&subdivision=&year=2026', 'country'],
  ['/v1/holidays?country=XX&year=', 'country'],
  ['/v1/time/current?lat=91&lon=', 'lat'],
  ['/v1/time/diff?from=iso=2026-04-16T09:00[Mars/Olympus]&to=junk', 'from'],
  ['/v1/time/diff?from=iso=2026-04-16T09:00%2B05:00[Europe/Paris]&to=junk', 'from'],
  ['/v1/time/diff?from=iso=2026-04-16&to=iso=2026-04-16&to_tz=Mars/Olympus&disambiguation=x', 'to_tz'],
  ['/v1/time/convert?iso=2026-04-16&source_tz=Mars/Olympus&disambiguation=x&tz=UTC', 'source_tz'],
  ['/v1/time/current?tz=UTC,UTC&auto_tz=x&auto_tz=y&format=%25Q', 'auto_tz'],
])('%s reports %s', async (path, parameter) => {
  expect((await send(path)).body.error.message).toStartWith(`Cannot read '${parameter}'`);
});

test('two places for one timestamp are ambiguous, which is reported before an invalid value', async () => {
  const bracketed = 'from=iso=2026-04-16T09:00[Mars/Olympus]&from_tz=UTC';
  const { error } = (await send(`/v1/time/diff?${bracketed}&to=junk`)).body;
  expect(error.code).toBe('AMBIGUOUS_TARGET');
});
