import { Type } from '@sinclair/typebox';
import { encode } from '../../common/json.ts';
import { zoneDetails } from '../../operations/details.ts';
import { zoneTarget } from '../../operations/target.ts';
import { ZoneListing, zoneListing, zonesOf } from '../../operations/timezone.ts';
import { timestamp } from '../parameters/timestamps.ts';
import { country } from '../parameters/zone_lists.ts';
import { jsonRoute } from '../route.ts';
import { jsonArrayOf, withDetails } from '../time_response.ts';

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
