import type { CompiledCalendar } from '../calendars.ts';
import { yearOf } from '../dates.ts';
import { lunisolarDay, UTC_OFFSETS } from '../rules/lunisolar.ts';

const { chinese, korean, vietnamese } = UTC_OFFSETS;

/** The holidays that laws name by their dates in the lunisolar calendar of a meridian. */
const HOLIDAYS = [
  { codes: ['BN'], name: 'Tahun Baru Cina', utcOffsetHours: chinese, month: 1, day: 1 },
  { codes: ['CN'], name: '春节', utcOffsetHours: chinese, month: 1, day: 1 },
  { codes: ['CN'], name: '端午节', utcOffsetHours: chinese, month: 5, day: 5 },
  { codes: ['CN'], name: '中秋节', utcOffsetHours: chinese, month: 8, day: 15 },
  { codes: ['HK'], name: '農曆年初一', utcOffsetHours: chinese, month: 1, day: 1 },
  { codes: ['HK', 'MO', 'TW'], name: '端午節', utcOffsetHours: chinese, month: 5, day: 5 },
  { codes: ['HK', 'MO'], name: '中秋節翌日', utcOffsetHours: chinese, month: 8, day: 16 },
  { codes: ['MO'], name: '農曆正月初一', utcOffsetHours: chinese, month: 1, day: 1 },
  { codes: ['MO'], name: '重陽節', utcOffsetHours: chinese, month: 9, day: 9 },
  { codes: ['MU'], name: 'Chinese Spring Festival', utcOffsetHours: chinese, month: 1, day: 1 },
  { codes: ['MY'], name: 'Tahun Baharu Cina', utcOffsetHours: chinese, month: 1, day: 1 },
  { codes: ['PH', 'SG'], name: 'Chinese New Year', utcOffsetHours: chinese, month: 1, day: 1 },
  { codes: ['TW'], name: '中秋節', utcOffsetHours: chinese, month: 8, day: 15 },
  { codes: ['KP'], name: '설명절', utcOffsetHours: korean, month: 1, day: 1 },
  { codes: ['KP', 'KR'], name: '추석', utcOffsetHours: korean, month: 8, day: 15 },
  { codes: ['KR'], name: '설날', utcOffsetHours: korean, month: 1, day: 1 },
  { codes: ['KR'], name: '부처님오신날', utcOffsetHours: korean, month: 4, day: 8 },
  { codes: ['VN'], name: 'Tết Nguyên Đán', utcOffsetHours: vietnamese, month: 1, day: 1 },
  { codes: ['VN'], name: 'Ngày Giỗ Tổ Hùng Vương', utcOffsetHours: vietnamese, month: 3, day: 10 },
];

/** The first year from which all these calendars follow the rule, and the sources have them. */
const FIRST_YEAR = 2008;

/** The lunisolar holidays of a compiled calendar that contradict new moons and solar terms, as messages. */
export function lunisolarFaults({ code, days, coverage }: CompiledCalendar): string[] {
  const ofCalendar = HOLIDAYS.filter(({ codes }) => codes.includes(code));
  return ofCalendar.flatMap(({ name, utcOffsetHours, month, day }) => {
    const named = days.holidays.filter(holiday => holiday.name === name);
    const listed = new Set(named.map(({ dayNumber }) => dayNumber));
    return [...new Set([...listed].map(yearOf))]
      .filter(year => year >= Math.max(FIRST_YEAR, coverage.from) && year <= coverage.to)
      .filter(year => !listed.has(lunisolarDay(year, month, day, utcOffsetHours)))
      .map(year => `${code}: ${name} of ${year} is not on day ${day} of month ${month}`);
  });
}
