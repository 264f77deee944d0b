import { civilDateOf, weekdayOf } from '../common/civil.ts';
import { type DaySelector, dateCode, MINUTES_PER_DAY, type Schedule, type TimeSpan } from './schedule.ts';

/** What a schedule says of one day. */
export interface DayPlan {
  /** Opening and closing in turns, ascending, as minutes from midnight: 0–1440. */
  readonly changes: readonly number[];
  readonly openMinutes: number;
}

/** The properties of a day that rules select by. */
interface Day {
  readonly weekday: number;
  readonly date: number;
  readonly isHoliday: boolean;
}

/** The part of a rule that lies in its day, or its tail: the part after midnight, which depends on the day before. */
interface Layer {
  readonly days: DaySelector | null;
  readonly spans: readonly TimeSpan[];
  readonly isOpen: boolean;
  readonly isTail: boolean;
  /** Whether it replaces what the layers before it say of a day. */
  readonly overrides: boolean;
}

/** The plans of a schedule's days. Few of them differ, and each is made once. */
export class DayPlans {
  readonly #layers: readonly Layer[];
  /** The index of each date of a rule, from 1 on. */
  readonly #dates: ReadonlyMap<number, number>;
  readonly #plans = new Map<number, DayPlan>();
  /** By the indices of the layers that apply: thousands of days that differ in date or weekday share a few. */
  readonly #plansOfLayers = new Map<string, DayPlan>();

  constructor(schedule: Schedule) {
    this.#layers = layersOf(schedule);
    const dates = new Set(schedule.rules.flatMap(({ days }) => days?.dates ?? []));
    this.#dates = new Map([...dates].map((date, index) => [date, index + 1]));
  }

  /** The plan of a day in days since 1970-01-01; the tails of the day before depend on whether that was a holiday. */
  planOf(dayNumber: number, isHoliday: boolean, wasHoliday: boolean): DayPlan {
    const hasDates = this.#dates.size > 0;
    const date = hasDates ? dateOf(dayNumber) : 0;
    const dateBefore = hasDates ? dateOf(dayNumber - 1) : 0;
    const weekday = weekdayOf(dayNumber);
    const dates = hasDates
      ? (this.#dates.get(date) ?? 0) * (this.#dates.size + 1) + (this.#dates.get(dateBefore) ?? 0)
      : 0;
    const key = ((dates * 7 + weekday) * 2 + Number(isHoliday)) * 2 + Number(wasHoliday);
    const known = this.#plans.get(key);
    if (known !== undefined) return known;
    const plan = this.#make(
      { weekday, date, isHoliday },
      { weekday: (weekday + 6) % 7, date: dateBefore, isHoliday: wasHoliday },
    );
    this.#plans.set(key, plan);
    return plan;
  }

  #make(today: Day, yesterday: Day): DayPlan {
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

function planOfLayers(layers: readonly Layer[]): DayPlan {
  const minutes = new Uint8Array(MINUTES_PER_DAY);
  for (const { spans, isOpen } of layers) {
    if (spans.length === 0) minutes.fill(Number(isOpen));
    for (const { fromMinute, untilMinute } of spans) minutes.fill(Number(isOpen), fromMinute, untilMinute);
  }
  return planOfMinutes(minutes);
}

/**
 * The layers of a schedule in order. As in the npm library `opening_hours`, an open rule overrides the rules before it on
 * its days, tails included, while `off` only closes its times.
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
