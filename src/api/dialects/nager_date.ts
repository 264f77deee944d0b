import { civilDateOf, MS_PER_DAY } from '../../common/civil.ts';
import { quoted, ServiceError } from '../../common/errors.ts';
import { dateText } from '../../common/iso_text.ts';
import { whenReady } from '../../common/promises.ts';
import { findCountry } from '../../holidays/find_calendar.ts';
import type { HolidayCalendar, NamedDay } from '../../holidays/holiday_calendar.ts';
import type { HolidayCalendars } from '../../holidays/holiday_calendars.ts';
import type { CountryEntry } from '../../holidays/holiday_pack.ts';
import type { Endpoint, Exchange } from '../../http/exchange.ts';
import type { Server } from '../../http/snapshot.ts';
import { DayNames, rangeOf } from '../../operations/holidays.ts';
import { dataSets } from '../../operations/served_data.ts';
import { withQuery } from '../common_parameters.ts';
import { asGiven, type Inputs, optional, text, type Values, wholeWithin } from '../inputs.ts';
import { parseYear } from '../parameters/dates.ts';
import { Slices } from '../slices.ts';
import { DialectResponses, decodedPath } from './dialect.ts';

const MS_PER_HOUR = 3_600_000;
const NEXT_DAYS = 365;
const HOLIDAYS = dataSets('holidays');

const responses = new DialectResponses('application/json');

export function nagerDateEndpoints({ now }: Server): readonly Endpoint[] {
  const today = (offsetHours = 0) => Math.floor((now() + offsetHours * MS_PER_HOUR) / MS_PER_DAY);
  const endpoint = <Declared extends Inputs>(
    path: string,
    inputs: Declared,
    handle: (values: Values<Declared>, exchange: Exchange) => Response | Promise<Response>,
  ): Endpoint => ({ path: `/api/v3/${path}`, access: 'guarded', handle: withQuery(inputs, handle) });
  return [
    endpoint('AvailableCountries', {}, (_, exchange) => {
      const { countries } = exchange.snapshot.holidays;
      const list = () => JSON.stringify(countries.map(({ code, name }) => ({ countryCode: code, name })));
      return responses.fixed(list, HOLIDAYS, exchange);
    }),
    endpoint('PublicHolidays/*', {}, (_, exchange) => {
      const { holidays } = exchange.snapshot;
      const [yearText = '', code = ''] = partsOf(exchange, 2);
      const country = countryOf(code, holidays);
      const { firstDay, lastDay } = rangeOf({ year: parseYear(yearText, holidays.header) });
      const list = () => publicHolidays(country, firstDay, lastDay, holidays);
      return responses.fixed(list, HOLIDAYS, exchange);
    }),
    endpoint('NextPublicHolidays/*', {}, async (_, exchange) => {
      const { holidays } = exchange.snapshot;
      const country = countryOf(partsOf(exchange, 1)[0]!, holidays);
      const firstDay = today();
      const list = await publicHolidays(country, firstDay, firstDay + NEXT_DAYS, holidays);
      return responses.momentary(list, exchange);
    }),
    endpoint('IsTodayPublicHoliday/*', TODAY_INPUTS, ({ countyCode, offset }, exchange) => {
      const { holidays } = exchange.snapshot;
      const country = countryOf(partsOf(exchange, 1)[0]!, holidays);
      const subdivision = countyCode === null ? null : subdivisionOf(country, countyCode);
      const names = { country: 'countryCode', subdivision: 'countyCode' };
      const calendar = holidays.calendarOf(country, subdivision, names);
      return whenReady(responses.momentary('', exchange), response => {
        if (calendar.publicHolidays.has(today(offset ?? 0))) return response;
        response.headers.delete('Content-Type');
        return new Response(null, { status: 204, headers: response.headers });
      });
    }),
  ];
}

/** The segments of a path after `/api/v3/NAME`. Throws NOT_FOUND unless there are `count`. */
function partsOf({ request }: Exchange, count: number): string[] {
  const path = decodedPath(request);
  const parts = path.split('/').slice('/api/v3/NAME'.split('/').length);
  if (parts.length !== count) throw new ServiceError('NOT_FOUND', `There is nothing at ${quoted(path)}`);
  return parts;
}

function countryOf(code: string, { countries }: HolidayCalendars): CountryEntry {
  const country = findCountry(countries, code);
  if (country !== undefined) return country;
  throw new ServiceError('NOT_FOUND', `No holidays are known for ${quoted(code)}`);
}

const MAX_OFFSET_HOURS = 12;

/** The subdivision, and the UTC offset in hours that determines which day today is. */
const TODAY_INPUTS = {
  countyCode: optional(text('ISO 3166-2 code of the subdivision.', 'DE-BY'), asGiven),
  offset: wholeWithin('Offset from UTC in hours.', 'hours', 1, MAX_OFFSET_HOURS, -MAX_OFFSET_HOURS),
};

/** The JSON of the holidays from one day through another. Those of parts without an ISO 3166-2 code are omitted. */
async function publicHolidays(
  country: CountryEntry,
  firstDay: number,
  lastDay: number,
  holidays: HolidayCalendars,
): Promise<string> {
  const nationwide = daysWithin(holidays.calendarOf(country, null), firstDay, lastDay);
  const offEverywhere = new Set(nationwide.map(({ dayNumber }) => dayNumber));
  const local = new Map<string, { readonly day: RepeatedDay; readonly counties: string[] }>();
  const slices = new Slices();
  for (const { code } of country.subdivisions) {
    const county = countyOf(country, code);
    if (county === null) continue;
    for (const day of daysWithin(holidays.calendarOf(country, code), firstDay, lastDay)) {
      if (offEverywhere.has(day.dayNumber)) continue;
      const key = `${day.dayNumber} ${day.name}`;
      const found = local.get(key) ?? { day, counties: [] };
      local.set(key, found);
      found.counties.push(county);
    }
    if (slices.isOver) await slices.next();
  }
  const names = new DayNames(holidays.calendarOf(country, null), null);
  const listed = [...nationwide.map(day => ({ day, counties: null })), ...local.values()].sort(
    (a, b) => a.day.dayNumber - b.day.dayNumber,
  );
  // With the members of Nager.Date v3, in the same order.
  const described = listed.map(({ day, counties }) => {
    const { date, name, name_en } = names.holiday(day);
    return {
      date,
      localName: name,
      name: name_en ?? name,
      countryCode: country.code,
      fixed: day.isFixed,
      global: counties === null,
      counties,
      launchYear: null,
      types: ['Public'],
    };
  });
  return JSON.stringify(described);
}

type RepeatedDay = ReturnType<typeof daysWithin>[number];

/** How many years before and after are examined to determine whether a holiday has a fixed date. */
const YEARS_AROUND = 5;

function daysWithin(calendar: HolidayCalendar, firstDay: number, lastDay: number) {
  const [first, last] = [civilDateOf(firstDay).year, civilDateOf(lastDay).year];
  const days = calendar.holidaysOf(first - YEARS_AROUND, last + YEARS_AROUND);
  const dateOfYear = ({ dayNumber }: NamedDay) => dateText(dayNumber).slice(-5); // 12-25
  const fixed = new Set(
    [...Map.groupBy(days, ({ name }) => name)]
      .filter(([, named]) => named.length > 1 && new Set(named.map(dateOfYear)).size === 1)
      .map(([name]) => name),
  );
  return days
    .filter(({ dayNumber }) => dayNumber >= firstDay && dayNumber <= lastDay)
    .map(day => ({ ...day, isFixed: fixed.has(day.name) }));
}

/** Countries and territories without subdivisions in ISO 3166-2. */
const WITHOUT_COUNTIES: ReadonlySet<string> = new Set(['CK', 'IC', 'MO']);

/** ISO 3166-2 codes of calendars with other codes, by country; null if there is none, as for the German community of Belgium. */
const OTHER_CODES: ReadonlyMap<string, Readonly<Record<string, string | null>>> = new Map([
  ['BE', { DE: null }],
  ['BQ', { BON: 'BO', SAB: 'SA', STA: 'SE' }],
  ['GB', { ALD: null }],
  ['GT', { 1: '01' }],
  ['IN', { DD: null, DN: null }], // one union territory since 2020, DH
  ['IT', { AO: '23' }], // a region without provinces
  ['RU', { CR: null, MR: 'MO', NO: 'SE', SEV: null }],
]);

/** The ISO 3166-2 code of a subdivision: `DE-BY`. Null if it has none, such as a town. */
function countyOf({ code: country }: CountryEntry, subdivision: string): string | null {
  const isPart = !/^[A-Z0-9]{1,3}$/.test(subdivision);
  if (isPart || WITHOUT_COUNTIES.has(country)) return null;
  const code = OTHER_CODES.get(country)?.[subdivision];
  if (code === null) return null;
  return `${country}-${code ?? subdivision}`;
}

/** The code of our calendar for a county, case-insensitive; unchanged if no calendar has it. */
function subdivisionOf(country: CountryEntry, county: string): string {
  const wanted = county.toUpperCase();
  return country.subdivisions.find(({ code }) => countyOf(country, code) === wanted)?.code ?? county;
}
