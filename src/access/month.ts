import { civilDateOf, dayNumberOf } from '../common/civil.ts';

/** A calendar month in UTC. */
export interface Month {
  /** Months since year 0: `year × 12 + month − 1`. */
  readonly index: number;
  /** `2026-11` */
  readonly label: string;
  readonly startMs: number;
  /** The first instant of the next month. */
  readonly endMs: number;
}

const MS_PER_DAY = 86_400_000;

/** The month of an index. */
export function monthAt(index: number): Month {
  const year = Math.floor(index / 12);
  const number = index - year * 12 + 1;
  return {
    index,
    label: `${String(year).padStart(4, '0')}-${String(number).padStart(2, '0')}`,
    startMs: dayNumberOf(year, number, 1) * MS_PER_DAY,
    endMs: dayNumberOf(year, number + 1, 1) * MS_PER_DAY,
  };
}

/** The index of a month's label: `2026-11`. */
export function monthLabelled(label: string): number {
  const [year, month] = label.split('-').map(Number);
  return year! * 12 + month! - 1;
}

/** The month of an instant. */
export function monthOf(epochMs: number): Month {
  const { year, month } = civilDateOf(Math.floor(epochMs / MS_PER_DAY));
  return monthAt(year * 12 + month - 1);
}
