import { type Static, Type } from '@sinclair/typebox';
import { civilDateOf, daysInMonth } from '../common/civil.ts';
import type { Json } from '../common/json.ts';
import { type BusinessDaySequence, isOnWeekend } from '../holidays/business_days.ts';
import { businessDaysOf } from '../holidays/count_business_days.ts';
import type { HolidayCalendar } from '../holidays/holiday_calendar.ts';
import { checkCoverage, type UsedCalendars } from './business_days.ts';
import { DayDate, DayNames, type DayRange, dateText } from './holidays.ts';

const WorkDay = Type.Object(
  {
    date: DayDate,
    kind: Type.Union(
      [Type.Literal('business'), Type.Literal('weekend'), Type.Literal('holiday'), Type.Literal('worked')],
      {
        description:
          '`business`; `weekend`; `holiday`, of those that are not on a weekend; or `worked`, a business day that would ' +
          'otherwise be off.',
      },
    ),
    name: Type.Union([Type.String(), Type.Null()], {
      description: 'Name of the holiday, also of one on a weekend, or of the worked day; else null.',
    }),
  },
  { $id: 'WorkDay', description: 'A day, and why it is worked or not.' },
);
type WorkDay = Static<typeof WorkDay>;
type Kind = WorkDay['kind'];

function days(kind: string) {
  return Type.Integer({ minimum: 0, description: `Days that are \`${kind}\`.` });
}
const WorkMonth = Type.Object(
  {
    month: Type.String({ description: 'Month, `YYYY-MM`.' }),
    business: days('business'),
    weekend: days('weekend'),
    holiday: days('holiday'),
    worked: days('worked'),
  },
  { $id: 'WorkMonth', description: 'The listed days of a month by kind.' },
);
type WorkMonth = Static<typeof WorkMonth>;

/** The payload of `/v1/work/days`. */
export const WorkDays = Type.Object(
  {
    from: DayDate,
    to: DayDate,
    days: Type.Array(WorkDay, { description: 'One entry a day.' }),
    months: Type.Array(WorkMonth, {
      description: 'Totals a month; `business` and `worked` are business days.',
    }),
  },
  { $id: 'WorkDays', description: 'The days of a range by kind.' },
);
export type WorkDays = Static<typeof WorkDays>;

/** Kinds and names of the days of calendars. */
class DaysOfCalendars {
  readonly #businessDays: BusinessDaySequence;
  readonly #calendars: readonly HolidayCalendar[];
  readonly #holidays = new Map<number, string[]>();
  readonly #workdays = new Map<number, string[]>();

  /** `language` is that of the names; null: that of the place. */
  constructor(
    { firstDay, lastDay }: DayRange,
    calendars: readonly HolidayCalendar[],
    language: string | null,
  ) {
    this.#businessDays = businessDaysOf(calendars);
    this.#calendars = calendars;
    for (const calendar of calendars) {
      const names = new DayNames(calendar, language);
      for (const day of calendar.datesBetween(firstDay, lastDay)) {
        addName(day.isWorkday ? this.#workdays : this.#holidays, day.dayNumber, names.nameOf(day));
      }
    }
  }

  kindOf(dayNumber: number): Kind {
    if (this.#businessDays.isBusinessDay(dayNumber)) {
      return this.#workdays.has(dayNumber) ? 'worked' : 'business';
    }
    return this.#isWeekend(dayNumber) ? 'weekend' : 'holiday';
  }

  nameOf(dayNumber: number, kind: Kind): string | null {
    if (kind === 'business') return null;
    const names = (kind === 'worked' ? this.#workdays : this.#holidays).get(dayNumber);
    return names?.join('; ') ?? null;
  }

  /** Whether a day off is on a weekend that is not worked; without a calendar it always is. */
  #isWeekend(dayNumber: number): boolean {
    if (this.#calendars.length === 0) return true;
    return this.#calendars.some(
      ({ workWeek, businessDays }) =>
        isOnWeekend(workWeek, dayNumber) && !businessDays.isBusinessDay(dayNumber),
    );
  }
}

function addName(names: Map<number, string[]>, dayNumber: number, name: string): void {
  const known = names.get(dayNumber);
  if (known === undefined) names.set(dayNumber, [name]);
  else if (!known.includes(name)) known.push(name);
}

/**
 * Some days by kind, with names in a language; null: in that of the place. A day off in any calendar is off, and named by all
 * of them. Throws `INVALID_PARAMETER` where the calendars must cover the days and do not.
 */
export function listWorkDays(range: DayRange, used: UsedCalendars, language: string | null): WorkDays {
  const { firstDay, lastDay } = range;
  checkCoverage(used, firstDay, lastDay);
  const source = new DaysOfCalendars(range, used.calendars, language);
  const days: WorkDay[] = [];
  const months: WorkMonth[] = [];
  for (let start = firstDay; start <= lastDay; ) {
    const { year, month, day } = civilDateOf(start);
    const totals = { month: dateText(start).slice(0, 7), business: 0, weekend: 0, holiday: 0, worked: 0 };
    const end = Math.min(start + daysInMonth(year, month) - day, lastDay);
    for (let dayNumber = start; dayNumber <= end; dayNumber++) {
      const kind = source.kindOf(dayNumber);
      totals[kind]++;
      // A tenth of the time of formatting each date.
      const date = `${totals.month}-${DAYS[day + dayNumber - start]}`;
      days.push({ date, kind, name: source.nameOf(dayNumber, kind) });
    }
    months.push(totals);
    start = end + 1;
  }
  return { from: dateText(firstDay), to: dateText(lastDay), days, months };
}

/** `00` to `31` */
const DAYS = Array.from({ length: 32 }, (_, day) => String(day).padStart(2, '0'));

/** The JSON of a day, in two thirds of the time of `encode`. */
export function workDayJson({ date, kind, name }: WorkDay): Json<WorkDay> {
  return `{"date":"${date}","kind":"${kind}","name":${name === null ? name : JSON.stringify(name)}}` as Json<WorkDay>;
}
