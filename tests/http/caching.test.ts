import { describe, expect, spyOn, test } from 'bun:test';
import { convertRoute } from '../../src/api/routes/convert.ts';
import { API_ROUTES } from '../../src/api/routes.ts';
import type { App } from '../../src/http/app.ts';
import type { ServedData } from '../../src/http/snapshot.ts';
import { createApp } from '../../src/server/app.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { control } from '../access/control.ts';
import { temporaryFolder } from '../access/folders.ts';
import { sampleKey } from '../signing/sample_keys.ts';
import { app, ask, NOW_MS, testServer } from './service.ts';

const FIXED = 'public, max-age=3600, stale-while-revalidate=86400';
const CONVERT = '/v1/time/convert?unix=0&tz=Asia/Tokyo';

/** Routes whose responses are those of the present until a clock changes; with a timestamp they are fixed. */
const UNTIL_A_CHANGE = ['/v1/timezones', '/v1/timezones.csv', '/v1/places'];

/** What pages embed is always fetched anew. */
const EMBEDDED = /^\/(v1\/time\/clock|embed|oembed)/;

/** Successful examples of all other routes but the key set, which has a rule of its own. */
const QUESTIONS: readonly string[] = (
  await Promise.all(
    API_ROUTES.filter(({ path, isPublic }) => !isPublic && !EMBEDDED.test(path)).flatMap(
      ({ path, examples }) =>
        examples.map(async ({ query }) => {
          const target = `${path}?${query}`;
          return (await ask(target)).status === 200 ? [target] : [];
        }),
    ),
  )
).flat();

/** A later present, in another year, and another client. */
const elsewhere = createApp(testServer({ now: () => NOW_MS + 300 * 86_400_000 }), {
  peerOf: () => '1.2.3.4',
});

async function get(path: string, headers: Record<string, string> = {}, asked: App = app) {
  return await asked.handle(new Request(`http://localhost${path}`, { headers }));
}

const tagOf = async (path: string, asked?: App) => (await get(path, {}, asked)).headers.get('ETag');

describe('caches may use a response', () => {
  test.each(QUESTIONS)('exactly if it is the same at another time for another client: %s', async question => {
    const [response, other] = await Promise.all([get(question), get(question, {}, elsewhere)]);
    const cacheControl = response.headers.get('Cache-Control');
    const isUntilChange =
      UNTIL_A_CHANGE.some(path => question.startsWith(`${path}?`)) && cacheControl !== FIXED;
    if (isUntilChange) {
      expect(cacheControl).toBe('public, max-age=3600');
      return;
    }
    const isSame = (await response.text()) === (await other.text());
    expect(cacheControl).toBe(isSame ? FIXED : 'no-store');
    expect(response.headers.has('ETag')).toBe(isSame);
  });

  test('of all routes, some of both kinds', async () => {
    const rules = await Promise.all(
      QUESTIONS.map(async path => (await get(path)).headers.get('Cache-Control')),
    );
    expect(new Set(rules)).toEqual(new Set([FIXED, 'no-store', 'public, max-age=3600']));
  });

  test.each(QUESTIONS)('never if it has details or is signed: %s', async question => {
    const keyed = createApp(testServer({ signing: fixedKeys([sampleKey(1, 'ed25519-2026-04-01')]) }));
    for (const flag of ['details', 'sign']) {
      const path = question.replace('?', `?${flag}=true&`);
      const { status, headers } = await get(path, {}, keyed);
      const known = flag in API_ROUTES.find(({ path }) => question.startsWith(`${path}?`))!.parameters;
      if (status === 200 && known) expect([path, headers.get('Cache-Control')]).toEqual([path, 'no-store']);
    }
  });

  test('not if it is an error, or has one in a list', async () => {
    for (const path of ['/v1/time/convert?unix=0&tz=Mars', `${CONVERT},Mars`]) {
      const { headers } = await get(path);
      expect([headers.get('Cache-Control'), headers.get('ETag')]).toEqual(['no-store', null]);
    }
  });

  test('not for clients elsewhere if it depends on the address of the client', async () => {
    const london = createApp(testServer(), { peerOf: () => '2.125.160.216' });
    const { status, headers } = await get('/v1/time/convert?unix=0&auto_tz=true', {}, london);
    expect([status, headers.get('Cache-Control')]).toEqual([200, 'no-store']);
  });

  test('for all origins, or by origin where one is configured', async () => {
    const open = (await get(CONVERT)).headers;
    expect([open.get('Access-Control-Allow-Origin'), open.get('Vary')]).toEqual(['*', 'Accept-Encoding']);
    const closed = createApp(testServer({ corsOrigin: 'https://a.example' }));
    for (const headers of [{}, { Origin: 'https://b.example' }]) {
      expect((await get(CONVERT, headers, closed)).headers.get('Vary')).toBe('Origin, Accept-Encoding');
    }
  });
});

describe('an entity tag', () => {
  test('is the same on all machines and for GET and HEAD', async () => {
    const tag = await tagOf(CONVERT);
    expect(tag).toMatch(/^"[\w-]{11,17}"$/);
    expect(await tagOf(CONVERT, createApp(testServer()))).toBe(tag);
    expect((await ask(CONVERT, { method: 'HEAD' })).headers.get('ETag')).toBe(tag);
  });

  test('is different for each question and each build', async () => {
    const fixed = await Promise.all(QUESTIONS.map(path => tagOf(path)));
    const tags = fixed.filter(tag => tag !== null);
    expect(new Set(tags).size).toBe(tags.length);
    expect(await tagOf(CONVERT, createApp(testServer({ build: 'next' })))).not.toBe(await tagOf(CONVERT));
  });

  test('changes with the data for exactly the questions that read them', async () => {
    const signing = fixedKeys([sampleKey(1, 'ed25519-2026-04-01')]);
    const server = testServer({ signing });
    const asked = createApp(server);
    const questions = [
      ...QUESTIONS,
      '/v1/time/convert?unix=0&ip=2.125.160.216',
      '/v1/time/convert?unix=0&place=Berlin',
    ];
    const tags = () => Promise.all(questions.map(path => tagOf(path, asked)));
    const usedBy = async (path: string) =>
      (await get(`${path}&sign=true`, {}, asked)).headers.get('X-Service-Data') ?? '';
    const used = await Promise.all(questions.map(usedBy));
    const before = await tags();
    for (const [set, name] of [
      ['zones', 'tzdata'],
      ['holidays', 'holidays'],
      ['ip', 'ip'],
    ] as const satisfies readonly (readonly [keyof ServedData, string])[]) {
      server.replace({ digests: { [set]: 'replaced' } });
      const after = await tags();
      const changed = questions.filter((_, index) => before[index] !== after[index]);
      const expected = questions.filter(
        (_, index) => before[index] !== null && new RegExp(`\\b${name}=`).test(used[index]!),
      );
      expect(changed).toEqual(expected);
      expect(changed).not.toBeEmpty();
    }
    server.replace({ digests: { schedules: 'replaced' } });
    expect(
      await tags().then(after => questions.filter((_, index) => before[index] !== after[index])),
    ).toEqual(questions.filter((path, index) => before[index] !== null && path.includes('schedule=')));
  });
});

describe('a client that has the response', () => {
  const conditional = async (path: string, condition: string, asked?: App) =>
    await get(path, { 'If-None-Match': condition }, asked);

  test.each(QUESTIONS)('gets 304 without a body: %s', async question => {
    const { headers } = await get(question);
    const tag = headers.get('ETag');
    const response = await conditional(question, tag ?? '*');
    expect(response.status).toBe(tag === null ? 200 : 304);
    if (tag === null) return;
    expect(await response.text()).toBe('');
    for (const name of ['ETag', 'Cache-Control', 'Vary', 'Access-Control-Allow-Origin']) {
      expect(response.headers.get(name)).toBe(headers.get(name));
    }
    expect(response.headers.has('Content-Type')).toBe(false);
  });

  test('gets it for one of several tags, weak ones too, and *', async () => {
    const tag = await tagOf(CONVERT);
    for (const condition of [`"other", ${tag}`, `W/${tag}`, '*']) {
      expect([condition, (await conditional(CONVERT, condition)).status]).toEqual([condition, 304]);
    }
    for (const condition of ['"other"', '', tag!.slice(0, -2)]) {
      expect([condition, (await conditional(CONVERT, condition)).status]).toEqual([condition, 200]);
    }
  });

  test.each([
    '/v1/time/add?unix=0&duration=P999999Y',
    '/v1/tzdata/changes?from=2026a&to=1999a',
    '/api/v3/PublicHolidays/1/DE',
  ])('gets the error that only the computation shows, whatever it has: %s', async path => {
    const { status } = await get(path);
    expect(status).toBeGreaterThanOrEqual(400);
    expect((await get(path, { 'If-None-Match': '*' })).status).toBe(status);
  });

  test('gets the errors of an invalid request nevertheless', async () => {
    for (const query of [
      'unix=0&tz=Mars',
      'unix=0',
      'unix=0&tz=UTC&tz=UTC',
      'unix=0&tz=UTC&x=1&strict=true',
    ]) {
      expect((await conditional(`/v1/time/convert?${query}`, '*')).status).toBe(400);
    }
  });

  test('causes no computation', async () => {
    const tag = await tagOf(CONVERT);
    using respond = spyOn(convertRoute, 'respond');
    const fresh = createApp(testServer());
    expect((await conditional(CONVERT, tag!, fresh)).status).toBe(304);
    expect(respond).not.toHaveBeenCalled();
    expect((await conditional(CONVERT, '"other"', fresh)).status).toBe(200);
    expect(respond).toHaveBeenCalled();
  });
});

test('until a clock changes the list of zones is the same, and not a second longer', async () => {
  const changeMs = Date.UTC(2026, 3, 23, 22); // Egypt begins its summer time
  let nowMs = changeMs - 90_500;
  const asked = createApp(testServer({ now: () => nowMs }));
  const before = await get('/v1/timezones?country=NZ', {}, asked);
  expect(before.headers.get('Cache-Control')).toBe('public, max-age=90');
  const tag = before.headers.get('ETag')!;
  const statusOf = async () =>
    (await get('/v1/timezones?country=NZ', { 'If-None-Match': tag }, asked)).status;
  nowMs = changeMs - 1;
  expect(await statusOf()).toBe(304);
  expect((await get('/v1/timezones', {}, asked)).headers.get('Cache-Control')).toBe('public, max-age=0');
  nowMs = changeMs;
  expect(await statusOf()).toBe(200);
  const { headers } = await get('/v1/timezones', {}, asked);
  expect(headers.get('Cache-Control')).toBe('public, max-age=3600');
});

test('behind keys, only the cache of the client may use a response, and 304 counts', async () => {
  using folder = temporaryFolder();
  const keys = [{ key: 'key', plan: 'small', name: 'key' }];
  const plans = [{ name: 'small', rate: undefined, monthlyQuota: 10 }];
  const { access } = control(folder.path, { keys, plans });
  const asked = createApp(testServer({ access }));
  const authorization = { 'X-API-Key': 'key' };
  const first = await get(CONVERT, authorization, asked);
  expect(first.headers.get('Cache-Control')).toBe(FIXED.replace('public', 'private'));
  const again = await get(CONVERT, { ...authorization, 'If-None-Match': first.headers.get('ETag')! }, asked);
  expect([again.status, again.headers.get('X-Service-Quota-Remaining')]).toEqual([304, '8']);
  await access.stop();
});
