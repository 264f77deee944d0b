/** Public holidays by date-holidays: one object per country and subdivision, with requested years cached. */
import Holidays from 'date-holidays';
import { BadRequest } from './bad_request.js';

const MS_PER_DAY = 86_400_000;
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const countries = new Holidays();
const calendars = new Map();

function calendarOf(country, subdivision) {
  const key = `${country}-${subdivision ?? ''}`;
  let calendar = calendars.get(key);
  if (calendar === undefined) {
    if (!(country in countries.getCountries('en'))) {
      throw new BadRequest('INVALID_PARAMETER', `'${country}' is not a country with holidays`);
    }
    calendar = { holidays: new Holidays(country, subdivision), years: new Map() };
    calendars.set(key, calendar);
  }
  return calendar;
}

/** The public holidays of a year, each with its day since 1970-01-01. */
function holidaysOf(calendar, year) {
  let days = calendar.years.get(year);
  if (days === undefined) {
    days = calendar.holidays
      .getHolidays(year)
      .filter(({ type }) => type === 'public')
      .map(({ date, name }) => ({ date: date.slice(0, 10), name, day: dayOf(date.slice(0, 10)) }));
    calendar.years.set(year, days);
  }
  return days;
}

function dayOf(date) {
  return Date.parse(`${date}T00:00:00Z`) / MS_PER_DAY;
}

function weekdayOf(day) {
  return new Date(day * MS_PER_DAY).getUTCDay();
}

function isWeekend(day) {
  return weekdayOf(day) % 6 === 0;
}

/** Mondays to Fridays from one day (since 1970-01-01) to before another: whole weeks first, then the remaining days. */
function weekdaysBetween(first, end) {
  const weeks = Math.floor((end - first) / 7);
  let count = weeks * 5;
  for (let day = first + weeks * 7; day < end; day++) if (!isWeekend(day)) count++;
  return count;
}

/** The days between two dates, `YYYY-MM-DD`, that are neither weekend nor, with a country, public holiday. */
export function businessDays(one, other, country, subdivision) {
  const [first, end] = [dayOf(one), dayOf(other)].sort((a, b) => a - b);
  const weekdays = weekdaysBetween(first, end);
  if (country === undefined) return weekdays;
  const calendar = calendarOf(country, subdivision);
  const years = [one, other].map(date => Number(date.slice(0, 4))).sort((a, b) => a - b);
  const free = new Set();
  for (let year = years[0]; year <= years[1]; year++) {
    for (const { day } of holidaysOf(calendar, year)) {
      if (day >= first && day < end && !isWeekend(day)) free.add(day);
    }
  }
  return weekdays - free.size;
}

/** The response of `/v1/holidays`. */
export function holidayListing({ country, subdivision, year }) {
  if (country === undefined) {
    return {
      countries: Object.entries(countries.getCountries('en')).map(([code, name]) => ({ code, name })),
    };
  }
  const calendar = calendarOf(country, subdivision);
  if (year === undefined) {
    const states = Object.entries(calendar.holidays.getStates(country) ?? {});
    return { country, subdivisions: states.map(([code, name]) => ({ code, name })) };
  }
  return {
    country,
    subdivision: subdivision ?? null,
    year: Number(year),
    weekend: [6, 7],
    holidays: holidaysOf(calendar, Number(year)).map(({ date, name, day }) => ({
      date,
      name,
      day_full: WEEKDAYS[weekdayOf(day)],
      source: 'date-holidays',
    })),
    workdays: [],
  };
}

/** The response of `/v1/work/days`. */
export function workDays({ from, to, holiday_country: country, holiday_subdivision: subdivision }) {
  const calendar = country === undefined ? null : calendarOf(country, subdivision);
  const names = new Map();
  for (let year = Number(from.slice(0, 4)); calendar && year <= Number(to.slice(0, 4)); year++) {
    for (const { day, name } of holidaysOf(calendar, year)) names.set(day, name);
  }
  const days = [];
  const months = new Map();
  for (let day = dayOf(from); day <= dayOf(to); day++) {
    const date = new Date(day * MS_PER_DAY).toISOString().slice(0, 10);
    const name = names.get(day) ?? null;
    const kind = isWeekend(day) ? 'weekend' : name === null ? 'business' : 'holiday';
    const month = date.slice(0, 7);
    const totals = months.get(month) ?? { month, business: 0, weekend: 0, holiday: 0, worked: 0 };
    totals[kind]++;
    months.set(month, totals);
    days.push({ date, kind, name });
  }
  return { from, to, days, months: [...months.values()] };
}
