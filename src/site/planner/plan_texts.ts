import { calendar, component, textValue } from '../../text/icalendar.ts';
import {
  type ClockChange,
  cursorMs,
  isShown,
  localMs,
  MINUTE_MS,
  offsetAt,
  type Plan,
  type PlanRow,
  planUrl,
  type Span,
} from './plan.ts';

/** Formats dates and times in a language; local times are passed as if they were UTC. */
export class PlanTexts {
  readonly #time: Intl.DateTimeFormat;
  readonly #shortDate: Intl.DateTimeFormat;
  readonly #longDate: Intl.DateTimeFormat;
  readonly #countries: Intl.DisplayNames;

  constructor(locale: string) {
    const utc = { timeZone: 'UTC' } as const;
    this.#time = new Intl.DateTimeFormat(locale, { ...utc, timeStyle: 'short' });
    this.#shortDate = new Intl.DateTimeFormat(locale, {
      ...utc,
      weekday: 'short',
      day: 'numeric',
      month: 'short',
    });
    this.#longDate = new Intl.DateTimeFormat(locale, { ...utc, dateStyle: 'full' });
    this.#countries = new Intl.DisplayNames(locale, { type: 'region' });
  }

  /** The time of day in local time. */
  clock(localTimeMs: number): string {
    return this.#time.format(localTimeMs);
  }

  time(row: PlanRow, epochMs: number): string {
    return this.clock(localMs(row, epochMs));
  }

  /** `02:00 → 03:00`, for a clock change. */
  change({ atMs, offsetBefore, offsetAfter }: ClockChange): string {
    const [before, after] = [offsetBefore, offsetAfter].map(offset => this.clock(atMs + offset * MINUTE_MS));
    return `${before} → ${after}`;
  }

  date(row: PlanRow, epochMs: number): string {
    return this.#shortDate.format(localMs(row, epochMs));
  }

  /** A civil date, with its weekday. */
  longDate(date: string): string {
    return this.#longDate.format(Date.parse(date));
  }

  /** `9:00–10:00`, in a row's local time. */
  range(row: PlanRow, { startMs, endMs }: Span): string {
    return `${this.time(row, startMs)}–${this.time(row, endMs)}`;
  }

  /** `AU-WA` as `WA, Australia`; only the country for numeric codes such as `JP-13`; zones unchanged. */
  area(area: string): string {
    const [, country, subdivision] = /^([A-Z]{2})(?:-(\w+))?$/.exec(area) ?? [];
    if (country === undefined) return area;
    const name = this.#countries.of(country) ?? country;
    return subdivision === undefined || /\d/.test(subdivision) ? name : `${subdivision}, ${name}`;
  }
}

/** `UTC+5:30` */
export function offsetText(row: PlanRow, epochMs: number): string {
  const offset = offsetAt(row, epochMs);
  const minutes = Math.abs(offset) % 60;
  const hours = Math.floor(Math.abs(offset) / 60);
  return `UTC${offset < 0 ? '−' : '+'}${hours}${minutes === 0 ? '' : `:${String(minutes).padStart(2, '0')}`}`;
}

/** `2026-11-24T15:00:00+01:00` */
export function isoLocal(row: PlanRow, epochMs: number): string {
  const offset = offsetAt(row, epochMs);
  const clock = new Date(Math.abs(offset) * MINUTE_MS).toISOString().slice(11, 16);
  return `${new Date(localMs(row, epochMs)).toISOString().slice(0, 19)}${offset < 0 ? '-' : '+'}${clock}`;
}

/** The meeting at the cursor. */
export function meetingOf(plan: Plan): Span {
  const startMs = cursorMs(plan);
  return { startMs, endMs: startMs + plan.state.lengthMinutes * MINUTE_MS };
}

/** The meeting at the cursor as a calendar with one event: RFC 5545 §3.6.1. */
export function meetingCalendar(plan: Plan, texts: PlanTexts, origin: string, nowMs: number): string {
  const meeting = meetingOf(plan);
  const times = plan.rows
    .filter(isShown)
    .map(row => `${row.name}: ${texts.date(row, meeting.startMs)}, ${texts.range(row, meeting)}`);
  const url = origin + planUrl({ ...plan.state, date: plan.date });
  const event = component('VEVENT', [
    ['UID', `${meeting.startMs}-${nowMs}@meridian`],
    ['DTSTAMP', basicUtc(nowMs)],
    ['DTSTART', basicUtc(meeting.startMs)],
    ['DTEND', basicUtc(meeting.endMs)],
    ['SUMMARY', 'Meeting'],
    ['DESCRIPTION', textValue(times.join('\n'))],
    ['URL', url],
  ]);
  return calendar([], event);
}

/** `20261124T140000Z` */
function basicUtc(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}
