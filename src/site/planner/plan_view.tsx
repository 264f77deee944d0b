// Not from @elysiajs/html, which would bundle Elysia into the browser script.

import { Html } from '@kitajs/html';
import { calendar, component, textValue } from '../../text/icalendar.ts';
import { offsetText } from '../time_texts.ts';
import {
  changesOf,
  cursorMs,
  dateOf,
  daysOf,
  isShown,
  isWorkday,
  lightOf,
  localMs,
  MINUTE_MS,
  offsetAt,
  type Plan,
  type PlanRow,
  type PlanState,
  planUrl,
  proposeSlots,
  type Slot,
  type Span,
  type Suitability,
  shiftedDate,
  suitabilityIn,
  workOf,
} from './plan.ts';

/** Formats dates and times in a language; local times are passed as if they were UTC. */
export class PlanTexts {
  readonly #time: Intl.DateTimeFormat;
  readonly #shortDate: Intl.DateTimeFormat;
  readonly #longDate: Intl.DateTimeFormat;
  readonly #countryName: (code: string) => string | undefined;

  /** `countryName`: the name of a country in that language, by ISO 3166-1 code. */
  constructor(locale: string, countryName: (code: string) => string | undefined) {
    const formatOf = (options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options });
    this.#time = formatOf({ timeStyle: 'short' });
    this.#shortDate = formatOf({ weekday: 'short', day: 'numeric', month: 'short' });
    this.#longDate = formatOf({ dateStyle: 'full' });
    this.#countryName = countryName;
  }

  time(row: PlanRow, epochMs: number): string {
    return this.#time.format(localMs(row, epochMs));
  }

  /** `02:00 → 03:00`, for a clock change. */
  change({ atMs, offsetBefore, offsetAfter }: ReturnType<typeof changesOf>[number]): string {
    const times = [offsetBefore, offsetAfter].map(offset => this.#time.format(atMs + offset * MINUTE_MS));
    return times.join(' → ');
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
    const name = this.#countryName(country) ?? country;
    return subdivision === undefined || /\d/.test(subdivision) ? name : `${subdivision}, ${name}`;
  }
}

/** `UTC+5:30` */
function shortOffset(row: PlanRow, epochMs: number): string {
  return `UTC${offsetText(offsetAt(row, epochMs)).replace(/(?<=[+−])0|:00$/g, '')}`;
}

/** `2026-11-24T15:00:00+01:00` */
function isoLocal(row: PlanRow, epochMs: number): string {
  const local = new Date(localMs(row, epochMs)).toISOString().slice(0, 'YYYY-MM-DDThh:mm:ss'.length);
  return local + offsetText(offsetAt(row, epochMs)).replace('−', '-');
}

function meetingOf(plan: Plan): Span {
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
  return new Date(epochMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
}

const HOUR_MS = 60 * MINUTE_MS;

/** The rows of a plan, and the proposed times. */
export function planView(
  plan: Plan,
  texts: PlanTexts,
  rows: JSX.Element[] = plan.rows.map((_, index) => planRow(plan, index, texts)),
): JSX.Element {
  return (
    <>
      <ol class="plan-rows">{rows}</ol>
      <Legend />
      <Slots plan={plan} texts={texts} />
    </>
  );
}

export function planRow(plan: Plan, index: number, texts: PlanTexts): JSX.Element {
  const row = plan.rows[index]!; // indices are those of rows
  return (
    <li class="plan-row" data-place={Html.escapeHtml(row.query)}>
      {isShown(row) ? (
        <Row plan={plan} row={row} texts={texts} />
      ) : (
        <>
          <h3 safe>{row.query}</h3>
          <p class="plan-fault status-bad" safe>
            {`${row.fault}.`}
          </p>
        </>
      )}
      <RowActions state={plan.state} index={index} />
    </li>
  );
}

/** The date of a plan, between links to the previous and next days. */
export function dayHeading(plan: Plan, texts: PlanTexts): JSX.Element {
  const link = (days: number) => planUrl({ ...plan.state, date: shiftedDate(plan.date, days) });
  return (
    <>
      <a class="quiet" href={link(-1)} data-focus="previous-day" aria-label="Previous day">
        ←
      </a>
      <h2>
        <time datetime={plan.date} safe>
          {texts.longDate(plan.date)}
        </time>
      </h2>
      <a class="quiet" href={link(1)} data-focus="next-day" aria-label="Next day">
        →
      </a>
    </>
  );
}

function Row({ plan, row, texts }: { plan: Plan; row: PlanRow; texts: PlanTexts }): JSX.Element {
  const atMs = cursorMs(plan);
  return (
    <>
      <h3>
        <a href={`/zone/${row.zone}`} safe>
          {row.name}
        </a>{' '}
        <small safe>{texts.area(row.area)}</small>
      </h3>
      <p class="plan-time">
        <time datetime={isoLocal(row, atMs)} safe>
          {texts.time(row, atMs)}
        </time>{' '}
        <small safe>{`${texts.date(row, atMs)} · ${shortOffset(row, atMs)}`}</small>
      </p>
      {strip(plan, row, texts)}
      <ul class="plan-notes">
        {changesOf(row).map(change => (
          <li class="plan-change" safe>
            {`Clocks change: ${texts.change(change)}`}
          </li>
        ))}
        {dayNotes(plan, row, texts).map(note => (
          <li safe>{note}</li>
        ))}
      </ul>
    </>
  );
}

/** The kind of the plan's day in a row, and the row's other days off. */
function dayNotes(plan: Plan, row: PlanRow, texts: PlanTexts): string[] {
  const dates = new Map(daysOf(row).map(({ date, startMs }) => [date, startMs]));
  const kindOf = (date: string) =>
    isWorkday(row, date) ? 'working day' : (row.days.get(date)?.name ?? 'weekend');
  return [...dates]
    .filter(([date]) => date === plan.date || !isWorkday(row, date))
    .map(([date, startMs]) => `${texts.date(row, startMs)}: ${kindOf(date)}`);
}

/** The day of a row from left to right: light, days off, working hours, clock changes, the meeting and the cursor. */
function strip(plan: Plan, row: PlanRow, texts: PlanTexts): JSX.Element {
  const toX = (epochMs: number) => ((epochMs - plan.startMs) / (plan.endMs - plan.startMs)) * 1000;
  const bar = (name: string, { startMs, endMs }: Span, [y, height]: readonly [number, number]) => {
    const [start, end] = [toX(startMs), Math.min(1000, toX(endMs))];
    return `<rect class="${name}" x="${start.toFixed(2)}" y="${y}" width="${(end - start).toFixed(2)}" height="${height}"/>`;
  };
  const line = (name: string, epochMs: number) => {
    const x = toX(epochMs).toFixed(2);
    return `<line class="${name}" x1="${x}" x2="${x}" y1="0" y2="100"/>`;
  };
  const light = row.point === null ? { day: [], twilight: [] } : lightOf(row.point, plan);
  const days = daysOf(row);
  const full = [0, 100] as const;
  const shapes = [
    bar(row.point === null ? 'strip-plain' : 'strip-night', plan, full),
    ...light.twilight.map(span => bar('strip-twilight', span, full)),
    ...light.day.map(span => bar('strip-day', span, full)),
    ...days.filter(({ date }) => !isWorkday(row, date)).map(span => bar('strip-off', span, full)),
    ...workOf(row, plan.state).map(span => bar('strip-work', span, [82, 18])),
    ...days
      .slice(1)
      .filter(({ date }, index) => date !== days[index]!.date)
      .map(({ startMs }) => line('strip-midnight', startMs)),
    ...changesOf(row).map(({ atMs }) => line('strip-change', atMs)),
    bar('strip-meeting', meetingOf(plan), full),
    line('strip-cursor', cursorMs(plan)),
  ].join('');
  return (
    <div class="strip" role="img" aria-label={Html.escapeHtml(stripLabel(plan, row, texts))} data-strip>
      <svg viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">
        {shapes}
      </svg>
      {hourLabels(plan, row, texts)}
    </div>
  );
}

function stripLabel(plan: Plan, row: PlanRow, texts: PlanTexts): string {
  const listed = (what: string, spans: readonly Span[]) =>
    spans.length === 0 ? `no ${what}` : `${what} ${spans.map(span => texts.range(row, span)).join(' and ')}`;
  const work = listed('working hours', workOf(row, plan.state));
  const sun = row.point === null ? [] : [listed('daylight', lightOf(row.point, plan).day)];
  return [`Day in ${row.name}`, work, ...sun].join(', ');
}

/** The local hour at each hour of the day, or the date at midnight. */
function hourLabels(plan: Plan, row: PlanRow, texts: PlanTexts): JSX.Element {
  const count = Math.ceil((plan.endMs - plan.startMs) / HOUR_MS);
  const hours = Array.from({ length: count }, (_, index) => plan.startMs + index * HOUR_MS);
  return (
    <ol class="strip-hours" aria-hidden="true">
      {hours.map(epochMs => {
        const local = new Date(localMs(row, epochMs));
        const [hour, minutes] = [local.getUTCHours(), local.getUTCMinutes()];
        const isNewDay = hour === 0;
        return (
          <li class={isNewDay ? 'strip-date' : undefined}>
            <span safe>{isNewDay ? texts.date(row, epochMs) : String(hour)}</span>
            {minutes > 0 && !isNewDay && <sup>{String(minutes).padStart(2, '0')}</sup>}
          </li>
        );
      })}
    </ol>
  );
}

/** Links to the plan with a row moved or removed. */
function RowActions({ state, index }: { state: PlanState; index: number }): JSX.Element {
  const { places } = state;
  const name = places[index]!; // there is a row for each place
  const others = places.filter((_, other) => other !== index);
  const link = (sign: string, verb: string, moved: readonly string[]) => {
    const label = Html.escapeHtml(`${verb} ${name}`);
    return (
      <a class="quiet" href={planUrl({ ...state, places: moved })} data-focus={label} aria-label={label}>
        {sign}
      </a>
    );
  };
  return (
    <p class="plan-actions">
      {index > 0 && link('↑', 'Move up', others.toSpliced(index - 1, 0, name))}
      {index < others.length && link('↓', 'Move down', others.toSpliced(index + 1, 0, name))}
      {others.length > 0 && link('×', 'Remove', others)}
    </p>
  );
}

const LEGEND = [
  ['strip-day', 'daylight'],
  ['strip-twilight', 'twilight'],
  ['strip-night', 'night'],
  ['strip-work', 'working hours'],
  ['strip-off', 'weekend or holiday'],
  ['strip-change', 'clocks change'],
] as const;

function Legend(): JSX.Element {
  return (
    <ul class="plan-legend" aria-label="Legend">
      {LEGEND.map(([name, meaning]) => (
        <li>
          <svg viewBox="0 0 20 10" aria-hidden="true">
            {name === 'strip-off' && <rect class="strip-day" width="20" height="10" />}
            <rect class={name} width="20" height="10" />
          </svg>
          {meaning}
        </li>
      ))}
    </ul>
  );
}

const SUITABILITY_TEXTS: Readonly<Record<Suitability, string>> = {
  work: 'at work',
  awake: 'outside working hours',
  night: 'at night',
};

/** The proposed times, best first, as links that move the cursor there. */
function Slots({ plan, texts }: { plan: Plan; texts: PlanTexts }): JSX.Element {
  if (plan.rows.filter(isShown).length < 2) return '';
  return (
    <section class="plan-slots" aria-labelledby="slots-title">
      <h2 id="slots-title">Best times</h2>
      <ol>{proposeSlots(plan).map(slot => slotLink(slot, plan, texts))}</ol>
    </section>
  );
}

function slotLink(slot: Slot, plan: Plan, texts: PlanTexts): JSX.Element {
  const atMinutes = (slot.startMs - plan.startMs) / MINUTE_MS;
  const atWork = slot.suits.filter(({ suitability }) => suitability === 'work').length;
  return (
    <li>
      <a
        class="slot"
        href={planUrl({ ...plan.state, cursorMinutes: atMinutes })}
        data-focus={`slot ${atMinutes}`}
        aria-current={slot.startMs === cursorMs(plan) ? 'true' : undefined}
      >
        <b safe>
          {atWork === slot.suits.length ? 'All at work' : `${atWork} of ${slot.suits.length} at work`}
        </b>
        <span class="slot-times">
          {slot.suits.map(({ row, suitability }) => (
            <span class={`slot-time slot-${suitability}`}>
              <span safe>{row.name}</span>{' '}
              <time datetime={isoLocal(row, slot.startMs)} safe>
                {texts.range(row, slot)}
              </time>
              <span class="unseen">, {SUITABILITY_TEXTS[suitability]}</span>
            </span>
          ))}
        </span>
      </a>
    </li>
  );
}

/** The cursor in words: the time in each place, and how suitable the meeting is there. */
export function cursorText(plan: Plan, texts: PlanTexts): string {
  const meeting = meetingOf(plan);
  return plan.rows
    .filter(isShown)
    .map(row => {
      const suitability = SUITABILITY_TEXTS[suitabilityIn(row, plan)(meeting)];
      const day = dateOf(row, meeting.startMs) === plan.date ? '' : ` ${texts.date(row, meeting.startMs)}`;
      return `${row.name}${day} ${texts.time(row, meeting.startMs)}, ${suitability}`;
    })
    .join('; ');
}
