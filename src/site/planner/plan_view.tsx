// Not from @elysiajs/html, which would bundle Elysia into the browser script.
import { Html } from '@kitajs/html';
import {
  changesOf,
  cursorMs,
  dateOf,
  daysOf,
  type FaultyRow,
  isShown,
  isWorkday,
  lightOf,
  localMs,
  MINUTE_MS,
  type Plan,
  type PlanRow,
  type PlanState,
  planUrl,
  proposeSlots,
  type Slot,
  type Span,
  type Suitability,
  suitabilityOf,
  workOf,
} from './plan.ts';
import { isoLocal, meetingOf, offsetText, type PlanTexts } from './plan_texts.ts';

const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

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

/** A row of a plan. */
export function planRow(plan: Plan, index: number, texts: PlanTexts): JSX.Element {
  const row = plan.rows[index]!; // indices are those of rows
  return (
    <li class="plan-row" data-place={row.query}>
      {isShown(row) ? <Row plan={plan} row={row} texts={texts} /> : <Fault row={row} />}
      <RowActions state={plan.state} index={index} />
    </li>
  );
}

/** The date of a plan, between links to the previous and next days. */
export function dayHeading(plan: Plan, texts: PlanTexts): JSX.Element {
  const link = (days: number) => {
    const date = new Date(Date.parse(plan.date) + days * DAY_MS).toISOString().slice(0, 10);
    return planUrl({ ...plan.state, date });
  };
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

interface RowProps {
  readonly plan: Plan;
  readonly row: PlanRow;
  readonly texts: PlanTexts;
}

function Row({ plan, row, texts }: RowProps): JSX.Element {
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
        <small safe>{`${texts.date(row, atMs)} · ${offsetText(row, atMs)}`}</small>
      </p>
      <Strip plan={plan} row={row} texts={texts} />
      <Notes plan={plan} row={row} texts={texts} />
    </>
  );
}

function Fault({ row: { query, fault } }: { row: FaultyRow }): JSX.Element {
  return (
    <>
      <h3 safe>{query}</h3>
      <p class="plan-fault status-bad" safe>
        {`${fault}.`}
      </p>
    </>
  );
}

/** The kind of the plan's day in a row, the row's other days off, and its clock changes. */
function Notes({ plan, row, texts }: RowProps): JSX.Element {
  const dates = new Map(daysOf(row).map(({ date, startMs }) => [date, startMs]));
  const kindOf = (date: string) =>
    isWorkday(row, date) ? 'working day' : (row.days.get(date)?.name ?? 'weekend');
  const days = [...dates]
    .filter(([date]) => date === plan.date || !isWorkday(row, date))
    .map(([date, startMs]) => `${texts.date(row, startMs)}: ${kindOf(date)}`);
  const changes = changesOf(row).map(change => `Clocks change: ${texts.change(change)}`);
  return (
    <ul class="plan-notes">
      {changes.map(change => (
        <li class="plan-change" safe>
          {change}
        </li>
      ))}
      {days.map(day => (
        <li safe>{day}</li>
      ))}
    </ul>
  );
}

/** The day of a row from left to right: light, days off, working hours, clock changes, the meeting and the cursor. */
function Strip({ plan, row, texts }: RowProps): JSX.Element {
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
    <div class="strip" role="img" aria-label={stripLabel({ plan, row, texts })} data-strip>
      <svg viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">
        {shapes}
      </svg>
      <HourLabels plan={plan} row={row} texts={texts} />
    </div>
  );
}

/** A strip's contents, in words. */
function stripLabel({ plan, row, texts }: RowProps): string {
  const light = row.point === null ? null : lightOf(row.point, plan).day;
  const work = workOf(row, plan.state).map(span => texts.range(row, span));
  const sun = light?.map(span => texts.range(row, span));
  return [
    `Day in ${row.name}`,
    work.length === 0 ? 'no working hours' : `working hours ${work.join(' and ')}`,
    ...(sun === undefined ? [] : [sun.length === 0 ? 'no daylight' : `daylight ${sun.join(' and ')}`]),
  ].join(', ');
}

/** The local hour at each hour of the day, or the date at midnight. */
function HourLabels({ plan, row, texts }: RowProps): JSX.Element {
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
  const link = (sign: string, label: string, moved: readonly string[]) => (
    <a
      class="quiet"
      href={planUrl({ ...state, places: moved })}
      data-focus={`${label} ${name}`}
      aria-label={`${label} ${name}`}
      safe
    >
      {sign}
    </a>
  );
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
  const slots = proposeSlots(plan);
  if (plan.rows.filter(isShown).length < 2) return '';
  return (
    <section class="plan-slots" aria-labelledby="slots-title">
      <h2 id="slots-title">Best times</h2>
      <ol>
        {slots.map(slot => (
          <SlotLink slot={slot} plan={plan} texts={texts} />
        ))}
      </ol>
    </section>
  );
}

function SlotLink({ slot, plan, texts }: { slot: Slot; plan: Plan; texts: PlanTexts }): JSX.Element {
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
      const suitability = SUITABILITY_TEXTS[suitabilityOf(row, meeting, plan)];
      const day = dateOf(row, meeting.startMs) === plan.date ? '' : ` ${texts.date(row, meeting.startMs)}`;
      return `${row.name}${day} ${texts.time(row, meeting.startMs)}, ${suitability}`;
    })
    .join('; ');
}
