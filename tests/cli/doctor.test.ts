import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { readZonePack } from '../../data/zones/embedded.ts';
import { SqliteStore } from '../../src/access/sqlite_store.ts';
import { accessReport, certaintyWarning, stateReport } from '../../src/cli/commands/doctor.ts';
import { zoneDifferences } from '../../src/cli/zone_comparison.ts';
import { formatOffset } from '../../src/common/iso_text.ts';
import { openZonePack } from '../../src/zones/zone_database.ts';
import { embeddedCalendars } from '../data/holidays/embedded_calendars.ts';
import { outputOf } from '../support/printing.ts';
import { newFolder } from '../support/process.ts';

test('a world-writable state directory is reported with its mode', () => {
  const path = newFolder();
  for (const mode of [0o700, 0o755, 0o770]) {
    chmodSync(path, mode);
    expect(stateReport(path)).toEqual({ from: path, warning: null });
  }
  chmodSync(path, 0o777);
  const warning = `${path} is writable by every user`;
  expect(stateReport(path).warning).toBe(`${warning} (mode 777); run 'chmod 700 ${path}'`);
  chmodSync(path, 0o1777);
  const advice = 'set --state-dir to a directory of its own';
  expect(stateReport(path).warning).toBe(`${warning} (mode 1777); ${advice}`);
  expect(stateReport(join(path, 'none')).warning).toBeNull();
});

test('holidays that are certain for less than half a year are reported', () => {
  const { certainThrough: _, ...header } = embeddedCalendars.header;
  const warning = (certainThrough: number | undefined, now: string) =>
    certaintyWarning(
      {
        header: certainThrough === undefined ? header : { ...header, certainThrough },
        certainUntilMs: certainThrough === undefined ? null : Date.UTC(certainThrough + 1, 0),
      },
      Date.parse(now),
    );
  expect(warning(2029, '2029-06-30')).toBeNull();
  expect(warning(2029, '2029-07-03')).toBe('the holidays are certain through 2029 only: install newer data');
  expect(warning(undefined, '2026-01-01')).toBe(
    'the data of holidays does not say until when they are certain: install newer data',
  );
});

test('an SQLite error after opening the token store is reported as a problem', () => {
  const folder = newFolder();
  const path = join(folder, 'access.sqlite');
  new SqliteStore(path, { create: true, durable: true, busyMs: 0 }).close();
  expect(accessReport(path)).toMatchObject({ keys: 0, problem: null });
  const database = new Database(path);
  const query = "SELECT name FROM sqlite_schema WHERE type = 'table'";
  const tables = database.query<{ name: string }, []>(query).all();
  for (const { name } of tables) database.run(`DROP TABLE ${name}`);
  database.close();
  expect(accessReport(path).problem).toStartWith(`Cannot use the API keys in '${path}': no such table: `);
});

const zones = openZonePack(readZonePack());
const NOW_SECONDS = 1_776_274_247; // 2026-04-15
const paris = zones.find('Europe/Paris')!;
const offsetIn = (at: number) => paris.periodAt(at).offsetSeconds;
const seconds = (iso: string) => Date.parse(iso) / 1000;

test('a source does not differ from itself', () => {
  const same = (name: string) => (at: number) => zones.find(name)!.periodAt(at).offsetSeconds;
  expect(zoneDifferences(zones.canonicalZones(), same, NOW_SECONDS)).toEqual([]);
});

test('the first second of a difference is found, with both offsets', () => {
  for (const [since, until, isPast] of [
    ['1986-04-26T01:23:40Z', '2400-01-01T00:00:00Z', false],
    ['2030-01-01T00:00:01Z', '2400-01-01T00:00:00Z', false],
    ['1998-02-03T04:05:06Z', '1998-12-31T00:00:00Z', true], // in the past
  ] as const) {
    const isOff = (at: number) => at >= seconds(since) && at < seconds(until);
    const other = () => (at: number) => (isOff(at) ? 5400 : offsetIn(at));
    const offset = formatOffset(offsetIn(seconds(since)));
    expect(zoneDifferences([paris], other, NOW_SECONDS)).toEqual([
      { zone: 'Europe/Paris', since, offset, other_offset: '+01:30', is_past: isPast },
    ]);
  }
});

test('a change one second late is found on both sides', () => {
  const change = seconds('2026-10-25T01:00:00Z');
  const late = () => (at: number) => (at === change ? 7200 : offsetIn(at));
  const early = () => (at: number) => (at === change - 1 ? 3600 : offsetIn(at));
  expect(zoneDifferences([paris], late, NOW_SECONDS)[0]?.since).toBe('2026-10-25T01:00:00Z');
  expect(zoneDifferences([paris], early, NOW_SECONDS)[0]?.since).toBe('2026-10-25T00:59:59Z');
});

test('a zone that the other source lacks is reported', () => {
  const differences = zoneDifferences([paris], () => undefined, NOW_SECONDS);
  expect(differences).toMatchObject([{ zone: 'Europe/Paris', since: null }]);
});

const handle = (request: Request) => {
  const { pathname } = new URL(request.url);
  return pathname === '/healthz' ? new Response('ok\n') : new Response('zones broken\n', { status: 503 });
};
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: handle });
afterAll(() => server.stop(true));

test('health reports liveness or readiness of the server at the given address', async () => {
  const listen = `--listen=127.0.0.1:${server.port}`;
  expect(await outputOf(['health', listen])).toEqual({ exitCode: 0, lines: ['ok'] });
  expect(await outputOf(['health', listen, '--ready'])).toEqual({ exitCode: 1, lines: ['zones broken'] });
});

test('a server on all addresses is checked on loopback, and one on a socket through it', async () => {
  const all = `--listen=0.0.0.0:${server.port}`;
  expect(await outputOf(['health', all])).toEqual({ exitCode: 0, lines: ['ok'] });
  const unix = join(newFolder(), 'socket');
  using listener = Bun.serve({ unix, fetch: handle });
  expect(listener).toBeDefined();
  const flags = [`--listen=unix:${unix}`, '--tls-cert=/cert.pem', '--tls-key=/key.pem']; // TLS is for TCP only
  expect(await outputOf(['health', ...flags])).toEqual({ exitCode: 0, lines: ['ok'] });
});

test('the address comes from the settings of the server', async () => {
  const settings = { MERIDIAN_LISTEN: `127.0.0.1:${server.port}`, MERIDIAN_WORKERS: '2' };
  expect(await outputOf(['health'], settings)).toEqual({ exitCode: 0, lines: ['ok'] });
});

test('without a server, or with an unknown port, health says why it fails', async () => {
  using closed = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: handle });
  const { port } = closed;
  await closed.stop(true);
  const { exitCode, lines } = await outputOf(['health', `--listen=127.0.0.1:${port}`]);
  expect(exitCode).toBe(1);
  expect(lines[0]).toStartWith(`meridian: No response from http://127.0.0.1:${port}/healthz: `);
  expect(await outputOf(['health', '--listen=127.0.0.1:0'])).toEqual({
    exitCode: 1,
    lines: ['meridian: Cannot check a server with --listen port 0: its actual port is unknown'],
  });
});
