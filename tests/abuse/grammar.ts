/** The values that parameters take, as a grammar: well-formed, nearly well-formed and arbitrary ones. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readZonePack } from '../../data/zones/embedded.ts';
import { STYLE_NAMES } from '../../src/clock/styles/styles.ts';
import { ROLLS } from '../../src/holidays/business_days.ts';
import { CALENDAR_UNITS } from '../../src/operations/spans.ts';
import { openZonePack } from '../../src/zones/zone_database.ts';
import { fc } from '../support/property.ts';

/** A parameter and its value, before they are escaped. */
export type Pair = readonly [name: string, value: string];

/** The Big List of Naughty Strings. */
export const NAUGHTY = JSON.parse(
  readFileSync(join(import.meta.dir, '../fixtures/strings/naughty-strings.json'), 'utf8'),
) as string[];

const twoDigits = (most: number, least = 0) =>
  fc.integer({ min: least, max: most }).map(value => `${value}`.padStart(2, '0'));
const joined = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map(texts => texts.join(''));
const maybe = (part: fc.Arbitrary<string>) => fc.oneof(fc.constant(''), part);
const whole = (limit: number) => fc.integer({ min: -limit, max: limit }).map(String);
const degrees = (limit: number) =>
  fc.integer({ min: -limit * 1000, max: limit * 1000 }).map(thousandths => `${thousandths / 1000}`);
const list = (entry: fc.Arbitrary<string>) =>
  fc.array(entry, { minLength: 2, maxLength: 4 }).map(entries => entries.join(','));

export const zone = fc
  .constantFrom(...openZonePack(readZonePack()).names())
  .chain(name => fc.constantFrom(name, name.toLowerCase(), name.toUpperCase()));
/** Addresses in the test database. */
export const address = fc.constantFrom(
  '2.125.160.216',
  '89.160.20.112',
  '2001:218::',
  '::ffff:2.125.160.216',
);
export const latitude = degrees(90);
export const longitude = degrees(180);
export const offset = joined(fc.constantFrom('+', '-', ' '), twoDigits(23), fc.constant(':'), twoDigits(59));
const flag = fc.constantFrom('true', 'false');
/** Seconds of the years 1 to 9998, so that no zone or amount leads out of the four-digit years. */
export const unix = fc.integer({ min: -62_100_000_000, max: 253_300_000_000 }).map(String);
export const unixMs = unix.chain(seconds => twoDigits(99).map(digits => `${seconds}${digits}7`));

const date = fc.oneof(
  joined(
    fc.integer({ min: 1000, max: 9000 }).map(String),
    fc.constant('-'),
    twoDigits(12, 1),
    fc.constant('-'),
    twoDigits(28, 1),
  ),
  joined(fc.integer({ min: 1000, max: 9000 }).map(String), twoDigits(12, 1), twoDigits(28, 1)),
  joined(
    fc.constantFrom('+00', '-00'),
    fc.integer({ min: 1000, max: 9000 }).map(String),
    fc.constant('-01-01'),
  ),
  fc.constantFrom('2026-W16-3', '2026-105', '2024-02-29', '1883-11-18', '2011-12-30'),
);
const extendedClock = joined(
  twoDigits(23),
  fc.constant(':'),
  twoDigits(59),
  maybe(
    joined(
      fc.constant(':'),
      twoDigits(60),
      maybe(joined(fc.constantFrom('.', ','), twoDigits(99), twoDigits(99))),
    ),
  ),
);
const basicDate = joined(
  fc.integer({ min: 1000, max: 9000 }).map(String),
  twoDigits(12, 1),
  twoDigits(28, 1),
);
const extendedDate = date.filter(text => !/^\d{8}$/.test(text));
/** A wall-clock time without offset. */
export const localIso = fc.oneof(
  extendedDate,
  joined(extendedDate, fc.constantFrom('T', 't', ' '), extendedClock),
  joined(basicDate, fc.constant('T'), twoDigits(23), maybe(joined(twoDigits(59), maybe(twoDigits(60))))),
);
const bracket = fc.oneof(
  zone.map(name => `[${name}]`),
  fc.constant('[+05:30]'),
  fc.constant('[Asia/Tokyo][u-ca=japanese]'),
);
const localTime = localIso.filter(text => text.includes(':'));
/** A time with an offset, `Z` or a zone in brackets. */
export const fixedIso = fc.oneof(
  joined(localTime, fc.constantFrom('Z', 'z', '+00:00', '-05:00', '+05:45')),
  joined(localTime, bracket),
);

/** Patterns without `%c` and `%s` with widths, so that every result stays short. */
export const strftime = fc
  .array(
    fc.oneof(
      fc.constantFrom(...'aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ%'.split('').map(letter => `%${letter}`)),
      fc.constantFrom(
        '%:z',
        '%::z',
        '%3N',
        '%f',
        '%-d',
        '%_5Y',
        '%^a',
        '%Ey',
        '%Od',
        '%010Y',
        ' at ',
        'ü',
        '%%',
      ),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map(parts => parts.join(''));
export const durationFormat = fc
  .array(fc.constantFrom('%days', '%hours', '%minutes', '%seconds', '%%', ' h, ', 'd'), { minLength: 1 })
  .map(parts => parts.join(''));
/** ISO 8601 durations of at most some decades. */
export const duration = joined(
  fc.constantFrom('P', '-P', '+P', ' p'),
  fc.nat(30).map(years => `${years}Y`),
  fc.constantFrom('', '14M', '5W', '3M2W40D'),
  fc.constantFrom('', 'T36H', 't1H90M7.5S', 'T0,000000001S'),
);
export const specifier = fc.oneof(
  fc.constant('now'),
  unix.map(value => `unix=${value}`),
  unixMs.map(value => `unix_ms=${value}`),
  fixedIso.map(value => `iso=${value}`),
  zone.map(value => `tz=${value}`),
  address.map(value => `ip=${value}`),
  offset.map(value => `offset=${value}`),
);
export const country = fc.constantFrom('DE', 'de', 'US', 'SA', 'IL', 'TW', 'NZ');
/** Texts of `opening_hours` without public holidays. */
export const schedule = fc
  .array(
    fc.constantFrom(
      'Mo-Fr 09:00-17:30',
      'Sa-Mo 22:00-06:00',
      '24/7',
      'We off',
      'Dec 24,31 09:00-12:00',
      '12:00-13:00 off',
      'Feb 29',
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map(rules => rules.join('; '));
export const workDuration = joined(
  maybe(fc.constantFrom('-', ' ')),
  fc.constant('PT'),
  fc.integer({ min: 0, max: 9999 }).map(hours => `${hours}H`),
  maybe(fc.constantFrom('7M', '1.5S', '3M2S')),
);
export const cron = joined(
  fc.constantFrom('0', '*/15', '1-59/7'),
  fc.constantFrom(' 9 ', ' * ', ' 1,2,3 '),
  fc.constantFrom('* * mon-fri', '29 2 *', '13 * 5', '* 1-6 0'),
);
export const rrule = joined(
  fc.constantFrom('DTSTART:20260228T023000', 'DTSTART;VALUE=DATE:20240229'),
  fc.constant('\nRRULE:FREQ='),
  fc.constantFrom('YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY'),
  maybe(fc.constantFrom(';INTERVAL=3', ';COUNT=7', ';BYMONTH=1,2,3')),
  maybe(fc.constantFrom(';BYDAY=MO,TU', ';WKST=SU')),
);
/** Calendars of subdivisions, and lists. */
const calendars = list(fc.constantFrom('DE-BY', 'de', 'US', 'GB', 'SA', 'MY-01'));

const VALUES = new Map<string, fc.Arbitrary<string>>(
  Object.entries({
    tz: fc.oneof(zone, list(zone)),
    ip: fc.oneof(address, list(address)),
    lat: latitude,
    lon: longitude,
    offset: fc.oneof(offset, list(offset)),
    unix,
    unix_ms: unixMs,
    iso: fc.oneof(localIso, fixedIso),
    format: fc.oneof(strftime, durationFormat),
    from: fc.oneof(
      specifier,
      fixedIso.map(text => text.slice(0, 10)),
    ),
    to: fc.oneof(
      specifier,
      fixedIso.map(text => text.slice(0, 10)),
    ),
    days: whole(1000),
    hours: whole(100_000),
    minutes: whole(100_000_000),
    seconds: whole(1_000_000_000),
    duration,
    business_days: fc.oneof(flag, whole(1_000_000)),
    roll: fc.constantFrom(...ROLLS),
    largest_unit: fc.constantFrom(...CALENDAR_UNITS),
    holiday_country: fc.oneof(country, calendars),
    country: fc.oneof(country, calendars),
    lang: fc.constantFrom('de', 'en-GB', 'ja', 'zh-Hant-HK'),
    holiday_subdivision: fc.constantFrom('BY', 'by', 'ca', 'OTA'),
    subdivision: fc.constantFrom('BY', 'by', 'ca', 'OTA'),
    tzdata: fc.constantFrom('2016a', '2024a', '2026c', '2026f', '2015a'),
    year: fc.integer({ min: 1970, max: 2100 }).map(String),
    kid: fc.constantFrom('ed25519-2026-04-01', 'ed25519-2026-04-02'),
    style: fc.constantFrom(...STYLE_NAMES),
    schedule,
    cron,
    rrule,
    count: fc.integer({ min: 1, max: 1000 }).map(String),
    disambiguation: fc.constantFrom('compatible', 'earlier', 'later', 'reject'),
  }),
);

/** Well-formed values of a parameter; flags for one that the grammar does not know. */
function valuesOf(name: string): fc.Arbitrary<string> {
  return VALUES.get(name) ?? VALUES.get(name.replace(/^(from|to|(compare_)?(source)?)_?/, '')) ?? flag;
}

/** A value with one change: a character inserted, deleted or replaced, or a part repeated. */
function spoilt(value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const character = fc.oneof(
    fc.constantFrom(...' ,:;+-./%=&[]TZz0918\0\n"\'<'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  );
  return fc.tuple(value, fc.nat(9999), fc.nat(3), character).map(([text, part, kind, other]) => {
    const at = Math.floor((part / 10_000) * (text.length + 1));
    const rest = text.slice(at);
    return text.slice(0, at) + [other + rest, rest.slice(1), other + rest.slice(1), rest + text][kind]!;
  });
}

/** Values at the limits of what is accepted. */
const EDGES = [
  ...['', ',', 'true', '8640000000000', '8640000000001', '-8640000000000000', '99999999999999999999', '1e3'],
  ...['0x10', '-0', '+0', '-271821-04-20T00:00:00Z', '+275760-09-13T00:00:00Z'],
  ...['+275760-09-13T00:00:00.001Z', '2026-03-08T02:30', '2026-02-29', '-23:59', '90.0000000000000000001'],
  ...['-180', '1.1.1.256', '::ffff:0:0', 'fe80::1%eth0', '%', '%999999999Y', '%::::z'],
  'a'.repeat(5000),
  '%Y'.repeat(128),
  Array(101).fill('UTC').join(','),
  'iso=iso=2026-01-01',
  '__proto__',
  'constructor',
  '\ud800',
];

const anything = fc.oneof(
  fc.constantFrom(...EDGES),
  fc.constantFrom(...NAUGHTY),
  fc.string({ unit: 'binary', maxLength: 60 }),
);

/** Any value of a parameter: mostly well formed, to get past validation. */
export function mixedValue(name: string): fc.Arbitrary<string> {
  const value = valuesOf(name);
  return fc.oneof(
    { weight: 6, arbitrary: value },
    { weight: 3, arbitrary: spoilt(value) },
    { weight: 2, arbitrary: anything },
  );
}

/** Ways to write a value into a query string; the later ones are unusual, but all are decoded. */
const ESCAPES: readonly ((value: string) => string)[] = [
  value => encodeURIComponent(value.toWellFormed()),
  value => encodeURIComponent(value.toWellFormed()),
  value => new URLSearchParams({ v: value }).toString().slice(2),
  value => encodeURIComponent(value.toWellFormed()).replace(/%[0-9A-F]{2}/g, octet => octet.toLowerCase()),
  value => value.toWellFormed(),
  value => Buffer.from(value, 'latin1').toString('hex').replace(/../g, '%$&'),
  value => encodeURIComponent(value.toWellFormed()).replace(/.$/, ''),
];

/** A query string of a route's parameters and others, some repeated, escaped in any way. */
export function mixedQuery(names: readonly string[]): fc.Arbitrary<string> {
  const name = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...names) },
    { weight: 1, arbitrary: fc.constantFrom('timezone', 'TZ', '', 'utc', '__proto__', 'ü', '\r\n', 'tz ') },
  );
  const pair = name.chain(known =>
    fc
      .tuple(mixedValue(known), fc.constantFrom(...ESCAPES))
      .map(([value, escaped]) => `${encodeURIComponent(known)}=${escaped(value)}`),
  );
  return fc.array(pair, { maxLength: 6 }).map(pairs => pairs.join('&'));
}

/** A valid query string. */
export function queryOf(pairs: readonly Pair[]): string {
  return new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString();
}
