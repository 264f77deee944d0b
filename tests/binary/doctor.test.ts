import { expect, test } from 'bun:test';
import { chmodSync, copyFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EMBEDDED_DATA } from '../../data/manifests.ts';
import { run } from '../support/process.ts';
import { zoneinfo } from '../support/zones.ts';

async function doctor(args: readonly string[] = [], env: Record<string, string> = {}) {
  const { exitCode, stdout, stderr } = await run(['doctor', '--json', ...args], { env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout);
}

const REPORT = doctor();
const TIMEOUT_MS = 30_000;

test(
  'doctor reports the age of every data set, and the state of the clock',
  async () => {
    const report = await REPORT;
    expect(report.embedded.map(({ name }: { name: string }) => name)).toEqual(
      EMBEDDED_DATA.map(({ name }) => name),
    );
    for (const { date, age_days } of report.embedded) {
      expect(age_days).toBe(Math.floor((Date.now() - Date.parse(date)) / 86_400_000));
    }
    if (process.platform === 'linux') expect(typeof report.clock.is_synchronized).toBe('boolean');
  },
  TIMEOUT_MS,
);

test(
  "doctor finds where the host's zoneinfo differs: zone, since when, both offsets",
  async () => {
    const directory = zoneinfo('2026x', ['Europe/London', 'Europe/Berlin']);
    copyFileSync(join(directory, 'Europe/London'), join(directory, 'Europe/Paris'));
    const { comparisons } = await doctor([], { TZDIR: directory });
    const host = comparisons.find((comparison: { with: string }) => comparison.with === directory);
    expect(host.version).toBe('2026x');
    const of = (name: string) => host.differences.find(({ zone }: { zone: string }) => zone === name);
    expect(of('Europe/Berlin')).toBeUndefined();
    // Until then London was on summer time all year.
    expect(of('Europe/Paris')).toEqual({
      zone: 'Europe/Paris',
      since: '1971-10-31T02:00:00Z',
      offset: '+01:00',
      other_offset: '+00:00',
      is_past: false,
    });
    expect(of('Asia/Tokyo')).toMatchObject({ since: null });
  },
  TIMEOUT_MS,
);

test(
  "doctor compares the embedded zones with the runtime's, which are older",
  async () => {
    const { comparisons } = await REPORT;
    const { differences } = comparisons.find((comparison: { with: string }) =>
      comparison.with.includes('ICU'),
    );
    expect(differences).toContainEqual({
      zone: 'America/Vancouver',
      since: '2026-11-01T09:00:00Z',
      offset: '-07:00',
      other_offset: '-08:00',
      is_past: false,
    });
    expect(differences.map(({ zone }: { zone: string }) => zone)).not.toContain('Africa/Monrovia');
  },
  TIMEOUT_MS,
);

test(
  'doctor compares a zoneinfo directory in use with the embedded zones',
  async () => {
    const directory = zoneinfo('2099a');
    const report = await doctor(['--zoneinfo', directory], { TZDIR: '/nonexistent' });
    const [embedded, host] = report.comparisons;
    expect(embedded).toMatchObject({ with: 'the embedded zones', differences: [] });
    expect(host).toMatchObject({ with: '/nonexistent', problem: 'not present on this host' });
  },
  TIMEOUT_MS,
);

test('doctor exits 1 and names what is broken', async () => {
  const state = mkdtempSync(join(tmpdir(), 'meridian-'));
  expect(await run(['doctor', '--state-dir', state])).toMatchObject({ exitCode: 0, stderr: '' });
  writeFileSync(join(state, 'access.sqlite'), 'not a database');
  for (const flags of [[], ['--json']]) {
    const { exitCode, stdout } = await run(['doctor', '--state-dir', state, ...flags]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain(join(state, 'access.sqlite'));
  }
});

test(
  'doctor warns of variables that resemble settings, and of a world-writable directory',
  async () => {
    const state = mkdtempSync(join(tmpdir(), 'meridian-'));
    chmodSync(state, 0o777);
    const env = { MERIDIAN_API_KEYS: 'secret', MERIDIAN_SERVICE_HOST: '10.0.0.1' };
    const { exitCode, stdout } = await run(['doctor', '--state-dir', state], { env });
    expect(exitCode).toBe(0);
    expect(stdout.split('\n').filter(line => line.startsWith('warning'))).toEqual([
      `warning    ${state} is writable by every user (mode 777); run 'chmod 700 ${state}'`,
      "warning    MERIDIAN_API_KEYS is set, but is not a setting; did you mean 'MERIDIAN_API_KEY'?",
    ]);
    expect(stdout).not.toContain('secret');
    const report = await doctor(['--state-dir', state], env);
    expect(report.stray_variables).toEqual([{ name: 'MERIDIAN_API_KEYS', nearest: 'MERIDIAN_API_KEY' }]);
    expect(report.state.warning).toContain('777');
  },
  TIMEOUT_MS,
);
