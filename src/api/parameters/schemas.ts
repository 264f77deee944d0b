import {
  type TBoolean,
  type TInteger,
  type TNumber,
  type TSchema,
  type TString,
  Type,
} from '@sinclair/typebox';
import { MAX_EPOCH_MS } from '../../common/time_range.ts';

/**
 * The query parameters of the API, as its description publishes them. A reader applies the very `pattern`, `minimum` and
 * `maximum` that stand here, so that what is documented and what is accepted are the same thing.
 */
function text(description: string, example: string, pattern?: string): TString {
  return Type.String({ description, examples: [example], minLength: 1, ...(pattern ? { pattern } : {}) });
}

function whole(description: string, example: number, limit: number): TInteger {
  return Type.Integer({ description, examples: [example], minimum: -limit, maximum: limit });
}

function degrees(description: string, example: number, limit: number): TNumber {
  return Type.Number({ description, examples: [example], minimum: -limit, maximum: limit });
}

function flag(description: string): TBoolean {
  return Type.Boolean({ description: `${description} On when exactly \`true\`.`, examples: [true] });
}

const OFFSET = '[+ -]([01][0-9]|2[0-3]):[0-5][0-9]';
const LIST = 'A comma-separated list gives an array.';

const UnixSeconds = whole('Seconds since 1970-01-01T00:00:00Z.', 1_776_274_247, MAX_EPOCH_MS / 1000);
const UnixMs = whole('Milliseconds since 1970-01-01T00:00:00Z.', 1_776_274_247_123, MAX_EPOCH_MS);
const IsoText = text(
  'ISO 8601 timestamp, with an offset or `Z`, or a local wall time without; RFC 9557 brackets name its zone.',
  '2026-04-15T13:30:47-04:00',
);
const ZoneText = text('Zone of the IANA time zone database, in any letter case.', 'America/New_York');
const ZoneList = text(`${ZoneText.description} ${LIST}`, 'America/New_York,Europe/Paris');
const IpText = text('IPv4 or IPv6 address.', '8.8.8.8');
const IpList = text(`${IpText.description} ${LIST}`, '8.8.8.8,2001:4860:4860::8888');
const Latitude = degrees('Latitude in decimal degrees; with `lon`.', 48.8566, 90);
const Longitude = degrees('Longitude in decimal degrees; with `lat`.', 2.3522, 180);
const OffsetText = text(
  'Fixed offset from UTC, `±HH:MM`; in a query string, `+` is `%2B`.',
  '+05:30',
  `^${OFFSET}$`,
);
/** One offset, or anything with a comma: an entry of a list that cannot be read fails in its place. */
const OffsetList = text(`${OffsetText.description} ${LIST}`, '-08:00,+05:45', `^(${OFFSET}$|[^,]*,)`);
export const FormatText = Type.String({
  description: 'strftime pattern; adds `formatted`.',
  examples: ['%A, %d %B %Y'],
  minLength: 1,
  maxLength: 256,
});
export const CountryText = text('ISO 3166-1 alpha-2 country code.', 'DE', '^[A-Za-z]{2}$');
export const SpecifierText = text(
  'An instant: `now`, `unix=<seconds>`, `unix_ms=<milliseconds>`, `iso=<ISO 8601>`, or the present in a place: ' +
    '`tz=<zone>`, `ip=<address>`, `offset=<offset>`.',
  'iso=2026-04-15T13:30:47-04:00',
);
const DurationFormatText = text(
  'Duration template of `%days`, `%hours`, `%minutes`, `%seconds`; adds `formatted`. In a query string `%days` is `%25days`.',
  '%days days, %hours h',
);
const HolidayCountryText = text(
  'ISO 3166-1 alpha-2 code of the country whose holidays and weekend count; wants `business_days=true`.',
  'DE',
);
const HolidaySubdivisionText = text(
  'Subdivision of the country, as `/v1/holidays?country=` lists them; wants `holiday_country`.',
  'BY',
);
/** The subdivision of `/v1/holidays` itself. */
export const ListedSubdivisionText = text(
  'Subdivision of the country, as `?country=` alone lists them; wants `year`.',
  'BY',
);
export const YearText = text('Calendar year, 1970 to 2100; wants `country`.', '2026', '^[0-9]{4}$');
export const KeyIdText = text('Identifier of a signing key: only that key is wanted.', 'ed25519-2026-07-19');
export const DisambiguationText = Type.String({
  description:
    'Which reading of a local time that a clock change skips or repeats; `reject` refuses both. ' +
    'Without it a skipped time moves forward by the gap and a repeated one is the earlier.',
  enum: ['compatible', 'earlier', 'later', 'reject'],
  examples: ['later'],
});

export const SignFlag = flag('Signs the response.');
export const UtcFlag = flag('The target is UTC.');
export const WeekFlag = flag('Adds the ISO 8601 week number.');
export const NextFlag = flag('Adds the next change of the clock.');
const BusinessDaysFlag = flag('Adds the number of business days.');
const AutoZoneFlag = flag('The zone of the address that the request comes from.');

/** The whole number of some unit that `add` adds: at most the whole range of times. */
function amount(unit: string, unitSeconds: number): TInteger {
  const most = Math.floor((2 * MAX_EPOCH_MS) / 1000 / unitSeconds);
  return whole(`Whole ${unit} to add; negative subtracts.`, -90, most);
}

/** The amounts of `add`, each in its unit. */
export const AMOUNTS = {
  days: amount('days of 86,400 seconds', 86_400),
  hours: amount('hours', 3600),
  minutes: amount('minutes', 60),
  seconds: amount('seconds', 1),
};

/** The selectors of a target: at most one family. */
export const TARGET_PARAMETERS = {
  tz: Type.Optional(ZoneText),
  ip: Type.Optional(IpText),
  lat: Type.Optional(Latitude),
  lon: Type.Optional(Longitude),
  offset: Type.Optional(OffsetText),
  auto_tz: Type.Optional(AutoZoneFlag),
};

/** The selectors of a target where `tz`, `ip` and `offset` may be lists. */
export const BULK_TARGET_PARAMETERS = {
  ...TARGET_PARAMETERS,
  tz: Type.Optional(ZoneList),
  ip: Type.Optional(IpList),
  offset: Type.Optional(OffsetList),
};

/** The parameters of a hint for a local `iso`: where its clock hangs. */
export function hintParameters(prefix: string, iso: string): Record<string, TSchema> {
  const place = `that a local \`${iso}\` is read in`;
  return {
    [`${prefix}tz`]: Type.Optional({ ...ZoneText, description: `Zone ${place}, in any letter case.` }),
    [`${prefix}ip`]: Type.Optional({ ...IpText, description: `IPv4 or IPv6 address of the place ${place}.` }),
    [`${prefix}lat`]: Type.Optional({
      ...Latitude,
      description: `Latitude of the place ${place}; with \`${prefix}lon\`.`,
    }),
    [`${prefix}lon`]: Type.Optional({
      ...Longitude,
      description: `Longitude of the place ${place}; with \`${prefix}lat\`.`,
    }),
    [`${prefix}offset`]: Type.Optional({
      ...OffsetText,
      description: `Offset from UTC ${place}, \`±HH:MM\`.`,
    }),
  };
}

/** The forms of a timestamp: at most one, with at most one hint for a local `iso`. */
export const TIMESTAMP_PARAMETERS = {
  unix: Type.Optional(UnixSeconds),
  unix_ms: Type.Optional(UnixMs),
  iso: Type.Optional(IsoText),
  ...hintParameters('source_', 'iso'),
  disambiguation: Type.Optional(DisambiguationText),
};

/** A timestamp to compare with, in the same forms. */
export const COMPARISON_PARAMETERS = {
  compare_unix: Type.Optional(UnixSeconds),
  compare_unix_ms: Type.Optional(UnixMs),
  compare_iso: Type.Optional(IsoText),
  ...hintParameters('compare_source_', 'compare_iso'),
};

/** What a duration can be given with. */
export const DURATION_PARAMETERS = {
  format: Type.Optional(DurationFormatText),
  business_days: Type.Optional(BusinessDaysFlag),
  holiday_country: Type.Optional(HolidayCountryText),
  holiday_subdivision: Type.Optional(HolidaySubdivisionText),
  sign: Type.Optional(SignFlag),
};

export const FORMAT_AND_SIGN = { format: Type.Optional(FormatText), sign: Type.Optional(SignFlag) };
