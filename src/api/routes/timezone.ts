import { encode, jsonArray, withMember } from '../../common/json.ts';
import { zoneTarget } from '../../operations/target.ts';
import { TimezonePayload, zoneFacts, zonesWithOffsetOf } from '../../operations/timezone.ts';
import { language } from '../parameters/rendering.ts';
import { requiredTarget } from '../parameters/targets.ts';
import { timestamp } from '../parameters/timestamps.ts';
import { jsonRoute, ofTimestamp } from '../route.ts';
import { timeResponse } from '../time_response.ts';

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
