import { Type } from '@sinclair/typebox';
import { ServiceError } from '../../common/service_error.ts';
import { type Target, zoneTarget } from '../../operations/target.ts';
import { TimezonePayload, zoneFacts, zonesWithOffsetOf } from '../../operations/timezone.ts';
import { timeJson } from '../../text/json_text.ts';
import type { ZoneDatabase } from '../../zones/zone_database.ts';
import { at } from '../answer.ts';
import { SignFlag, TARGET_PARAMETERS } from '../parameters/schemas.ts';
import { readSelector, rejectSeveralSelectors, TARGET_NAMES } from '../parameters/selector.ts';
import type { JsonRoute } from '../route.ts';

export const timezoneRoute: JsonRoute = {
  path: '/v1/timezone',
  summary: 'The zone of a place, and what holds there now',
  description:
    '`timezone` is the canonical name of the zone asked for, or of the zone that a place lies in: coordinates, or an ' +
    'address. An `offset` is answered with all zones that have it now.',
  query: Type.Object({ ...TARGET_PARAMETERS, sign: Type.Optional(SignFlag) }),
  answer: TimezonePayload,
  examples: [
    { title: 'By an older name', query: 'tz=Asia/Katmandu' },
    { title: 'Of coordinates', query: 'lat=48.8566&lon=2.3522' },
    { title: 'Of an address', query: 'ip=2.125.160.216' },
    { title: 'All zones with an offset', query: 'offset=%2B12:45' },
    { title: 'No selector', query: '' },
  ],
  prepare({ query, caller, services }) {
    rejectSeveralSelectors(query, TARGET_NAMES);
    const target = readSelector(query, TARGET_NAMES, services, caller);
    if (target === null) {
      throw new ServiceError(
        'MISSING_TARGET',
        "A selector is missing: give 'tz', 'ip', 'lat' and 'lon', 'offset' or 'auto_tz=true'",
      );
    }
    const { zones } = services;
    return at(
      query.has('offset') ? nowMs => offsetJson(nowMs, target, zones) : nowMs => zoneJson(nowMs, target),
    );
  },
};

function zoneJson(nowMs: number, target: Target): string {
  return timeJson(nowMs, target, null, zoneFacts(nowMs, target));
}

/** The answer for a fixed offset, with every zone that has it now. */
function offsetJson(nowMs: number, target: Target, zones: ZoneDatabase): string {
  const matches = zonesWithOffsetOf(target, nowMs, zones).map(zone => zoneJson(nowMs, zoneTarget(zone)));
  return `${zoneJson(nowMs, target).slice(0, -1)},"matching_zones":[${matches.join(',')}]}`;
}
