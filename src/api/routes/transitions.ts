import { Type } from '@sinclair/typebox';
import { whenReady } from '../../common/caching.ts';
import { ServiceError } from '../../common/errors.ts';
import { encode } from '../../common/json.ts';
import { rejectSeveral } from '../../http/query.ts';
import { Transition } from '../../operations/details.ts';
import { ZoneTransitions, zoneTransitions } from '../../operations/local_times.ts';
import { dataSets } from '../../operations/served_data.ts';
import { type Target, zoneTarget } from '../../operations/target.ts';
import { zonesOf } from '../../operations/timezone.ts';
import { CSV_TYPE, csvLine } from '../../text/csv.ts';
import { CountryText, flagSchema, group, type InputFactory, parsedValue } from '../parameters/input.ts';
import { countryCode } from '../parameters/names.ts';
import {
  ONE_TARGET,
  type Selection,
  suppliedTarget,
  type Targets,
  zoneTargets,
} from '../parameters/targets.ts';
import { instantRange, lifetimeOfRange, type RequestedInstants, rangeIn } from '../parameters/timestamps.ts';
import {
  bulkOf,
  FailedEntry,
  type HandlerContext,
  jsonRoute,
  textRoute,
  textsOf,
  withDetails,
} from '../route.ts';

const ZONES = dataSets('zones');

/** One target, or several: those of a list in `tz`, the zones of `country`, or with `all=true` all canonical zones. */
const targetOrZones: InputFactory<Targets> = group({
  parameters: {
    ...zoneTargets.parameters,
    country: { ...CountryText, description: 'ISO 3166-1 alpha-2 code: all zones of the country.' },
    all: flagSchema('All zones listed by `/v1/timezones`.'),
  },
  reads: zoneTargets.reads,
  readsIn: (query, selected: Selection | null, snapshot, value) =>
    selected === null ? ZONES : zoneTargets.readsIn(query, selected, snapshot, value),
  select(query) {
    const others = ['country', 'all'].filter(name =>
      name === 'all' ? query.hasFlag(name) : query.has(name),
    );
    const selector = suppliedTarget(query);
    rejectSeveral(selector === undefined ? others : [selector, ...others], ONE_TARGET);
    return zoneTargets.select(query);
  },
  decode(query, context, selected) {
    return whenReady(zoneTargets.decode(query, context, selected), targets => {
      const code = parsedValue(query, 'country', (text, name) => countryCode(text, name, context));
      const isAll = query.flag('all');
      if (targets !== null) return targets;
      if (code !== null || isAll) return zonesOf(code, context.snapshot.zones).map(zoneTarget);
      throw new ServiceError(
        'MISSING_TARGET',
        "A target is missing: give a selector such as 'tz', 'country' or 'all=true'",
      );
    });
  },
});

/** The maximum range for one zone; it is divided among several. */
const MAX_ZONE_YEARS = 200;
/** The maximum range for many zones. */
const MIN_YEARS = 5;
/** Zones are parsed on first use, in 0.14 ms each. */
const ZONES_PER_SLICE = 8;

export const transitionsRoute = jsonRoute({
  path: '/v1/time/transitions',
  summary: 'The clock changes of one or more zones in a range',
  description:
    'All changes of the clock or the DST flag at or after `from` and before `to`. If only one of them is given, the range is the ' +
    `year from or up to it; without either, the current year. The range is at most ${MAX_ZONE_YEARS} years for one zone, divided by ` +
    `the number of zones, but at least ${MIN_YEARS} years. A list in \`tz\` returns an array in the order of the list; ` +
    '`country` and `all=true` return an array sorted by name.',
  parameters: { targets: targetOrZones, range: instantRange },
  payload: Type.Union([
    ZoneTransitions,
    Type.Array(Type.Union([ZoneTransitions, FailedEntry]), {
      description: 'For a list, a country or all zones: an element for each.',
    }),
  ]),
  lifetime: lifetimeOfRange,
  examples: [
    { title: 'This year', query: 'tz=Europe/Paris' },
    { title: 'A year from a date', query: 'tz=Europe/Paris&from=2028-01-01' },
    { title: 'A range of dates', query: 'tz=Africa/Casablanca&from=2025-01-01&to=2026-01-01' },
    { title: 'Several zones', query: 'tz=America/New_York,Asia/Tokyo&from=2026-03-01&to=2026-04-01' },
    { title: 'A country', query: 'country=NZ&from=2026-01-01&to=2027-01-01' },
    { title: 'Too long', query: 'all=true&from=2020-01-01&to=2030-01-01' },
  ],
  handle({ targets, range }, context) {
    const transitionsOf = transitionsIn(range, targets, context);
    const payloadOf = (target: Target) => withDetails(encode(transitionsOf(target)), context);
    return bulkOf(targets, context, payloadOf, ZONES_PER_SLICE);
  },
});

/** Returns a function that lists the changes of a target in the range. */
function transitionsIn(
  range: RequestedInstants,
  targets: Targets,
  context: Pick<HandlerContext, 'nowMs'>,
): (target: Target) => ZoneTransitions {
  const count = 'periodAt' in targets ? 1 : targets.length;
  const maxYears = Math.max(MIN_YEARS, Math.floor(MAX_ZONE_YEARS / count));
  return target =>
    zoneTransitions(
      target,
      rangeIn(target, range, maxYears, () => context.nowMs),
    );
}

const TRANSITION_COLUMNS = Object.keys(Transition.properties) as (keyof typeof Transition.properties)[];

export const transitionsTableRoute = textRoute({
  path: '/v1/time/transitions.csv',
  summary: 'The clock changes of one or more zones, as CSV',
  description: 'The changes of `/v1/time/transitions` in CSV (RFC 4180), one row per change.',
  contentType: CSV_TYPE,
  parameters: { targets: targetOrZones, range: instantRange },
  lifetime: lifetimeOfRange,
  examples: [
    { title: 'This year', query: 'tz=Europe/Paris' },
    { title: 'Several zones', query: 'tz=America/New_York,Asia/Tokyo&from=2026-03-01&to=2026-04-01' },
    { title: 'Too long', query: 'all=true&from=2020-01-01&to=2030-01-01' },
  ],
  handle({ targets, range }, context) {
    const transitionsOf = transitionsIn(range, targets, context);
    const rowsOf = (target: Target) => {
      const { timezone, transitions } = transitionsOf(target);
      return transitions.map(change =>
        csvLine([timezone, ...TRANSITION_COLUMNS.map(column => change[column])]),
      );
    };
    const texts = textsOf(foundOf(targets), target => rowsOf(target).join(''), ZONES_PER_SLICE);
    const header = csvLine(['timezone', ...TRANSITION_COLUMNS]);
    return whenReady(texts, rows => header + rows.join(''));
  },
});

/** The targets of a request; throws the error of an entry that fails, which a table cannot represent. */
function foundOf(targets: Targets): readonly Target[] {
  if ('periodAt' in targets) return [targets];
  return targets.map(entry => {
    if ('error' in entry) throw entry.error;
    return entry;
  });
}
