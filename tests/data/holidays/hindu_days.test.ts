import { expect, test } from 'bun:test';
import { carryHinduDaysOn } from '../../../data/holidays/hindu_days.ts';
import { readPythonHolidays } from '../../../data/holidays/python_holidays.ts';
import { dayNumberOfIso, type SourceDay } from '../../../data/holidays/source_calendar.ts';
import { isoDate } from '../../holidays/iso_date.ts';

const diwali = (date: string): SourceDay => ({
  dayNumber: dayNumberOfIso(date),
  name: 'Diwali (Deepavali)',
  nameEn: null,
  status: 'statutory',
  isSubstitute: false,
  source: 'library',
});

test('the new moon of Kartika is Diwali where it covers more of the evening', () => {
  // From 15:52 on October 31 to 18:16 on November 1 in India: longer in the first evening.
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

test('a table that the rule does not give is an error, and other holidays stay', () => {
  expect(() => carryHinduDaysOn('IN', [diwali('2024-11-01')])).toThrow("no 'Diwali (Deepavali)' of 2024");
  expect(carryHinduDaysOn('DE', [diwali('2024-11-01')])).toEqual([diwali('2024-11-01')]);
});

test('the tables of python-holidays are those of the rule, year by year', () => {
  const sources = readPythonHolidays().filter(({ code }) => ['GY', 'IN', 'MU', 'NP'].includes(code));
  for (const { code, holidays } of sources) {
    const dates = carryHinduDaysOn(code, holidays);
    expect(dates.length).toBeGreaterThan(holidays.length + 60);
    // A year at a time, from the year before on: the rule gives what the table has.
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
