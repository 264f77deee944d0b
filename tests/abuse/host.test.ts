import { describe, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../src/server/app.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { control } from '../access/control.ts';
import { makeFirstSchema } from '../access/first_schema.ts';
import {
  eventsOf,
  given,
  newFolder,
  onLinux,
  type RunningServer,
  run,
  startServer,
  until,
} from '../support/process.ts';
import { fc } from '../support/property.ts';
import { NOW_MS, testServer } from '../support/service.ts';
import { sampleKey } from '../support/signing_keys.ts';
import { zone } from './grammar.ts';

/** A command that runs its arguments in a private mount namespace, after a line of shell; `$0` is `folder`. */
const inOwnMounts = (folder: string, line: string): string[] => [
  ...['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c'],
  `${line} && exec "$@"`,
  folder,
];

const canMount = spawns(['unshare', '--user', '--map-root-user', '--mount', 'true']);
const canLimit = spawns(['prlimit', '--fsize', 'true']);

function spawns(command: string[]): boolean {
  try {
    return Bun.spawnSync(command).success;
  } catch {
    return false;
  }
}

const PATH = '/v1/time/current?tz=Europe/Paris';
const SIGNED = `${PATH}&sign=true`;

async function statusOf({ url }: RunningServer, path: string, key?: string): Promise<number> {
  const response = await fetch(url + path, { headers: key === undefined ? {} : { 'X-API-Key': key } });
  await response.text();
  return response.status;
}

/** Fills a disk to the last byte; returns the path of the filling file. */
function fill(folder: string): string {
  const path = join(folder, 'filling');
  for (const bytes of [4096, 1]) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(bytes), { flag: 'a' });
    } catch {
      // Not even a little fits any more.
    }
  }
  return path;
}

test.skipIf(!canMount)(
  'with its state on a read-only mount, a server serves, signs and knows its keys (requires unshare)',
  async () => {
    const folder = newFolder();
    const state = ['--state-dir', folder];
    const key = (await run(['tokens', 'add', '--name', 'a', ...state])).stdout.trim();
    await run(['keys', 'rotate', ...state]);
    makeFirstSchema(join(folder, 'access.sqlite')); // from which it cannot be migrated
    const readOnly = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0"';
    using server = await startServer(state, {}, inOwnMounts(folder, readOnly));
    const events = eventsOf(server.child.stderr);
    expect(await statusOf(server, SIGNED, key)).toBe(200);
    expect(await statusOf(server, PATH)).toBe(401);
    await events.next('Usage cannot be written and is kept in memory');
    expect(await (await fetch(`${server.url}/readyz`)).text()).toContain(
      'store warning usage cannot be written',
    );
    expect(await statusOf(server, SIGNED, key)).toBe(200);
  },
);

test.skipIf(!canMount)(
  'a server that starts on a full disk serves, and recovers fully once there is room (requires unshare)',
  async () => {
    const folder = newFolder();
    // Not an empty disk: it must already be full when the server starts.
    const full =
      'mount -t tmpfs -o size=400k tmpfs "$0" && (cat /dev/zero > "$0/filling" || true) 2>/dev/null';
    using server = await startServer(['--state-dir', join(folder, 'state')], {}, inOwnMounts(folder, full));
    const disk = `/proc/${server.child.pid}/root${folder}`;
    const inside = { through: ['nsenter', '--user', '--mount', '--target', `${server.child.pid}`] };
    const state = ['--state-dir', join(folder, 'state')];
    expect(await statusOf(server, PATH)).toBe(200);
    expect(await statusOf(server, SIGNED)).toBe(501);
    for (const command of [
      ['tokens', 'add', '--name', 'a'],
      ['keys', 'rotate'],
    ]) {
      const { exitCode, stderr } = await run([...command, ...state], inside);
      expect([command, exitCode]).toEqual([command, 1]);
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    }
    rmSync(join(disk, 'filling'));
    const { stdout: key } = await run(['tokens', 'add', '--name', 'a', ...state], inside);
    // The server may have created today's key by itself.
    expect((await run(['keys', 'rotate', '--force', ...state], inside)).exitCode).toBe(0);
    server.child.kill('SIGHUP');
    const events = eventsOf(server.child.stderr);
    await events.next('reloaded', 'access');
    expect(await statusOf(server, SIGNED, key.trim())).toBe(200);
    const filling = fill(disk);
    // Usage that fits into the journal as it is can still be written.
    let isReported = false;
    const reported = events.next('Usage cannot be written and is kept in memory').then(() => {
      isReported = true;
    });
    await until(async () => {
      expect(await statusOf(server, SIGNED, key.trim())).toBe(200);
      return isReported;
    }, 100);
    await reported;
    rmSync(filling);
    await events.next('Usage can be written again');
    server.child.kill('SIGTERM');
    expect(await server.child.exited).toBe(0);
  },
);

given(canLimit, 'prlimit')('if no file may grow, a server serves without signatures', async () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'state'));
  const state = ['--state-dir', join(folder, 'state')];
  using server = await startServer(state, {}, ['prlimit', '--fsize=0']);
  expect(await statusOf(server, PATH)).toBe(200);
  expect(await statusOf(server, SIGNED)).toBe(501);
  expect(await (await fetch(`${server.url}/readyz`)).text()).toContain('signing absent');
});

onLinux('a log that cannot be written delays neither requests nor the shutdown', async () => {
  using server = await startServer([], {}, ['sh', '-c', 'exec "$@" 2>/dev/full', 'sh']);
  for (let request = 0; request < 100; request++) expect(await statusOf(server, '/nowhere')).toBe(404);
  server.child.kill('SIGTERM');
  expect(await server.child.exited).toBe(0);
});

const ROUNDS = Number(process.env['ABUSE_KILLS'] ?? 2);

/** Sends requests on several connections until the server is gone; counts the responses and collects their `kid`s. */
async function load({ url }: RunningServer, key: string) {
  const seen = { responses: 0, kids: new Set<string>() };
  const send = async () => {
    for (;;) {
      const response = await fetch(url + SIGNED, { headers: { 'X-API-Key': key } });
      await response.text();
      if (response.status !== 200) throw new Error(`${response.status}`);
      seen.responses++;
      seen.kids.add(response.headers.get('X-Service-Key-Id') ?? 'unsigned');
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: 4 }, send));
  // Each ended with a lost connection, not with an error response.
  return {
    ...seen,
    rejections: ends.filter(end => end.status === 'rejected' && /^Error: \d+$/.test(end.reason)),
  };
}

/** The `kid`s that a server publishes. */
async function publishedKids({ url }: RunningServer): Promise<string[]> {
  const response = await fetch(`${url}/.well-known/time-api-public-key`);
  const { keys } = (await response.json()) as { keys: { kid: string }[] };
  return keys.map(({ kid }) => kid);
}

test(`kill -9 of server and rotation under load, ${ROUNDS} times: every key stays published, every file whole`, async () => {
  const folder = newFolder();
  const state = ['--state-dir', folder];
  const key = (await run(['tokens', 'add', '--name', 'a', ...state])).stdout.trim();
  const promised = new Set<string>();
  let responses = 0;
  for (let round = 0; round < ROUNDS; round++) {
    using server = await startServer(state);
    for (const kid of await publishedKids(server)) promised.add(kid);
    const loaded = load(server, key);
    const rotations = Array.from({ length: 4 }, () => run(['keys', 'rotate', '--force', ...state]));
    server.child.kill('SIGHUP');
    await Promise.race(rotations);
    await Bun.sleep(Math.random() * 60);
    server.child.kill('SIGKILL');
    const { rejections, kids, responses: received } = await loaded;
    expect(rejections).toEqual([]);
    responses += received;
    for (const { exitCode, stdout } of await Promise.all(rotations)) {
      expect(exitCode).toBe(0);
      promised.add(stdout.split(' ')[0]!);
    }
    for (const kid of kids) promised.add(kid);
  }
  expect(responses).toBeGreaterThan(0);

  using server = await startServer(state);
  expect((await publishedKids(server)).toSorted()).toEqual([...promised].toSorted());
  const keys = join(folder, 'signing-keys');
  for (const name of readdirSync(keys).filter(name => name !== 'lock')) {
    expect([name, JSON.parse(readFileSync(join(keys, name), 'utf8')).kty]).toEqual([name, 'OKP']);
  }
  const { stdout } = await run(['tokens', 'list', '--json', ...state]);
  const [{ used_this_month: used }] = JSON.parse(stdout);
  expect(used).toBeLessThanOrEqual(responses + 4 * ROUNDS); // those whose response the kill cut off
});

const DAY_MS = 86_400_000;
const signing = fixedKeys([sampleKey(1, 'ed25519-2026-04-01')]);

/** Instants that a clock is set to: small steps, and steps across clock changes, months and centuries, in both directions. */
const instants = fc.array(
  fc.oneof(
    fc.integer({ min: -2000, max: 2000 }).map(ms => NOW_MS + ms),
    fc.integer({ min: -400, max: 400 }).map(days => NOW_MS + days * DAY_MS),
    fc.constantFrom(
      0,
      -1,
      1,
      999,
      -8.64e15,
      8.64e15,
      Date.UTC(2026, 10, 1) - 1,
      Date.UTC(2038, 0, 19, 3, 14, 8),
    ),
  ),
  { minLength: 2, maxLength: 8 },
);

/** Responses that depend on the current time. */
const paths = zone.chain(name =>
  fc.constantFrom(
    `/v1/time/current?tz=${name}&format=%25c%20%25Z`,
    `/v1/time/current?tz=${name},UTC,Europe/Dublin&sign=true`,
    `/v1/time/dst?tz=${name}&next=true`,
    `/v1/time/calendar?tz=${name}&week=true`,
    `/v1/timezone?tz=${name}`,
    '/v1/timezone?offset=%2B01:00',
    '/v1/timezones?country=US',
    '/v1/time/elapsed?unix=0',
    '/v1/time/diff?from=now&to=unix=0',
  ),
);

/** An app's response with a fixed request id. */
async function responseOf(app: ReturnType<typeof createApp>, path: string): Promise<string> {
  const response = await app.handle(new Request(`http://x${path}`, { headers: { 'X-Request-Id': 'a' } }));
  return `${response.status} ${[...response.headers]} ${await response.text()}`;
}

describe('when the host clock is set', () => {
  test('back or forth, responses and signatures equal those of a freshly started server', async () => {
    await fc.assert(
      fc.asyncProperty(
        instants,
        fc.array(paths, { minLength: 1, maxLength: 3 }),
        async (steps, requested) => {
          let nowMs = 0;
          const stepped = createApp(testServer({ signing, now: () => nowMs }));
          for (const step of steps) {
            nowMs = step;
            const fresh = createApp(testServer({ signing, now: () => step }));
            for (const path of requested)
              expect(await responseOf(stepped, path)).toBe(await responseOf(fresh, path));
          }
        },
      ),
      { numRuns: 15 },
    );
  });

  test('back or forth, limits grant no more than burst, rate and quota, lock nobody out, and report sane waits', async () => {
    const folder = newFolder();
    const plan = { name: 'default', rate: { perSecond: 1, burst: 5 }, monthlyQuota: 1000 };
    const { access } = control(folder, { plans: [plan], keys: [{ key: 'k', plan: 'default', name: 'k' }] });
    let nowMs = NOW_MS;
    const app = createApp(testServer({ access, now: () => nowMs }));
    const send = () => app.handle(new Request('http://x/v1/time/current', { headers: { 'X-API-Key': 'k' } }));
    for (const step of [0, 3_600_000, -7_200_000, 31 * DAY_MS, -62 * DAY_MS, 100, -100, 5 * 365 * DAY_MS]) {
      nowMs += step;
      let granted = 0;
      for (let request = 0; request < 12; request++) {
        const { status, headers } = await send();
        if (status === 200) granted++;
        else expect(status).toBe(429);
        const waits = [...headers.get('RateLimit')!.matchAll(/t=(-?\d+)/g)].map(([, seconds]) =>
          Number(seconds),
        );
        for (const seconds of waits) expect(seconds).toBeWithin(1, 31 * 86_400 + 1);
        if (status === 429) expect(headers.get('Retry-After')).toBe('1');
      }
      expect(granted).toBeLessThanOrEqual(5);
      nowMs += 1000; // one second later there is room for one again, whatever happened before
      expect((await send()).status).toBe(200);
    }
    await access.stop();
  });
});

/** Host time zones; the last two are invalid. */
const HOST_ZONES = [
  ...['UTC', 'America/New_York', 'Pacific/Apia', 'Asia/Kathmandu', 'Africa/Monrovia', ':nowhere', ''],
];

/** Local times within, before and after clock changes in New York and elsewhere, and at the limits. */
const PATHS = [
  '/v1/time/convert?iso=2026-03-08T02:30:00&source_tz=America/New_York&tz=Pacific/Apia&format=%25c+%25Z+%25s+%25j',
  '/v1/time/convert?iso=2026-11-01T01:30:00&tz=America/New_York&disambiguation=later',
  '/v1/time/convert?unix_ms=-8640000000000000&tz=America/New_York',
  '/v1/time/calendar?iso=2011-12-30&week=true&tz=Pacific/Apia',
  '/v1/time/dst?tz=America/New_York&next=true&format=%25H',
  '/v1/time/add?iso=2026-03-08&hours=24&tz=America/New_York',
  '/v1/time/elapsed?iso=2026-03-07&compare_iso=2026-03-09&business_days=true',
  '/v1/time/diff?from=iso=2026-10-31&to=iso=2026-11-02&business_days=true&holiday_country=US',
  '/v1/holidays?country=US&year=2026',
];

/** The members of a response that do not depend on the time of day. */
function lasting(text: string): string {
  return JSON.stringify(JSON.parse(text), (name, value) =>
    /^(unix|unix_ms|utc|iso_local|rfc2822|human|formatted|request_id)$/.test(name) &&
    text.includes('dst_active')
      ? undefined
      : value,
  );
}

test("the host's zone and DST, valid or not, change no response", async () => {
  let expected: string[] | undefined;
  for (const zone of HOST_ZONES) {
    using server = await startServer([], { TZ: zone });
    const responses = await Promise.all(
      PATHS.map(async path => lasting(await (await fetch(server.url + path)).text())),
    );
    expected ??= responses;
    expect([zone, responses]).toEqual([zone, expected]);
    const response = await fetch(`${server.url}/v1/time/current`);
    expect(response.headers.get('Date')).toMatch(/ GMT$/);
    const { unix } = (await response.json()) as { unix: number };
    expect(Math.abs(unix - Date.now() / 1000)).toBeLessThan(60);
  }
});
