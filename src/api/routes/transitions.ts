import { Type } from '@sinclair/typebox';
import { encode } from '../../common/json.ts';
import { ZoneTransitions, zoneTransitions } from '../../operations/dst.ts';
import type { Target } from '../../operations/target.ts';
import type { Targets } from '../parameters/targets.ts';
import { instantRange, lifetimeOfRange, type RequestedInstants, rangeIn } from '../parameters/timestamps.ts';
import { targetOrZones } from '../parameters/zone_lists.ts';
import { bulkOf, FailedEntry, type HandlerContext, jsonRoute, withDetails } from '../route.ts';

/** The maximum range for one zone; it is divided among several. */
const MAX_ZONE_YEARS = 200;
/** The maximum range for many zones. */
const MIN_YEARS = 5;
/** Zones are parsed on first use, in 0.14 ms each. */
export const ZONES_PER_SLICE = 8;

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
export function transitionsIn(
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
