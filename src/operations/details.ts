import { type Static, type TOptional, Type } from '@sinclair/typebox';
import { utcText } from '../common/iso_text.ts';
import { nullable, objectSchema } from '../common/json.ts';
import { MAX_EPOCH_MS } from '../common/moment.ts';
import type { ZoneTransition } from '../zones/zone.ts';
import { CalendarDetails } from './business_days.ts';
import { AddressDetails, CoordinatesDetails, PlaceDetails, placeDetails } from './places.ts';
import { DATA_NAMES, type DataName } from './served_data.ts';
import type { Target } from './target.ts';

/** The schema of an offset. */
export function minutes(what: string) {
  return Type.Number({
    description: `${what}, in minutes east of UTC; with a fraction where it has seconds.`,
  });
}

/** The schemas of {@link instantMembers}. */
export const INSTANT = {
  unix: Type.Integer({ description: 'Instant, in seconds since 1970-01-01T00:00:00Z.' }),
  utc: Type.String({ format: 'date-time', description: 'Instant, as ISO 8601 time in UTC.' }),
};

export function instantMembers(epochSeconds: number) {
  return { unix: epochSeconds, utc: utcText(epochSeconds * 1000) };
}

export const CountryCodes = Type.Unsafe<readonly string[]>(
  Type.Array(Type.String(), {
    description: 'ISO 3166-1 alpha-2 codes of the countries that use the zone, from `zone.tab`.',
  }),
);

export const Transition = objectSchema('Transition', "A change of a zone's clock or DST flag.", {
  ...INSTANT,
  offset_before: minutes('Offset before'),
  offset_after: minutes('Offset after'),
  abbreviation_before: Type.String({ description: 'Abbreviation before the change, such as `EDT`.' }),
  abbreviation_after: Type.String({ description: 'Abbreviation after the change, such as `EST`.' }),
  dst_after: Type.Boolean({ description: 'Whether daylight saving time is in force after the change.' }),
});
export type Transition = Static<typeof Transition>;

const ZoneDetails = objectSchema('ZoneDetails', 'Details of the zone at the instant of the response.', {
  abbreviation: Type.String({ description: 'Abbreviation of the zone, such as `EDT`.' }),
  country_codes: CountryCodes,
  standard_offset: minutes('Offset of standard time'),
  posix_tz: nullable(Type.String(), 'POSIX TZ string of the current rules; null if there is none.'),
  previous_transition: nullable(Transition, 'The latest change; null if none is known.'),
  next_transition: nullable(Transition, 'The next change; null if none is known.'),
});
type ZoneDetails = Static<typeof ZoneDetails>;

/** `details.clock`: the state of the clock that the current time is from. */
const ClockDetails = objectSchema('ClockDetails', "The state of the server's clock.", {
  synchronised: Type.Boolean({ description: "Whether the host's clock is synchronised." }),
  max_error_ms: Type.Integer({
    description: "The kernel's bound on its error, in milliseconds, rounded up.",
  }),
});

type ClockDetails = Static<typeof ClockDetails>;

const DataRelease = objectSchema('DataRelease', "A data set's release.", {
  release: Type.String({ description: "Version of the data; the type for an operator's IP database." }),
  age_days: nullable(
    Type.Integer(),
    'Whole days since its release, 0 before it; null where the date is unknown.',
  ),
});

/** `details.data`: the data sets used. */
const DataDetails = Type.Object(
  Object.fromEntries(DATA_NAMES.map(name => [name, Type.Optional(DataRelease)])) as Record<
    DataName,
    TOptional<typeof DataRelease>
  >,
  { $id: 'DataDetails', description: 'The releases of the data used for the response.' },
);
export type DataDetails = Static<typeof DataDetails>;

export interface CommonDetails {
  readonly data: DataDetails;
  readonly clock: ClockDetails | null;
}

/** `details`, the member that `details=true` adds to a response. */
export const Details = objectSchema('Details', 'Added by `details=true`.', {
  zone: Type.Optional(ZoneDetails),
  place: Type.Optional(
    Type.Union([PlaceDetails, AddressDetails, CoordinatesDetails], {
      description: 'How the zone was selected: by place, address or coordinates.',
    }),
  ),
  data: Type.Optional(DataDetails),
  clock: Type.Optional(
    nullable(ClockDetails, "The server's clock, from `adjtimex`; null if its state is unknown."),
  ),
  holidays: Type.Optional(Type.Array(CalendarDetails, { description: 'The holiday calendars used.' })),
});
export type Details = Static<typeof Details>;

export function clockDetails(
  clock: { readonly isSynchronized: boolean; readonly maxErrorSeconds: number } | null,
): ClockDetails | null {
  if (clock === null) return null;
  return { synchronised: clock.isSynchronized, max_error_ms: Math.ceil(clock.maxErrorSeconds * 1000) };
}

export function targetDetails(epochMs: number, target: Target): Details {
  const zone = zoneDetails(epochMs, target);
  if (target.place !== undefined) return { zone, place: placeDetails(target.place) };
  return target.location === undefined
    ? { zone }
    : { zone, place: target.location(Math.floor(epochMs / 1000)) };
}

export function zoneDetails(epochMs: number, target: Target): ZoneDetails {
  const epochSeconds = Math.floor(epochMs / 1000);
  const { zone } = target;
  const { abbreviation, offsetSeconds } = target.periodAt(epochSeconds);
  return {
    abbreviation,
    country_codes: zone?.countryCodes ?? [],
    standard_offset: (zone?.standardOffsetAt(epochSeconds) ?? offsetSeconds) / 60,
    posix_tz: zone?.posixTz ?? null,
    previous_transition: transitionOf(zone?.previousTransition(epochSeconds)),
    next_transition: transitionOf(zone?.nextTransition(epochSeconds)),
  };
}

/** A transition in the form of responses; null if there is none, or if it is outside the range of times. */
export function transitionOf(change: ZoneTransition | null | undefined): Transition | null {
  if (!change || Math.abs(change.epochSeconds * 1000) > MAX_EPOCH_MS) return null;
  const { epochSeconds, before, after } = change;
  return {
    ...instantMembers(epochSeconds),
    offset_before: before.offsetSeconds / 60,
    offset_after: after.offsetSeconds / 60,
    abbreviation_before: before.abbreviation,
    abbreviation_after: after.abbreviation,
    dst_after: after.isDst,
  };
}
