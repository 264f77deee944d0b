import { type TProperties, type TString, Type } from '@sinclair/typebox';

/**
 * The query parameters of the API. All are strings on the wire; a `pattern` is the check that a reader applies,
 * so that what is documented and what is accepted are the same thing.
 */
function text(description: string, example: string, pattern?: string): TString {
  return Type.String({ description, examples: [example], minLength: 1, ...(pattern ? { pattern } : {}) });
}

const WHOLE_NUMBER = '^[+-]?[0-9]+$';
const DECIMAL = '^[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)$';

function flag(description: string): TString {
  return Type.String({ description: `${description} On when exactly \`true\`.`, examples: ['true'] });
}

export const UnixText = text('Seconds since 1970-01-01T00:00:00Z.', '1776274247', WHOLE_NUMBER);
export const UnixMsText = text('Milliseconds since 1970-01-01T00:00:00Z.', '1776274247123', WHOLE_NUMBER);
export const IsoText = text(
  'ISO 8601 timestamp, with an offset or `Z`, or a local wall time without; RFC 9557 brackets name its zone.',
  '2026-04-15T13:30:47-04:00',
);
export const ZoneText = text('Zone of the IANA time zone database, in any letter case.', 'America/New_York');
export const IpText = text('IPv4 or IPv6 address.', '8.8.8.8');
export const LatitudeText = text('Latitude in decimal degrees, −90 to 90; with `lon`.', '48.8566', DECIMAL);
export const LongitudeText = text(
  'Longitude in decimal degrees, −180 to 180; with `lat`.',
  '2.3522',
  DECIMAL,
);
export const OffsetText = text(
  'Fixed offset from UTC, `±HH:MM`; write the `+` as `%2B`.',
  '+05:30',
  '^[+ -]([01][0-9]|2[0-3]):[0-5][0-9]$',
);
export const FormatText = text('strftime pattern; adds `formatted`.', '%A, %d %B %Y');
export const AmountText = text('Whole number to add; negative subtracts.', '-90', WHOLE_NUMBER);
export const CountryText = text('ISO 3166-1 alpha-2 country code.', 'DE', '^[A-Za-z]{2}$');
export const SpecifierText = text(
  'An instant: `now`, `unix=<seconds>`, `unix_ms=<milliseconds>`, `iso=<ISO 8601>`, or the present in a place: ' +
    '`tz=<zone>`, `ip=<address>`, `offset=<offset>`.',
  'iso=2026-04-15T13:30:47-04:00',
);
export const DurationFormatText = text(
  'Duration template of `%days`, `%hours`, `%minutes`, `%seconds`; adds `formatted`.',
  '%days days, %hours h',
);
export const HolidayCountryText = text(
  'ISO 3166-1 alpha-2 code of the country whose holidays and weekend count; wants `business_days=true`.',
  'DE',
);
export const HolidaySubdivisionText = text(
  'Subdivision of the country, as `/v1/holidays?country=` lists them; wants `holiday_country`.',
  'BY',
);
export const YearText = text('Calendar year.', '2026', '^[0-9]{4}$');
export const KeyIdText = text('Identifier of a signing key: only that key is wanted.', 'ed25519-2026-07-19');
export const DisambiguationText = Type.String({
  description:
    'Which reading of a local time that a clock change skips or repeats; `reject` refuses both. ' +
    'Without it a skipped time moves forward by the gap and a repeated one is the earlier.',
  enum: ['compatible', 'earlier', 'later', 'reject'],
});

export const SignFlag = flag('Signs the response.');
export const UtcFlag = flag('The target is UTC.');
export const WeekFlag = flag('Adds the ISO 8601 week number.');
export const NextFlag = flag('Adds the next change of the clock.');
export const BusinessDaysFlag = flag('Adds the number of business days.');
export const AutoZoneFlag = flag('The zone of the address that the request comes from.');

/** The selectors of a target: at most one family. */
export const TARGET_PARAMETERS = {
  tz: Type.Optional(ZoneText),
  ip: Type.Optional(IpText),
  lat: Type.Optional(LatitudeText),
  lon: Type.Optional(LongitudeText),
  offset: Type.Optional(OffsetText),
  auto_tz: Type.Optional(AutoZoneFlag),
};

/** The hints for a local timestamp: at most one. */
export function hintParameters(prefix: string): TProperties {
  return {
    [`${prefix}tz`]: Type.Optional(ZoneText),
    [`${prefix}ip`]: Type.Optional(IpText),
    [`${prefix}lat`]: Type.Optional(LatitudeText),
    [`${prefix}lon`]: Type.Optional(LongitudeText),
    [`${prefix}offset`]: Type.Optional(OffsetText),
  };
}

/** The forms of a timestamp: at most one, with at most one hint for a local `iso`. */
export const TIMESTAMP_PARAMETERS = {
  unix: Type.Optional(UnixText),
  unix_ms: Type.Optional(UnixMsText),
  iso: Type.Optional(IsoText),
  ...hintParameters('source_'),
  disambiguation: Type.Optional(DisambiguationText),
};

/** A timestamp to compare with, in the same forms. */
export const COMPARISON_PARAMETERS = {
  compare_unix: Type.Optional(UnixText),
  compare_unix_ms: Type.Optional(UnixMsText),
  compare_iso: Type.Optional(IsoText),
  ...hintParameters('compare_source_'),
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
