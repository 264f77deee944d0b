/**
 * The cost of the hot functions, and of lookups of a million random places and 100,000 place-name searches one by one, in a
 * separate process: prints a JSON object of nanoseconds by name.
 */
import { boundariesManifest, boundariesPath } from '../../data/boundaries/embedded.ts';
import { readHolidayPack } from '../../data/holidays/embedded.ts';
import { ipZonesPath } from '../../data/ip/embedded.ts';
import { placesManifest, placesPath } from '../../data/places/embedded.ts';
import { readZonePack } from '../../data/zones/embedded.ts';
import { countBusinessDays } from '../../src/holidays/business_days.ts';
import { HolidayCalendars } from '../../src/holidays/holiday_calendars.ts';
import { Query } from '../../src/http/query.ts';
import { diff } from '../../src/operations/spans.ts';
import { zoneTarget } from '../../src/operations/target.ts';
import { openBoundaries } from '../../src/places/boundaries.ts';
import { Gazetteer } from '../../src/places/gazetteer.ts';
import { parseAddress } from '../../src/places/ip_address.ts';
import { checkIpFile } from '../../src/places/mmdb_check.ts';
import { mmdbZones } from '../../src/places/mmdb_zones.ts';
import { createApp } from '../../src/server/app.ts';
import { readEmbeddedFile } from '../../src/server/embedded_file.ts';
import { signResponse } from '../../src/signing/signed_response.ts';
import { parseIsoTimestamp } from '../../src/text/iso_timestamp.ts';
import { compileStrftime } from '../../src/text/strftime.ts';
import { momentAt, timePayloadJson } from '../../src/text/time_payload.ts';
import { resolveLocalTime } from '../../src/zones/local_time.ts';
import { openZonePack } from '../../src/zones/zone_database.ts';
import { randomNumbers } from '../support/property.ts';
import { testServer } from '../support/service.ts';
import { sampleKey } from '../support/signing_keys.ts';
import { median } from './load.ts';

const NOW_MS = 1_776_274_247_123;
const NOW_SECONDS = 1_776_274_247;
const VARIETY = 8192;

const random = randomNumbers();
const some = <Value>(make: () => Value): Value[] => Array.from({ length: VARIETY }, make);
const between = (least: number, most: number) => Math.floor(least + random() * (most - least));

const zones = openZonePack(readZonePack());
const paris = zones.find('Europe/Paris')!;
const target = zoneTarget(paris);
const names = some(() => zones.names()[between(0, zones.names().length)]!);
const instants = some(() => between(0, 2_000_000_000));
const addresses = some(() => [0, 0, 0, 0].map(() => between(1, 224)).join('.'));
const places = some(() => [random() * 180 - 90, random() * 360 - 180] as const);

const boundaries = openBoundaries(await readEmbeddedFile(boundariesPath, boundariesManifest.sha256));
const ipReader = await checkIpFile(await Bun.file(ipZonesPath).bytes());
const ipZones = mmdbZones(ipReader, () => boundaries);
const taiwan = new HolidayCalendars(readHolidayPack()).calendar('TW', null);
const strftime = compileStrftime('%A, %d %B %Y %H:%M:%S %Z', 'format');
const moment = momentAt(NOW_MS, target);
const known = new Map(['iso', 'tz', 'source_tz', 'format', 'sign'].map(name => [name, { name, bits: 0 }]));
const key = { kid: 'ed25519-2026-04-15', privateKey: sampleKey(1).privateKey };
const body = timePayloadJson(NOW_MS, target);
const path = '/v1/time/current?tz=Europe/Paris&sign=true';
const app = createApp({ ...testServer(), now: Date.now });
const request = new Request('http://localhost/v1/time/current?tz=Europe/Paris');
const from = { epochMs: 0, frame: target };
const to = { epochMs: NOW_MS, frame: target };

/** The hot functions, each as a call for one part of a request. Each gets the number of the call, so that repeated calls need not do the same work. */
const FUNCTIONS: Readonly<Record<string, (call: number) => unknown>> = {
  'query of three parameters': () =>
    new Query('iso=2026-04-15T13:30:47&source_tz=America/New_York&tz=Asia/Tokyo', known),
  'zone by name': call => zones.find(names[call % VARIETY]!),
  'offset at the same instant': () => paris.periodAt(NOW_SECONDS),
  'offset at any instant': call => paris.periodAt(instants[call % VARIETY]!),
  'next change of a zone': () => paris.nextTransition(NOW_SECONDS),
  'local time to instant, any': call => resolveLocalTime(paris, instants[call % VARIETY]!, 'compatible'),
  'time as JSON, within a second': call => timePayloadJson(NOW_MS - (call % 100), target),
  'time as JSON, any second': call => timePayloadJson(instants[call % VARIETY]! * 1000, target),
  'ISO timestamp': () => parseIsoTimestamp('2026-04-15T13:30:47.123-04:00', 'iso'),
  'strftime, six directives': () => strftime.format(moment),
  'compile that pattern': () => compileStrftime('%A, %d %B %Y %H:%M:%S %Z', 'format'),
  'diff payload': () => diff(from, to, { businessDays: null, largestUnit: null, format: null }),
  'business days, 131 years of Taiwan': () => countBusinessDays([taiwan], 0, 47_846),
  'address to zone, the same': () => ipZones.zoneNameOf(parseAddress('8.8.8.8', 'ip')),
  'address to zone, any': call => ipZones.zoneNameOf(parseAddress(addresses[call % VARIETY]!, 'ip')),
  'place to zone, any': call => boundaries.zoneNameAt(...places[call % VARIETY]!),
  'signature of an answer': () => signResponse(key, { status: 200, method: 'GET', path, body }, NOW_SECONDS),
  'whole request but the socket': () => app.handle(request),
};

const BATCHES = 15;
const BATCH_MICROSECONDS = 20_000;
const WARMING_CALLS = 20_000;

/** Holds results, so that their computation cannot be optimized away. */
export let kept: unknown;

async function repeat(call: (index: number) => unknown, calls: number): Promise<void> {
  const isAsync = call(0) instanceof Promise;
  if (isAsync) for (let index = 0; index < calls; index++) kept = await call(index);
  else for (let index = 0; index < calls; index++) kept = call(index);
}

async function cpuMicroseconds(call: (index: number) => unknown, calls: number): Promise<number> {
  const before = process.cpuUsage();
  await repeat(call, calls);
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

async function nanosecondsOf(call: (index: number) => unknown): Promise<number> {
  await repeat(call, WARMING_CALLS);
  let calls = 100;
  while ((await cpuMicroseconds(call, calls)) < BATCH_MICROSECONDS) calls *= 2;
  const batches: number[] = [];
  for (let batch = 0; batch < BATCHES; batch++) batches.push(await cpuMicroseconds(call, calls));
  return (median(batches) * 1000) / calls;
}

const LOOKUPS = 1_000_000;
const SEARCHES = 100_000;
const MAX_PLACES = 50;

const pack = await readEmbeddedFile(placesPath, placesManifest.sha256);
const gazetteer = new Gazetteer(await Bun.zstdDecompress(pack.subarray(0, pack.length)));
const below = (limit: number) => Math.floor(random() * limit);

/** Letters with roughly their frequency in names. */
const LETTERS = 'aaaaaeeeeiiiinnnnrrrrooooslltttuumdhkgcbpvyzjwf   ';
/** One to eight letters, as typed on the way to a name, mostly with typos. */
function typed(): string {
  return Array.from({ length: 1 + below(8) }, () => LETTERS[below(LETTERS.length)]).join('');
}

/** The nanoseconds of each of some calls, sorted. */
function sortedTimes<Argument>(count: number, make: () => Argument, work: (argument: Argument) => void) {
  const nanoseconds = new Float64Array(count);
  for (let index = 0; index < count; index++) {
    const argument = make();
    const startMs = performance.now();
    work(argument);
    nanoseconds[index] = (performance.now() - startMs) * 1e6;
  }
  return nanoseconds.sort();
}

function quantiles(name: string, nanoseconds: Float64Array): Record<string, number> {
  const quantile = (part: number) => nanoseconds[Math.floor(nanoseconds.length * part)]!;
  return {
    [`${name}, median`]: quantile(0.5),
    [`${name}, 99 %`]: quantile(0.99),
    [`${name}, 99.9 %`]: quantile(0.999),
  };
}

const anywhere = () => [random() * 180 - 90, random() * 360 - 180] as const;
const zoneLookups = sortedTimes(LOOKUPS, anywhere, place => boundaries.zoneNameAt(...place));
const searches = sortedTimes(SEARCHES, typed, text => gazetteer.search(text, MAX_PLACES));
const resolutions = sortedTimes(SEARCHES, typed, text => gazetteer.resolve(text, 10));
const costs: Record<string, number> = {};
for (const [name, call] of Object.entries(FUNCTIONS)) costs[name] = await nanosecondsOf(call);
console.log(
  JSON.stringify({
    ...costs,
    ...quantiles('place to zone, of a million', zoneLookups),
    ...quantiles('search for a place, of 100,000', searches),
    ...quantiles('place by name, of 100,000', resolutions),
  }),
);
