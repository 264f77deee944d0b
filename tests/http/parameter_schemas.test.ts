import { describe, expect, test } from 'bun:test';
import { type ApiDocument, operationsOf, type Parameter } from '../../src/api/description/document.ts';
import { API_ROUTES } from '../../src/api/routes.ts';
import { LazyData } from '../../src/common/lazy_data.ts';
import { createApp } from '../../src/server/app.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { fc } from '../support/property.ts';
import { send, testPlaces, testServer } from '../support/service.ts';
import { sampleKey } from '../support/signing_keys.ts';

/** An app that knows every address, including its client's. */
const app = createApp(
  testServer({
    signing: fixedKeys([sampleKey(2, 'ed25519-2026-04-01')]),
    places: testPlaces({ ip: LazyData.of('ip', 'of the test', { zoneNameOf: () => 'Europe/Paris' }) }),
  }),
  { peerOf: () => '8.8.8.8' },
);
const document = (await send('/openapi.json', {}, app)).body as ApiDocument;

/** Whether a published schema rejects the text of a query parameter. */
function refuses({ schema }: Parameter, text: string): boolean {
  const { type, pattern, minimum, maximum, minLength, maxLength } = schema;
  const isWithin = (value: number) => value >= Number(minimum) && value <= Number(maximum);
  switch (type) {
    case 'boolean':
      return false; // any text other than `true` is off
    // A space in place of a sign is a `+` decoded by the query string.
    case 'integer':
      return !(/^[+ -]?[0-9]+$/.test(text) && isWithin(Number(text.replace(/^ /, '+'))));
    case 'number':
      return !(/^[+ -]?([0-9]+\.?[0-9]*|\.[0-9]+)$/.test(text) && isWithin(Number(text.replace(/^ /, '+'))));
    default: {
      const length = [...text].length;
      if (length < Number(minLength ?? 0) || length > Number(maxLength ?? Infinity)) return true;
      if (Array.isArray(schema['enum'])) return !schema['enum'].includes(text);
      return typeof pattern === 'string' && !new RegExp(pattern, 'u').test(text);
    }
  }
}

function request(path: string, query: URLSearchParams, name: string, value: string): string {
  const changed = new URLSearchParams(query);
  changed.set(name, value);
  return `${path}?${changed}`;
}

/** Variants of the route's example queries: without one or two parameters, and with those that the parameter requires. */
function* queriesNear(path: string, name: string): Generator<URLSearchParams> {
  const other = /lat$/.test(name) ? name.replace(/lat$/, 'lon') : name.replace(/lon$/, 'lat');
  for (const { query } of API_ROUTES.find(route => route.path === path)!.examples) {
    const names = [...new URLSearchParams(query).keys()];
    for (const first of [undefined, ...names]) {
      for (const second of [undefined, ...names]) {
        const near = new URLSearchParams(query);
        for (const left of [first, second]) if (left !== undefined) near.delete(left);
        if (other !== name) near.set(other, '1');
        if (name === 'signature') near.set('sign', 'true');
        if (name.endsWith('territory')) near.set(name.replace(/territory$/, 'tz'), 'W. Europe Standard Time');
        yield near;
      }
    }
  }
}

/** A query that is valid with the parameter's example value, so that only another value can be invalid. */
async function queryFor(path: string, { name, schema }: Parameter): Promise<URLSearchParams> {
  const [value] = schema['examples'] as unknown[];
  for (const query of queriesNear(path, name)) {
    const { status } = await send(request(path, query, name, String(value)), {}, app);
    if (status === 200 || status === 404) return query;
  }
  throw new Error(`No example of ${path} takes ${name}=${value}`);
}

/** Nearly valid texts, and arbitrary ones. */
function textsNear(value: string) {
  const inserted = fc.constantFrom('', ' ', '0', '9', ':', '.', '-', '+', 'e', ',', '٣', '\n');
  const edit = fc
    .tuple(fc.nat(value.length), fc.nat(2), inserted)
    .map(([at, removed, text]) => value.slice(0, at) + text + value.slice(at + removed));
  const ODD = ['', ' ', '+', '-', '1e5', '0x10', '1.5', '.', '1_000', '91', '-181', '+24:00', 'Infinity'];
  const large = fc.bigInt().map(String);
  const any = fc.string({ unit: 'binary', maxLength: 300 }).map(text => text.toWellFormed());
  return fc.oneof(edit, fc.constantFrom(...ODD), large, any);
}

test("the longest accepted length is the schema's maximum", async () => {
  const found: Record<string, unknown> = {};
  for (const { path, operation } of operationsOf(document).filter(({ method }) => method === 'GET')) {
    for (const parameter of operation.parameters.filter(({ schema }) => schema['type'] === 'string')) {
      const url = request(path, await queryFor(path, parameter), parameter.name, 'a '.repeat(1500));
      const { body } = await send(url, {}, app);
      const maximum = / characters; the maximum is (\d+)$/.exec(body.error?.message ?? '')?.[1];
      if (maximum === undefined) continue;
      found[parameter.name] = Number(maximum);
      expect(parameter.schema['maxLength'], `${path} ${parameter.name}`).toBe(Number(maximum));
    }
  }
  expect(found).toMatchObject({ cron: 256, rrule: 1000, schedule: 255, nonce: 128 });
});

for (const { path, operation } of operationsOf(document).filter(({ method }) => method === 'GET')) {
  describe(path, () => {
    for (const parameter of operation.parameters) {
      const { name, schema } = parameter;
      const [example] = schema['examples'] as unknown[];

      test(`${name}: the example is accepted, and what the schema rejects is 400`, async () => {
        expect(refuses(parameter, String(example))).toBe(false);
        const query = await queryFor(path, parameter);
        const refused = textsNear(String(example)).filter(text => refuses(parameter, text));
        if (schema['type'] === 'boolean') return;
        await fc.assert(
          fc.asyncProperty(refused, async text => {
            const { status, body } = await send(request(path, query, name, text), {}, app);
            expect([status, (body.error?.message ?? body).includes(`'${name}'`)]).toEqual([400, true]);
          }),
          { numRuns: 50 },
        );
      });
    }
  });
}
