/** Valid requests, generated from the contract: the response to each must be 200. */
import { STYLE_NAMES } from '../../src/clock/styles/styles.ts';
import { dateText } from '../../src/common/iso_text.ts';
import { ROLLS } from '../../src/holidays/business_days.ts';
import { CALENDAR_UNITS } from '../../src/operations/spans.ts';
import { fc } from '../support/property.ts';
import {
  address,
  country,
  cron,
  duration,
  durationFormat,
  fixedIso,
  latitude,
  localIso,
  longitude,
  mixedValue,
  offset,
  type Pair,
  rrule,
  schedule,
  specifier,
  strftime,
  unix,
  unixMs,
  workDuration,
  zone,
} from './grammar.ts';

type Pairs = fc.Arbitrary<readonly Pair[]>;

const one = (name: string, value: fc.Arbitrary<string>): Pairs => value.map(text => [[name, text]]);
const none: Pairs = fc.constant([]);
const maybe = (pairs: Pairs): Pairs => fc.oneof(none, pairs);
const all = (...parts: Pairs[]): Pairs => fc.tuple(...parts).map(list => list.flat());
const flag = (name: string): Pairs => maybe(fc.constant([[name, 'true']]));
const list = (entry: fc.Arbitrary<string>) =>
  fc.array(entry, { minLength: 1, maxLength: 5 }).map(entries => entries.join(','));

/** Names of cities that each have one zone. */
const city = fc.constantFrom('Munich', 'Portland, US-ME', 'Perth, GB', 'são paulo', '東京');
/** A place: one family of selectors. */
const place = (prefix = ''): Pairs =>
  fc.oneof(
    one(`${prefix}tz`, zone),
    one(`${prefix}ip`, address),
    one(`${prefix}offset`, offset),
    one(`${prefix}place`, city),
    all(one(`${prefix}lat`, latitude), one(`${prefix}lon`, longitude)),
  );
const places = fc.oneof(
  place(),
  one('tz', list(zone)),
  one('ip', list(address)),
  one('offset', list(offset)),
  one('place', fc.constant('Munich;Perth, GB')),
);
const utc: Pairs = fc.constant([['utc', 'true']]);

/** A timestamp: one form, and for a local one perhaps a hint. */
const timestamp = (prefix = ''): Pairs =>
  fc.oneof(
    one(`${prefix}unix`, unix),
    one(`${prefix}unix_ms`, unixMs),
    one(`${prefix}iso`, fixedIso),
    all(one(`${prefix}iso`, localIso), maybe(place(`${prefix}source_`))),
  );

/** One end of `diff`. */
const end = (name: string): Pairs =>
  fc.oneof(
    one(name, specifier),
    all(
      one(
        name,
        localIso.map(text => `iso=${text}`),
      ),
      maybe(place(`${name}_`)),
    ),
  );

const amounts = all(
  one('days', fc.integer({ min: -99, max: 99 }).map(String)),
  maybe(
    one(
      'seconds',
      fc.integer({ min: -1e6, max: 1e6 }).map(value => `${value}`),
    ),
  ),
);
const businessDays = all(
  one(
    'business_days',
    fc.integer({ min: -9999, max: 9999 }).map(count => `${count || 1}`),
  ),
  maybe(one('roll', fc.constantFrom(...ROLLS))),
);
const addition = fc.oneof(amounts, one('duration', duration), businessDays);
const format = maybe(one('format', strftime));
const durations = all(
  maybe(one('format', durationFormat)),
  flag('business_days'),
  maybe(one('largest_unit', fc.constantFrom(...CALENDAR_UNITS))),
);
/** A range in the years of the holidays. */
const datesWithin = (maxDays: number, from = 'from', to = 'to'): Pairs =>
  fc.tuple(fc.nat(44_000), fc.nat(maxDays)).map(([firstDay, days]) => [
    [from, dateText(firstDay)],
    [to, dateText(firstDay + days)],
  ]);
/** Ten years at most. */
const dates = datesWithin(3651);

/** The ends of a range that is not too long. */
const instantOf2026 = fc
  .integer({ min: 1_767_225_600, max: 1_798_761_600 })
  .map(seconds => `unix=${seconds}`);

/** Recent releases: older ones lack some zones. */
const release = fc.constantFrom('2025b', '2025c', '2026a', '2026c', '2026f');
/** A request that may name a release. No release's sources have `Factory`. */
const ofRelease = (...parts: Pairs[]): Pairs =>
  all(...parts, maybe(one('tzdata', release))).filter(
    pairs =>
      !(pairs.some(([name]) => name === 'tzdata') && pairs.some(([, value]) => /factory/i.test(value))),
  );

const transitions = all(
  fc.oneof(place(), one('tz', list(zone)), one('country', country)),
  // Five years, allowed for any number of zones.
  maybe(datesWithin(1825)),
);

/** By route; parameters of all routes are added below. */
const REQUESTS: Readonly<Record<string, Pairs>> = {
  '/v1/time/current': ofRelease(maybe(places), format),
  '/v1/time/convert': ofRelease(timestamp(), fc.oneof(places, utc), format),
  '/v1/time/diff': all(end('from'), end('to'), durations),
  '/v1/time/add': all(maybe(timestamp()), addition, maybe(fc.oneof(place(), utc)), format),
  '/v1/time/calendar': all(maybe(timestamp()), maybe(place()), flag('week'), format),
  '/v1/time/dst': all(maybe(timestamp()), maybe(place()), flag('next'), format),
  '/v1/time/elapsed': all(timestamp(), maybe(fc.oneof(timestamp('compare_'), place())), durations),
  '/v1/time/transitions': transitions,
  '/v1/timezone': all(maybe(timestamp()), place()),
  '/v1/timezones': ofRelease(maybe(timestamp()), maybe(one('country', country))),
  '/v1/abbreviations': all(
    one('name', fc.constantFrom('IST', 'bst', 'EST', '+03', 'CST')),
    maybe(timestamp()),
  ),
  '/v1/places': all(
    one('q', fc.constantFrom('mun', 'S', 'são p', 'lodnon', 'Perth, GB', '東')),
    maybe(one('limit', fc.constantFrom('1', '50'))),
  ),
  '/v1/tzdata': none,
  '/v1/tzdata/changes': all(
    one('from', fc.constantFrom('2016a', '2019c', '2025b')),
    one('to', release),
    maybe(one('tz', fc.constantFrom('Europe/Kyiv', 'america/havana', 'UTC'))),
    maybe(
      fc.oneof(
        one('after', fc.oneof(localIso, fixedIso)),
        one('before', fc.oneof(localIso, fixedIso)),
        datesWithin(3651, 'after', 'before'),
      ),
    ),
  ),
  '/v1/holidays': maybe(
    all(one('country', country), maybe(one('year', fc.integer({ min: 1970, max: 2100 }).map(String)))),
  ),
  '/v1/work/status': all(one('schedule', schedule), maybe(timestamp()), maybe(places)),
  '/v1/work/add': all(
    one(
      'schedule',
      schedule.map(text => `Mo-Su 08:00-20:00; ${text}`),
    ),
    one('duration', workDuration),
    maybe(timestamp()),
    maybe(fc.oneof(place(), utc)),
    format,
  ),
  '/v1/work/diff': all(
    one('schedule', schedule),
    one('from', instantOf2026),
    one('to', instantOf2026),
    maybe(place()),
  ),
  '/v1/work/days': all(dates, maybe(one('holiday_country', country))),
  '/v1/recurrence': all(
    fc.oneof(one('cron', cron), one('rrule', rrule)),
    maybe(one('from', fc.oneof(localIso, fixedIso))),
    maybe(one('count', fc.integer({ min: 1, max: 40 }).map(String))),
    maybe(place()),
  ),
  '/v1/time/current.txt': ofRelease(maybe(places)),
  '/v1/time/transitions.csv': transitions,
  '/v1/timezone.ics': ofRelease(place()),
  '/v1/timezones.csv': ofRelease(maybe(timestamp()), maybe(one('country', country))),
  '/v1/holidays.ics': one('country', country),
  '/v1/holidays.csv': all(one('country', country), dates),
};

const style = fc.constantFrom(...STYLE_NAMES);
const clock = all(one('style', style), maybe(timestamp()), maybe(place()), format);

/** The routes, each with its parameters; only clocks are never signed. */
export const WELL_FORMED: readonly (readonly [path: string, request: Pairs])[] = [
  ...Object.entries(REQUESTS).map(([path, pairs]) => [path, all(pairs, flag('sign'))] as const),
  ['/v1/time/clock', clock],
  ['/v1/time/clock.svg', all(one('style', style), maybe(place()))],
  ['/embed/clock', all(one('style', style), maybe(place()))],
  ['/embed/board', all(one('style', style), one('place', fc.constantFrom('Munich', 'Munich;Perth, GB')))],
  [
    '/oembed',
    one(
      'url',
      style.map(name => `/embed/clock?style=${name}`),
    ),
  ],
];

/** Requests with one possibly invalid value: they get further than random mixtures. */
export function withOneFault(request: Pairs): Pairs {
  return request.chain(pairs => {
    if (pairs.length === 0) return fc.constant(pairs);
    return fc.nat(pairs.length - 1).chain(index => {
      const [name] = pairs[index]!;
      return mixedValue(name).map(value => pairs.with(index, [name, value]));
    });
  });
}
