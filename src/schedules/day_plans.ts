import { civilDateOf, dayNumberOf, isLeapYear, weekdayOf } from '../common/civil.ts';
import {
  type DaySelector,
  dateCode,
  MINUTES_PER_DAY,
  type Schedule,
  type TimeSpan,
} from './opening_hours.ts';

/** The plan of one day in a schedule. */
export interface DayPlan {
  /** Alternating opening and closing times, ascending, in minutes from midnight: 0–1440. */
  readonly changes: readonly number[];
  readonly openMinutes: number;
}

/** The properties of a day that rules match. */
interface Day {
  readonly weekday: number;
  readonly date: number;
  readonly isHoliday: boolean;
}

/** The part of a rule within its day, or its tail after midnight, which depends on the previous day. */
interface Layer {
  readonly days: DaySelector | null;
  readonly spans: readonly TimeSpan[];
  readonly isOpen: boolean;
  readonly isTail: boolean;
  /** Whether it overrides the preceding layers on a day. */
  readonly overrides: boolean;
}

/** Whether a day is a holiday (2), plus whether the previous day is one (1), on which its tails depend. */
export type HolidayState = 0 | 1 | 2 | 3;

/** The plans of a schedule's days, in days since 1970-01-01. Few of them differ, and each distinct one is built once. */
export class DayPlans {
  /** Whether plans depend on the previous day. */
  readonly haveTails: boolean;
  readonly #layers: readonly Layer[];
  readonly #classes: DateClasses;
  /** By date class, weekday and holiday state. */
  readonly #plans: (DayPlan | undefined)[] = [];
  readonly #openMinutes: Uint16Array;
  /** By the indices of the applicable layers: thousands of days with different dates or weekdays share a few plans. */
  readonly #plansOfLayers = new Map<string, DayPlan>();

  constructor(schedule: Schedule) {
    this.#layers = layersOf(schedule);
    this.haveTails = this.#layers.some(({ isTail }) => isTail);
    this.#classes = new DateClasses(this.#layers);
    this.#openMinutes = new Uint16Array(this.#classes.count * 28).fill(UNKNOWN);
  }

  planOf(dayNumber: number, state: HolidayState): DayPlan {
    const index = this.#indexOf(dayNumber) + state;
    this.#plans[index] ??= this.#make(dayNumber, state);
    return this.#plans[index];
  }

  /** The open minutes of a day, ignoring holidays. Avoids looking up plans, since years of days are summed. */
  openMinutesOf(dayNumber: number): number {
    const index = this.#indexOf(dayNumber);
    const minutes = this.#openMinutes[index]!;
    return minutes === UNKNOWN ? this.#sumOf(index, dayNumber, 0) : minutes;
  }

  /** The number of minutes by which holidays change a day. */
  changeOf(dayNumber: number, state: HolidayState): number {
    const index = this.#indexOf(dayNumber);
    const minutes = this.#openMinutes[index + state]!;
    const without = this.#openMinutes[index]!;
    return minutes === UNKNOWN || without === UNKNOWN
      ? this.#sumOf(index + state, dayNumber, state) - this.#sumOf(index, dayNumber, 0)
      : minutes - without;
  }

  #sumOf(index: number, dayNumber: number, state: HolidayState): number {
    const { openMinutes } = this.planOf(dayNumber, state);
    this.#openMinutes[index] = openMinutes;
    return openMinutes;
  }

  /** The index of the cached data of a day without holidays; other states follow. */
  #indexOf(dayNumber: number): number {
    return (this.#classes.of(dayNumber) * 7 + weekdayOf(dayNumber)) * 4;
  }

  #make(dayNumber: number, state: HolidayState): DayPlan {
    const today = dayOf(dayNumber, state >= 2);
    const yesterday = dayOf(dayNumber - 1, state % 2 === 1);
    let indices: number[] = [];
    for (const [index, layer] of this.#layers.entries()) {
      if (!selects(layer.days, layer.isTail ? yesterday : today)) continue;
      if (layer.overrides) indices = [];
      indices.push(index);
    }
    const key = indices.join();
    const plan = this.#plansOfLayers.get(key) ?? planOfLayers(indices.map(index => this.#layers[index]!));
    this.#plansOfLayers.set(key, plan);
    return plan;
  }
}

/** More minutes than in a day. */
const UNKNOWN = 0xffff;

/** Classes of days on which dates select the same layers. In class 0, dates select none. */
class DateClasses {
  readonly count: number;
  /** By day, 0 for January 1, for common years and for leap years; null without dates. */
  readonly #classes: readonly Uint16Array[] | null;
  /** The year of the last day looked up, since most lookups are in the same year. */
  #year: ClassifiedYear = { firstDay: 0, endDay: 0, classes: new Uint16Array() };

  constructor(layers: readonly Layer[]) {
    const numbers = new Map([['/', 0]]);
    const [own, tails] = [selectedDates(layers, false), selectedDates(layers, true)];
    const dates = new Set([...own.keys(), ...tails.keys()]);
    const classesOf = (year: number) => {
      const firstDay = dayNumberOf(year, 1, 1);
      const classes = new Uint16Array(dayNumberOf(year + 1, 1, 1) - firstDay);
      const days = [...dates].map(date => dayNumberOf(year, Math.floor(date / 32), date % 32));
      for (const day of days.flatMap(each => [each, each + 1])) {
        const selecting = `${own.get(dateOf(day)) ?? ''}/${tails.get(dateOf(day - 1)) ?? ''}`;
        if (!numbers.has(selecting)) numbers.set(selecting, numbers.size);
        classes[(day - firstDay) % classes.length] = numbers.get(selecting)!;
      }
      return classes;
    };
    this.#classes = dates.size === 0 ? null : [classesOf(2001), classesOf(2000)];
    this.count = numbers.size;
  }

  of(dayNumber: number): number {
    if (this.#classes === null) return 0;
    if (dayNumber < this.#year.firstDay || dayNumber >= this.#year.endDay) {
      const { year } = civilDateOf(dayNumber);
      const classes = this.#classes[isLeapYear(year) ? 1 : 0]!;
      const firstDay = dayNumberOf(year, 1, 1);
      this.#year = { firstDay, endDay: firstDay + classes.length, classes };
    }
    return this.#year.classes[dayNumber - this.#year.firstDay]!;
  }
}

interface ClassifiedYear {
  readonly firstDay: number;
  readonly endDay: number;
  readonly classes: Uint16Array;
}

/** The layers selected by dates, by index: on the day itself, or the tails on the next day. */
function selectedDates(layers: readonly Layer[], areTails: boolean): ReadonlyMap<number, string> {
  const selected = new Map<number, string>();
  for (const [index, { days, isTail }] of layers.entries())
    for (const date of (isTail === areTails && days?.dates) || [])
      selected.set(date, `${selected.get(date) ?? ''} ${index}`);
  return selected;
}

function dayOf(dayNumber: number, isHoliday: boolean): Day {
  return { weekday: weekdayOf(dayNumber), date: dateOf(dayNumber), isHoliday };
}

function planOfLayers(layers: readonly Layer[]): DayPlan {
  const minutes = new Uint8Array(MINUTES_PER_DAY);
  for (const { spans, isOpen } of layers) {
    if (spans.length === 0) minutes.fill(Number(isOpen));
    for (const { fromMinute, untilMinute } of spans) minutes.fill(Number(isOpen), fromMinute, untilMinute);
  }
  return planOfMinutes(minutes);
}

/**
 * The layers of a schedule, in order. As in the npm library `opening_hours`, an open rule overrides the preceding rules on its
 * days, including tails, while `off` only closes its times.
 */
function layersOf({ rules }: Schedule): Layer[] {
  const layers: Layer[] = [];
  for (const { days, spans, isOpen, isAdditional } of rules) {
    const before = layers.at(-1);
    const selectsDays = days !== null || before?.days === null;
    layers.push({ days, spans, isOpen, isTail: false, overrides: isOpen && !isAdditional && selectsDays });
    const tails = spans.filter(({ untilMinute }) => untilMinute > MINUTES_PER_DAY);
    if (tails.length === 0) continue;
    layers.push({
      days,
      spans: tails.map(({ untilMinute }) => ({ fromMinute: 0, untilMinute: untilMinute - MINUTES_PER_DAY })),
      isOpen,
      isTail: true,
      overrides: false,
    });
  }
  return layers;
}

function selects(days: DaySelector | null, { weekday, date, isHoliday }: Day): boolean {
  if (days === null) return true;
  return (
    (days.weekdays & (1 << weekday)) !== 0 ||
    days.dates.includes(date) ||
    (days.includesHolidays && isHoliday)
  );
}

function planOfMinutes(minutes: Uint8Array): DayPlan {
  const changes: number[] = [];
  let openMinutes = 0;
  for (let minute = 0; minute < MINUTES_PER_DAY; minute++) {
    openMinutes += minutes[minute]!;
    if (minutes[minute] !== (minute === 0 ? 0 : minutes[minute - 1])) changes.push(minute);
  }
  if (changes.length % 2 === 1) changes.push(MINUTES_PER_DAY);
  return { changes, openMinutes };
}

function dateOf(dayNumber: number): number {
  const { month, day } = civilDateOf(dayNumber);
  return dateCode(month, day);
}
