import { describe, expect, test } from 'bun:test';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { boundariesManifest } from '../../data/boundaries/embedded.ts';
import { ipZonesManifest, ipZonesPath } from '../../data/ip/embedded.ts';
import { addressOf } from '../../src/places/ip_address.ts';
import { mmdbZones, openMmdb } from '../../src/places/mmdb_zones.ts';
import {
  expectFailures,
  newFolder,
  onLinux,
  residentMegabytes,
  run,
  startServer,
} from '../support/process.ts';
import { randomNumbers } from '../support/property.ts';

const DATABASES = `${import.meta.dir}/../fixtures/mmdb/test-data`;

function fileWith(content: string): string {
  const path = join(newFolder(), 'file');
  writeFileSync(path, content);
  return path;
}

async function getJson(url: string, init?: RequestInit & { unix?: string }) {
  const response = await fetch(url, init);
  return { status: response.status, body: (await response.json()) as Record<string, never> };
}

test('the executable resolves addresses and coordinates from embedded data', async () => {
  const random = randomNumbers();
  const zones = mmdbZones(openMmdb(readFileSync(ipZonesPath)), () => {
    throw new Error('not wanted');
  });
  using server = await startServer();
  for (let count = 0; count < 50; count++) {
    const address = addressOf(Uint8Array.from({ length: 4 }, () => random() * 256));
    const { status, body } = await getJson(`${server.url}/v1/timezone?ip=${address.text}`);
    expect(`${address.text} ${status}`).toBe(`${address.text} ${zones.zoneNameOf(address) ? 200 : 400}`);
    expect(body['unix'] === undefined).toBe(status === 400);
  }
  const { body } = await getJson(`${server.url}/v1/timezone?lat=51.443&lon=4.934`);
  expect(body).toMatchObject({ timezone: 'Europe/Brussels' });
});

onLinux(
  'only the boundaries that requests need become resident: they are neither copied nor hashed in memory',
  async () => {
    using server = await startServer();
    const before = residentMegabytes(server.child.pid);
    const { status } = await getJson(`${server.url}/v1/time/current?lat=51.443&lon=4.934`);
    expect(status).toBe(200);
    const growth = residentMegabytes(server.child.pid) - before;
    expect(growth).toBeLessThan(boundariesManifest.bytes / 1e6 / 2);
  },
);

test('/readyz reports date, size, licence and source of each data set', async () => {
  using server = await startServer();
  await getJson(`${server.url}/v1/time/current?lat=1&lon=2`);
  await getJson(`${server.url}/v1/time/current?ip=1.1.1.1`);
  const response = await fetch(`${server.url}/readyz`);
  const text = await response.text();
  expect(response.status).toBe(200);
  for (const { name, version, date, licence, source } of [boundariesManifest, ipZonesManifest]) {
    expect(text).toMatch(
      new RegExp(`^${name} ok ${version} of ${date}, [0-9.]+ MB, ${licence}, ${source}$`, 'm'),
    );
  }
});

test('doctor reads the data, and shows the notices required by its licences', async () => {
  const { stdout, exitCode } = await run(['doctor']);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^boundaries embedded, verified$/m);
  expect(stdout).toMatch(/^ip +embedded, verified$/m);
  expect(stdout).toContain('IP Geolocation by DB-IP (https://db-ip.com), CC BY 4.0');
  expect(stdout).toContain('© OpenStreetMap contributors, ODbL 1.0');
  const { embedded } = JSON.parse((await run(['doctor', '--json'])).stdout);
  expect(embedded).toContainEqual(expect.objectContaining({ ...ipZonesManifest }));
  expect(embedded).toContainEqual(expect.objectContaining({ ...boundariesManifest }));
});

describe('--ip-db', () => {
  test('replaces the embedded database', async () => {
    const flags = ['--ip-db', `${DATABASES}/GeoLite2-City-Test.mmdb`];
    const { stdout } = await run(['get', '/v1/timezone?ip=2.125.160.216', ...flags]);
    expect(JSON.parse(stdout).timezone).toBe('Europe/London');
    expect((await run(['doctor', ...flags])).stdout).toMatch(
      /^ip +GeoLite2-City of 2026-\d\d-\d\d, 0.0 MB, from /m,
    );
  });

  test('that cannot be used prevents startup with one line, exit 1', async () => {
    const serve = ['serve', '--listen', '127.0.0.1:0', '--require-configured-data', '--ip-db'];
    const failure = (path: string, reason: string) =>
      [[...serve, path], 1, `meridian: Cannot use ${path} as IP database: ${reason}`] as const;
    await expectFailures([
      failure(`${DATABASES}/GeoLite2-ASN-Test.mmdb`, 'it contains neither time zones nor coordinates'),
      failure(`${DATABASES}/GeoIP2-City-Test-Broken-Double-Format.mmdb`, 'a value at byte '),
      failure(fileWith('10.0.0.0/8,Europe/Berlin'), 'it has no MMDB metadata'),
      failure('/nonexistent.mmdb', ''),
    ]);
  });

  test('may be given as separate files for IPv4 and IPv6', async () => {
    const v4 = `${DATABASES}/GeoIP2-Precision-Enterprise-Shield-Test.mmdb`;
    const both = ['--ip-db', v4, '--ip-db', `${DATABASES}/GeoLite2-City-Test.mmdb`];
    using server = await startServer(both);
    const zoneOf = async (ip: string) =>
      (await getJson(`${server.url}/v1/timezone?ip=${ip}`)).body['timezone'];
    expect<unknown>(await zoneOf('2001:218::')).toBe('Asia/Tokyo'); // in the second one
    expect<unknown>(await zoneOf('2.125.160.216')).toBe('Europe/London');
    const { stdout } = await run(['doctor', ...both]);
    expect(stdout).toMatch(
      /^ip +\S+ of \S+, 0.0 MB; GeoLite2-City of \S+, 0.0 MB, from \S+, \S+, verified$/m,
    );
  });

  test('is reloaded on SIGHUP; an invalid one is reported and the old data stays', async () => {
    const path = fileWith('');
    copyFileSync(`${DATABASES}/GeoLite2-City-Test.mmdb`, path);
    using server = await startServer(['--ip-db', path]);
    const zoneOf = async (ip: string) =>
      (await getJson(`${server.url}/v1/timezone?ip=${ip}`)).body['timezone'];
    expect<unknown>(await zoneOf('2.125.160.216')).toBe('Europe/London');

    copyFileSync(`${DATABASES}/GeoIP2-Domain-Test.mmdb`, path);
    server.child.kill('SIGHUP');
    const { error } = await server.events.next('reload failed', 'ip-db');
    expect(error).toContain('neither time zones nor coordinates');
    expect<unknown>(await zoneOf('2.125.160.216')).toBe('Europe/London');

    copyFileSync(`${DATABASES}/GeoIP2-City-Test.mmdb`, path);
    server.child.kill('SIGHUP');
    await server.events.next('reloaded', 'ip-db');
    expect<unknown>(await zoneOf('214.0.0.1')).toBe('Asia/Singapore');
  });
});

describe('--ip-zones', () => {
  test('with an invalid line prevents startup with one line that has its number, exit 1', async () => {
    const path = fileWith('10.0.0.0/8,Europe/Berlin\n\n10.1.0.0/16,Europe/Berlyn\n');
    const reason = `meridian: ${path}:3:13: 'Europe/Berlyn' is not a time zone\n`;
    await expectFailures([[['get', '/v1/time/current', '--ip-zones', path], 1, reason]]);
  });

  test('takes precedence over the database, and is reloaded on SIGHUP', async () => {
    const path = fileWith('127.0.0.0/8,Europe/Berlin\n');
    using server = await startServer(['--ip-zones', path]);
    const callersZone = async () =>
      (await getJson(`${server.url}/v1/timezone?auto_tz=true`)).body['timezone'];
    expect<unknown>(await callersZone()).toBe('Europe/Berlin');
    writeFileSync(path, '127.0.0.0/8,asia/tokyo\n');
    server.child.kill('SIGHUP');
    await server.events.next('reloaded', 'ip-zones');
    expect<unknown>(await callersZone()).toBe('Asia/Tokyo');
    writeFileSync(path, 'nonsense\n');
    server.child.kill('SIGHUP');
    expect((await server.events.next('reload failed', 'ip-zones'))['error']).toContain(':1:1: ');
    expect<unknown>(await callersZone()).toBe('Asia/Tokyo');
  });
});

describe('the client of a real connection', () => {
  const networks = fileWith('127.0.0.0/8,Europe/Berlin\n20.0.0.0/8,Asia/Tokyo\n');
  const claim = { 'X-Forwarded-For': '20.0.0.1', 'X-Real-IP': '20.0.0.1' };

  test('is its peer, whatever its headers say', async () => {
    using server = await startServer(['--ip-zones', networks]);
    const { body } = await getJson(`${server.url}/v1/timezone?auto_tz=true`, { headers: claim });
    expect(body).toMatchObject({ timezone: 'Europe/Berlin' });
  });

  test('is the one that a trusted proxy names, over TCP and a unix socket', async () => {
    const socket = join(newFolder(), 'socket');
    const url = 'http://localhost/v1/timezone?auto_tz=true';
    {
      using server = await startServer([
        ...['--listen', `unix:${socket}`, '--ip-zones', networks],
        ...['--open', '--trust-proxy', '10.0.0.0/8,127.0.0.1', '--client-ip-header', 'x-real-ip'],
      ]);
      const { body } = await getJson(`${server.url}/v1/timezone?auto_tz=true`, { headers: claim });
      expect(body).toMatchObject({ timezone: 'Asia/Tokyo' });
      const overUnix = await getJson(url, { unix: socket, headers: claim });
      expect(overUnix.body).toMatchObject({ timezone: 'Asia/Tokyo' });
      const named = await getJson(url, { unix: socket, headers: { 'X-Forwarded-For': '20.0.0.1' } });
      expect(named.body).toMatchObject({ timezone: 'Europe/Berlin' });
      await server.stop();
    }
    using server = await startServer([
      ...['--open', '--listen', `unix:${socket}`, '--ip-zones', networks, '--trust-proxy', 'unix'],
    ]);
    expect((await getJson(url, { unix: socket, headers: claim })).body).toMatchObject({
      timezone: 'Asia/Tokyo',
    });
    const overTcp = await getJson(`${server.url}/v1/timezone?auto_tz=true`, { headers: claim });
    expect(overTcp.body).toMatchObject({ timezone: 'Europe/Berlin' });
  });

  test('an invalid network or header name is rejected by name, exit 2', async () => {
    await expectFailures([
      [['--trust-proxy', 'proxy.example'], 2, '--trust-proxy'],
      [['--trust-proxy', '10.0.0.0/8,10.0.0.1/8'], 2, '--trust-proxy'],
      [['--client-ip-header', 'X Real IP'], 2, '--client-ip-header'],
    ]);
  });
});
