import { expect, test } from 'bun:test';
import { dayNumberOfIso } from '../../../data/holidays/dates.ts';
import { carryHinduDaysOn } from '../../../data/holidays/hindu_days.ts';
import { readPythonHolidays } from '../../../data/holidays/python_holidays.ts';
import type { SourceDay } from '../../../data/holidays/types.ts';
import { isoDate } from '../../holidays/iso_date.ts';

const diwali = (date: string): SourceDay => ({
  dayNumber: dayNumberOfIso(date),
  name: 'Diwali (Deepavali)',
  nameEn: null,
  status: 'statutory',
  isSubstitute: false,
  source: 'library',
});

test("Diwali is the day whose evening has more of Kartika's new moon", () => {
  // From 15:52 on October 31 to 18:16 on November 1 in India: longer on the first evening.
  const carried = carryHinduDaysOn('IN', [diwali('2023-11-12')]);
  expect(carried.slice(0, 4).map(({ dayNumber }) => isoDate(dayNumber))).toEqual([
    '2023-11-12',
    '2024-10-31',
    '2025-10-20',
    '2026-11-08',
  ]);
  expect(carried.at(-1)!.status).toBe('estimated');
  expect(carried.length).toBe(2100 - 2022);
});

test('a table that contradicts the rule is an error, and other holidays are not changed', () => {
  expect(() => carryHinduDaysOn('IN', [diwali('2024-11-01')])).toThrow("no 'Diwali (Deepavali)' of 2024");
  expect(carryHinduDaysOn('DE', [diwali('2024-11-01')])).toEqual([diwali('2024-11-01')]);
});

test("the rule reproduces python-holidays' tables, year by year", () => {
  const sources = readPythonHolidays().filter(({ code }) => ['GY', 'IN', 'MU', 'NP'].includes(code));
  for (const { code, holidays } of sources) {
    const dates = carryHinduDaysOn(code, holidays);
    expect(dates.length).toBeGreaterThan(holidays.length + 60);
    // One year at a time, starting from the year before: the rule reproduces the table.
    const names = new Set(dates.slice(holidays.length).map(({ name }) => name));
    for (const name of names) {
      const table = holidays.filter(day => day.name === name);
      const first = table[0]!;
      const computed = new Set(carryHinduDaysOn(code, [first]).map(({ dayNumber }) => dayNumber));
      const lacking = table
        .filter(({ dayNumber }) => !computed.has(dayNumber))
        .map(day => isoDate(day.dayNumber));
      expect({ code, name, lacking }).toEqual({ code, name, lacking: [] });
    }
  }
});
