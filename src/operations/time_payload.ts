import { type Static, Type } from '@sinclair/typebox';
import { localText, utcText } from '../common/iso_text.ts';
import { Moment } from '../common/moment.ts';
import { humanText } from '../text/human.ts';
import { WEEKDAYS_FULL, WEEKDAYS_SHORT } from '../text/names.ts';
import { rfc2822Text } from '../text/rfc2822.ts';
import type { Target } from './target.ts';

/** The answer of `current`, `convert` and `add`, and the base of those of `calendar`, `dst` and `timezone`. */
export const TimePayload = Type.Object(
  {
    unix: Type.Integer({ description: 'Seconds since 1970-01-01T00:00:00Z, rounded toward the past.' }),
    unix_ms: Type.Integer({ description: 'Milliseconds since 1970-01-01T00:00:00Z.' }),
    utc: Type.String({ description: 'ISO 8601 time in UTC, to the second.' }),
    iso_local: Type.Union([Type.String(), Type.Null()], {
      description: 'ISO 8601 local time with its offset; null when no selector was given.',
    }),
    rfc2822: Type.String({ description: 'RFC 2822 local time.' }),
    human: Type.String({ description: 'For people to read; not to be parsed.' }),
    day_number: Type.Integer({ minimum: 1, maximum: 7, description: 'Weekday: 1 is Sunday, 7 Saturday.' }),
    day_short: Type.String({ description: 'Weekday, abbreviated.' }),
    day_full: Type.String({ description: 'Weekday.' }),
    timezone: Type.Union([Type.String(), Type.Null()], {
      description: 'Canonical IANA name; null for an offset and when no selector was given.',
    }),
    formatted: Type.Optional(
      Type.String({ description: 'The local time in the pattern of `format`, where one was given.' }),
    ),
  },
  { $id: 'Time', description: 'An instant, and what the clock of a place shows then.' },
);
export type TimePayload = Static<typeof TimePayload>;

/** The wall clock of a target at an instant. */
export function momentAt(epochMs: number, target: Target): Moment {
  const period = target.periodAt(Math.floor(epochMs / 1000));
  return new Moment(epochMs, period.offsetSeconds, period.abbreviation);
}

/** What the wall clock of a target shows at a moment of its own. */
export function timePayload(moment: Moment, target: Target): TimePayload {
  return {
    unix: Math.floor(moment.epochMs / 1000),
    unix_ms: moment.epochMs,
    utc: utcText(moment.epochMs),
    iso_local: target.hasLocalTime ? localText(moment) : null,
    rfc2822: rfc2822Text(moment),
    human: humanText(moment, target.zoneText),
    day_number: moment.weekday + 1,
    day_short: WEEKDAYS_SHORT[moment.weekday]!,
    day_full: WEEKDAYS_FULL[moment.weekday]!,
    timezone: target.timezone,
  };
}
