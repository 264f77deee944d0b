import { Type } from '@sinclair/typebox';
import { encode, jsonArray, withMember } from '../../common/json.ts';
import { zoneDetails } from '../../operations/details.ts';
import { zoneTarget } from '../../operations/target.ts';
import {
  TimezonePayload,
  ZoneListing,
  zoneFacts,
  zoneListing,
  zonesOf,
  zonesWithOffsetOf,
} from '../../operations/timezone.ts';
import { language } from '../parameters/rendering.ts';
import { requiredTarget } from '../parameters/targets.ts';
import { timestamp } from '../parameters/timestamps.ts';
import { country } from '../parameters/zone_lists.ts';
import { jsonArrayOf, jsonRoute, ofTimestamp, timeResponse, withDetails } from '../route.ts';

export const timezoneRoute = jsonRoute({
  path: '/v1/timezone',
  summary: 'The zone of a place, with its time and offset now or at an instant',
  description:
    '`timezone` is the canonical name of the selected zone: that of the given name, coordinates or address. For an `offset`, ' +
    'the response lists all zones that have it now or at the instant of a timestamp.',
  parameters: { instant: timestamp, target: requiredTarget, lang: language },
  payload: TimezonePayload,
  lifetime: ofTimestamp,
  reads: ['zones'],
  examples: [
    { title: 'By an older name', query: 'tz=Asia/Katmandu' },
    { title: 'By coordinates', query: 'lat=48.8566&lon=2.3522' },
    { title: 'By city', query: 'place=Portland, US-ME' },
    { title: 'An ambiguous city', query: 'place=Portland', fails: true },
    { title: 'By IP address', query: 'ip=2.125.160.216' },
    { title: 'All zones with an offset', query: 'offset=%2B12:45' },
    { title: 'At an instant', query: 'iso=1985-07-01&tz=Europe/Lisbon' },
    { title: 'No selector', query: '' },
  ],
  handle({ instant, target, lang: names }, context) {
    const rendering = { format: null, names };
    const epochMs = instant?.epochMs ?? context.nowMs;
    const json = timeResponse(epochMs, target, rendering, encode(zoneFacts(epochMs, target)), context);
    if (target.zone !== null) return json; // only an offset has no zone
    const matching = zonesWithOffsetOf(target, epochMs, context.snapshot.zones).map(zone => {
      const match = zoneTarget(zone);
      return timeResponse(epochMs, match, rendering, encode(zoneFacts(epochMs, match)), {
        commonDetails: null,
      });
    });
    return withMember(json, 'matching_zones', jsonArray(matching));
  },
});

export const timezonesRoute = jsonRoute({
  path: '/v1/timezones',
  summary: 'All zones, or those of a country',
  description:
    'Lists the canonical zones in `zone.tab` and `UTC`, each with its offset now or at the instant of a timestamp.',
  parameters: { country, instant: timestamp },
  payload: Type.Array(ZoneListing),
  lifetime: ({ instant }) => (instant === null ? 'transition' : 'fixed'),
  reads: ['zones'],
  examples: [
    { title: 'By country', query: 'country=NZ' },
    { title: 'At an instant', query: 'country=PT&iso=1970-01-01' },
    { title: 'Not a country', query: 'country=ZZ' },
  ],
  handle({ country, instant }, context) {
    const epochMs = instant?.epochMs ?? context.nowMs;
    const zones = zonesOf(country, context.snapshot.zones);
    if (context.commonDetails === null) return encode(zones.map(zone => zoneListing(zone, epochMs)));
    return jsonArrayOf(zones, zone =>
      withDetails(encode(zoneListing(zone, epochMs)), context, () => ({
        zone: zoneDetails(epochMs, zoneTarget(zone)),
      })),
    );
  },
});
