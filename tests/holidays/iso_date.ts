import { civilDateOf } from '../../src/common/civil.ts';

/** `2026-12-24`, for test messages; years 1000 to 9999. */
export function isoDate(dayNumber: number): string {
  const { year, month, day } = civilDateOf(dayNumber);
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}
