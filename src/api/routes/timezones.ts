import { Type } from '@sinclair/typebox';
import { quoted, unreadable } from '../../common/errors.ts';
import { encode, jsonArray, objectSchema, withMember } from '../../common/json.ts';
import { zoneDetails } from '../../operations/details.ts';
import { type Target, zoneTarget } from '../../operations/target.ts';
import { timeZoneCalendar } from '../../operations/time_zone_component.ts';
import {
  AbbreviationCandidate,
  abbreviationCandidates,
  TimezonePayload,
  ZoneListing,
  zoneFacts,
  zoneListing,
  zonesOf,
  zonesWithOffsetOf,
} from '../../operations/timezone.ts';
import { CSV_TYPE, csvTable } from '../../text/csv.ts';
import { ICALENDAR_TYPE } from '../../text/icalendar.ts';
import { required, text } from '../inputs.ts';
import { country } from '../parameters/names.ts';
import { language } from '../parameters/rendering.ts';
import { requiredTarget } from '../parameters/targets.ts';
import { lifetimeOfTimestamp, timestamp } from '../parameters/timestamps.ts';
import { jsonArrayOf, timeResponse, withDetails } from '../payloads.ts';
import { type HandlerContext, jsonRoute, textRoute } from '../route.ts';
import { Slices } from '../slices.ts';

export const timezoneRoute = jsonRoute({
  path: '/v1/timezone',
  summary: 'The zone of a place, with its time and offset now or at an instant',
  description:
    '`timezone` is the canonical name of the selected zone: that of the given name, coordinates or address. For an `offset`, ' +
    'the response lists all zones that have it now or at the instant of a timestamp.',
  parameters: { instant: timestamp, target: requiredTarget, lang: language },
  payload: TimezonePayload,
  lifetime: lifetimeOfTimestamp,
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
    const payloadOf = (target: Target, details: Pick<HandlerContext, 'commonDetails'>) =>
      timeResponse(epochMs, target, rendering, encode(zoneFacts(epochMs, target)), details);
    const json = payloadOf(target, context);
    if (target.zone !== null) return json; // only an offset has no zone
    const zones = zonesWithOffsetOf(target, epochMs, context.snapshot.zones);
    const matching = zones.map(zone => payloadOf(zoneTarget(zone), { commonDetails: null }));
    return withMember(json, 'matching_zones', jsonArray(matching));
  },
});

/** What the JSON and CSV forms of the list of zones have in common. */
const LISTED = {
  parameters: { country, instant: timestamp },
  lifetime: ({ instant }: { readonly instant: unknown }) => (instant === null ? 'transition' : 'fixed'),
  reads: ['zones'],
  examples: [
    { title: 'By country', query: 'country=NZ' },
    { title: 'At an instant', query: 'country=PT&iso=1970-01-01' },
    { title: 'Not a country', query: 'country=ZZ' },
  ],
} as const;

export const timezonesRoute = jsonRoute({
  path: '/v1/timezones',
  summary: 'All zones, or those of a country',
  description:
    'Lists the canonical zones in `zone.tab` and `UTC`, each with its offset now or at the instant of a timestamp.',
  ...LISTED,
  payload: Type.Array(ZoneListing),
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

const ZONE_COLUMNS = Object.keys(ZoneListing.properties);

export const timezonesTableRoute = textRoute({
  path: '/v1/timezones.csv',
  summary: 'All zones, or those of a country, as CSV',
  description: 'The list of `/v1/timezones` in CSV (RFC 4180). Country codes are separated by spaces.',
  contentType: CSV_TYPE,
  ...LISTED,
  handle({ country, instant }, context) {
    const epochMs = instant?.epochMs ?? context.nowMs;
    const rows = zonesOf(country, context.snapshot.zones).map(zone => {
      const { name, country_codes, offset, abbreviation, dst } = zoneListing(zone, epochMs);
      return [name, country_codes.join(' '), offset, abbreviation, dst];
    });
    return csvTable(ZONE_COLUMNS, rows);
  },
});

export const timezoneCalendarRoute = textRoute({
  path: '/v1/timezone.ics',
  summary: 'The clock changes of a zone for calendar apps',
  description:
    'An iCalendar VTIMEZONE (RFC 5545) with all changes since 1970, and the yearly rule if the zone has one.',
  contentType: ICALENDAR_TYPE,
  group: 'feeds',
  parameters: { target: requiredTarget },
  lifetime: 'fixed',
  examples: [
    { title: 'A zone with a yearly rule', query: 'tz=Europe/Berlin' },
    { title: 'No selector', query: '' },
  ],
  handle: ({ target }) => timeZoneCalendar(target),
});

const name = required(
  text('Abbreviation, case-insensitive.', 'IST'),
  "an abbreviation such as 'IST'",
  abbreviation => abbreviation.replace(/^ /, '+'), // an unescaped `+`, as in `+03`, is decoded as a space
);

export const abbreviationsRoute = jsonRoute({
  path: '/v1/abbreviations',
  summary: 'The zones that an abbreviation such as IST can refer to',
  description:
    'Lists the canonical zones that have used an abbreviation since 1970, most populous first, with their offset now or at ' +
    'the instant of a timestamp. Abbreviations are ambiguous, so `tz` does not accept them.',
  parameters: { name, instant: timestamp },
  payload: objectSchema('Abbreviation', 'An abbreviation and the zones that it can refer to.', {
    name: Type.String({ description: 'The abbreviation.' }),
    candidates: Type.Array(AbbreviationCandidate, { description: 'The zones, most populous first.' }),
  }),
  lifetime: lifetimeOfTimestamp,
  reads: ['zones', 'populations'],
  examples: [
    { title: 'An ambiguous abbreviation', query: 'name=IST' },
    { title: 'At an instant', query: 'name=BST&iso=1970-06-01' },
    { title: 'Not an abbreviation', query: 'name=XYZ' },
  ],
  async handle({ name, instant }, context) {
    const candidates: AbbreviationCandidate[] = [];
    const slices = new Slices();
    const epochMs = instant?.epochMs ?? context.nowMs;
    for (const candidate of abbreviationCandidates(name, epochMs, context.snapshot)) {
      if (candidate !== null) candidates.push(candidate);
      if (slices.isOver) await slices.next();
    }
    if (candidates.length === 0) {
      throw unreadable('name', `${quoted(name)} is not an abbreviation that a zone has used since 1970`);
    }
    return withDetails(encode({ name, candidates }), context);
  },
});
