import { expect, test } from 'bun:test';
import { API_ROUTES } from '../../src/api/routes.ts';
import { DATA_NAMES, FIELD_OF_NAME, type ServedData } from '../../src/operations/served_data.ts';
import { LazyData } from '../../src/places/lazy_data.ts';
import { createApp } from '../../src/server/app.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { testServer } from '../support/service.ts';
import { sampleKey } from '../support/signing_keys.ts';

/** The data sets with releases that requests have read. */
const read = new Set<keyof ServedData>();
const server = testServer({ signing: fixedKeys([sampleKey(1)]) });
const snapshot = { ...server.snapshot() };
const noting =
  <Value>(field: keyof ServedData, get: () => Value) =>
  () => {
    read.add(field);
    return get();
  };
for (const name of DATA_NAMES) {
  const field = FIELD_OF_NAME[name];
  const value = snapshot[field];
  // Requests that do not read a lazy set may still see whether it is loaded.
  if (value instanceof LazyData) Object.assign(value, { get: noting<unknown>(field, value.get.bind(value)) });
  else Object.defineProperty(snapshot, field, { get: noting(field, () => value) });
}
const app = createApp({ ...server, snapshot: () => snapshot });

const TARGETS = API_ROUTES.filter(({ inputs }) => 'sign' in inputs.parameters).flatMap(({ path, examples }) =>
  examples.map(({ query }) => `${path}?${query}&sign=true`),
);

async function declaredBy(target: string): Promise<readonly (keyof ServedData)[] | undefined> {
  const { headers } = await app.handle(new Request(`http://localhost${target}`));
  const names = headers.get('X-Service-Data')?.split(', ');
  return names?.map(name => FIELD_OF_NAME[name.split('=')[0] as keyof typeof FIELD_OF_NAME]);
}

test('responses name all data sets that they read', async () => {
  const undeclared: unknown[] = [];
  let signed = 0;
  for (const target of TARGETS) {
    await declaredBy(target); // loads the data, and computes the headers
    read.clear();
    const declared = await declaredBy(`${target}&nonce=again`);
    if (declared === undefined) continue;
    signed++;
    const others = [...read].filter(field => !declared.includes(field));
    if (others.length > 0) undeclared.push([target, others]);
  }
  expect(undeclared).toEqual([]);
  expect(signed).toBeGreaterThan(60);
});
