import { dayNumberOf } from '../../../src/common/civil.ts';

/** The day number of Easter Sunday, by the Meeus/Jones/Butcher algorithm. */
export function easterSunday(year: number): number {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const yearOfCentury = year % 100;
  const epact =
    (19 * golden +
      century -
      Math.floor(century / 4) -
      Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3) +
      15) %
    30;
  const weekday =
    (32 + 2 * (century % 4) + 2 * Math.floor(yearOfCentury / 4) - epact - (yearOfCentury % 4)) % 7;
  const correction = Math.floor((golden + 11 * epact + 22 * weekday) / 451);
  return dayNumberOf(year, 3, 22 + epact + weekday - 7 * correction);
}

/** The day number of Easter Sunday in the Julian calendar, which is 13 days behind from 1900 to 2099 and one more in 2100. */
export function orthodoxEasterSunday(year: number): number {
  const epact = (19 * (year % 19) + 15) % 30;
  const weekday = (2 * (year % 4) + 4 * (year % 7) - epact + 34) % 7;
  return dayNumberOf(year, 3, 22 + epact + weekday + (year < 2100 ? 13 : 14));
}
