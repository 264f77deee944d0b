import { type Static, Type } from '@sinclair/typebox';
import type { Json } from '../common/json.ts';
import { Moment } from '../common/moment.ts';
import { TimeWriter } from '../common/time_writer.ts';
import { MONTHS_FULL, MONTHS_SHORT, WEEKDAYS_FULL, WEEKDAYS_SHORT } from './names.ts';

/** The payload of `current`, `convert` and `add`, and the base of those of `calendar`, `dst` and `timezone`. */
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

/** What a time payload needs to know of a place. */
export interface TimePayloadTarget {
  /** The canonical zone name, `timezone` of the payload; null for an offset or no place. */
  readonly timezone: string | null;
  /** The zone as `human` ends with it. */
  readonly zoneText: string;
  /** Whether the payload has `iso_local`; without it that is null. */
  readonly hasLocalTime: boolean;
  periodAt(epochSeconds: number): { readonly offsetSeconds: number; readonly abbreviation: string };
}

/** The wall clock of a target at an instant. */
export function momentAt(epochMs: number, target: TimePayloadTarget): Moment {
  const { offsetSeconds, abbreviation } = target.periodAt(Math.floor(epochMs / 1000));
  return new Moment(epochMs, offsetSeconds, abbreviation);
}

/** The time payload of an instant in a target as JSON. `epochMs` is an integer within ±8.64e15. */
export function timePayloadJson(epochMs: number, target: TimePayloadTarget): Json<TimePayload> {
  return writer.payload(epochMs, target) as Json<TimePayload>;
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** What the writer caches for a target. */
interface TargetTexts {
  readonly zoneText: Uint8Array;
  readonly timezone: Uint8Array;
  /** The second written last, and its payload from `utc` on, which is the same throughout the second. */
  epochSeconds: number;
  fromUtc: string;
}

/** Bytes of the longest payload without the texts of its target: 286 on a Wednesday in September −271821. */
const CAPACITY = 288;

class TimePayloadWriter extends TimeWriter {
  readonly #textsOfTarget = new WeakMap<TimePayloadTarget, TargetTexts>();
  /** The instant that the buffer begins with, and where its members end: the targets of a bulk request share them. */
  #instantMs = Number.NaN;
  #utcStart = 0;
  #instantEnd = 0;

  payload(epochMs: number, target: TimePayloadTarget): string {
    const epochSeconds = Math.floor(epochMs / 1000);
    const texts = this.#textsOf(target);
    if (texts.epochSeconds === epochSeconds) {
      return `{"unix":${epochSeconds},"unix_ms":${epochMs}${texts.fromUtc}`;
    }
    this.#instant(epochMs);
    this.#local(momentAt(epochMs, target), target.hasLocalTime, texts);
    const json = this.text();
    texts.epochSeconds = epochSeconds;
    texts.fromUtc = json.slice(this.#utcStart);
    return json;
  }

  /** `unix`, `unix_ms` and `utc`. */
  #instant(epochMs: number): void {
    this.truncate(epochMs === this.#instantMs ? this.#instantEnd : 0);
    if (epochMs === this.#instantMs) return;
    this.literal(UNIX);
    this.integer(Math.floor(epochMs / 1000));
    this.literal(UNIX_MS);
    this.integer(epochMs);
    this.#utcStart = this.length;
    this.literal(UTC);
    this.wallClock(new Moment(epochMs, 0, 'UTC'));
    this.literal(ISO_LOCAL);
    this.#instantEnd = this.length;
    this.#instantMs = epochMs;
  }

  /** All members from `iso_local` on. */
  #local(moment: Moment, hasLocalTime: boolean, { zoneText, timezone }: TargetTexts): void {
    if (hasLocalTime) this.#isoLocal(moment);
    else this.literal(NULL);
    this.#rfc2822(moment);
    this.#human(moment);
    this.literal(zoneText);
    this.literal(WEEKDAY_MEMBERS[moment.weekday]!);
    this.literal(timezone);
  }

  #isoLocal(moment: Moment): void {
    this.code(QUOTE);
    this.wallClock(moment);
    this.offset(moment.offsetSeconds);
    this.code(QUOTE);
  }

  /**
   * A date-time of RFC 2822 §3.3: `Wed, 15 Apr 2026 13:30:47 -0400`. The format has no room for an offset's seconds:
   * they are left out, as `date -R` does.
   */
  #rfc2822(moment: Moment): void {
    this.literal(RFC2822[moment.weekday]!);
    this.pair(moment.day);
    this.literal(MONTHS_BETWEEN_SPACES[moment.month - 1]!);
    this.year(moment.year);
    this.code(SPACE);
    this.time(moment);
    this.literal(moment.offsetSeconds < 0 ? SPACE_MINUS : SPACE_PLUS);
    const offsetMinutes = Math.floor(Math.abs(moment.offsetSeconds) / 60);
    this.pair(Math.floor(offsetMinutes / 60));
    this.pair(offsetMinutes % 60);
  }

  /** `April 15, 2026, 1:30 PM ` */
  #human({ year, month, day, hour, minute }: Moment): void {
    this.literal(HUMAN_MONTHS[month - 1]!);
    this.integer(day);
    this.literal(COMMA_SPACE);
    this.year(year);
    this.literal(COMMA_SPACE);
    this.integer(hour % 12 || 12);
    this.code(COLON);
    this.pair(minute);
    this.literal(hour < 12 ? AM : PM);
  }

  #textsOf(target: TimePayloadTarget): TargetTexts {
    const known = this.#textsOfTarget.get(target);
    if (known !== undefined) return known;
    const zoneText = utf8(JSON.stringify(target.zoneText).slice(1, -1));
    const timezone = utf8(`${JSON.stringify(target.timezone)}}`);
    this.reserve(CAPACITY + zoneText.length + timezone.length);
    const texts = { zoneText, timezone, epochSeconds: Number.NaN, fromUtc: '' };
    this.#textsOfTarget.set(target, texts);
    return texts;
  }
}

const SPACE = 32;
const QUOTE = 34;
const COLON = 58;

const UNIX = utf8('{"unix":');
const UNIX_MS = utf8(',"unix_ms":');
const UTC = utf8(',"utc":"');
const ISO_LOCAL = utf8('Z","iso_local":');
const NULL = utf8('null');
const RFC2822 = WEEKDAYS_SHORT.map(weekday => utf8(`,"rfc2822":"${weekday}, `));
const MONTHS_BETWEEN_SPACES = MONTHS_SHORT.map(month => utf8(` ${month} `));
const SPACE_MINUS = utf8(' -');
const SPACE_PLUS = utf8(' +');
const HUMAN_MONTHS = MONTHS_FULL.map(month => utf8(`","human":"${month} `));
const COMMA_SPACE = utf8(', ');
const AM = utf8(' AM ');
const PM = utf8(' PM ');
const WEEKDAY_MEMBERS = WEEKDAYS_FULL.map((full, weekday) =>
  utf8(
    `","day_number":${weekday + 1},"day_short":"${WEEKDAYS_SHORT[weekday]}","day_full":"${full}","timezone":`,
  ),
);

const writer = new TimePayloadWriter(CAPACITY);
