import { expect, test } from 'bun:test';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventsOf, startServer, temporaryFolder } from '../support/process.ts';
import { zoneinfo } from '../support/zones.ts';

const DATABASES = join(import.meta.dir, '../fixtures/mmdb/test-data');

/** Queries with the settings whose files they depend on; the calendar belongs to the holidays data set. */
const READS: Readonly<Record<string, readonly string[]>> = {
  '/v1/time/convert?unix=0&tz=Europe/Paris': ['zoneinfo'],
  '/v1/time/convert?unix=0&ip=2.125.160.216': ['zoneinfo', 'ip-db'],
  '/v1/time/convert?unix=0&offset=%2B05:45': [],
  '/v1/time/diff?from=unix=0&to=unix=86400': [],
  '/v1/time/diff?from=iso=2026-12-01&to=iso=2027-01-10&business_days=true&holiday_country=DE': ['calendar'],
  '/v1/work/diff?schedule=office&from=iso=2026-04-13&to=iso=2026-04-20': ['schedules'],
  '/v1/holidays?country=DE&year=2026': ['calendar'],
};

test('a reload changes exactly the entity tags of responses that depend on a changed file', async () => {
  using folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  const zones = zoneinfo('2099a');
  const changes: Readonly<Record<string, (name: string) => void>> = {
    zoneinfo: () => writeFileSync(join(zones, '+VERSION'), '2099b\n'),
    'ip-db': () => copyFileSync(join(DATABASES, 'GeoLite2-City-Test.mmdb'), at('ip-db')),
    calendar: () => writeFileSync(at('calendar'), '2026-12-28 holiday\n'),
    schedules: () => writeFileSync(at('schedules'), 'office = "Mo-Fr 09:00-18:00"\n'),
  };
  copyFileSync(join(DATABASES, 'GeoIP2-City-Test.mmdb'), at('ip-db'));
  writeFileSync(at('calendar'), '2026-12-24 holiday\n');
  writeFileSync(at('schedules'), 'office = "Mo-Fr 09:00-17:00"\n');
  const files = ['ip-db', 'calendar', 'schedules'].flatMap(name => [`--${name}`, at(name)]);
  using server = await startServer(['--zoneinfo', zones, ...files]);
  const events = eventsOf(server.child.stderr);
  const tags = () =>
    Promise.all(
      Object.keys(READS).map(async path => {
        const { status, headers } = await fetch(server.url + path);
        expect({ path, status }).toEqual({ path, status: 200 });
        return headers.get('ETag');
      }),
    );
  let before = await tags();
  expect(before).not.toContain(null);
  for (const [name, change] of Object.entries(changes)) {
    change(name);
    server.child.kill('SIGHUP');
    expect(await events.next('reload finished')).toMatchObject({ failed: 0 });
    const after = await tags();
    const changed = Object.keys(READS).filter((_, index) => before[index] !== after[index]);
    expect({ name, changed }).toEqual({
      name,
      changed: Object.keys(READS).filter(path => READS[path]!.includes(name)),
    });
    before = after;
  }
});
