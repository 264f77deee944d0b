import { Html } from '@elysiajs/html';
import { dayNumberOf } from '../../common/civil.ts';
import type { HolidayCalendar } from '../../holidays/holiday_calendar.ts';
import { listHolidays } from '../../operations/holidays.ts';
import { listWorkDays, type WorkDays } from '../../operations/work.ts';
import { MONTHS_FULL, WEEKDAYS_SHORT } from '../../text/languages.ts';
import { drawnInTurns } from '../layout.tsx';

/** The language of the pages. */
const LANGUAGE = 'en';

/** The working days and holidays of a year; `today` is `YYYY-MM-DD`. Other requests are served between months. */
export async function yearCalendar(calendar: HolidayCalendar, today: string): Promise<string> {
  const year = Number.parseInt(today, 10);
  const [firstDay, lastDay] = [dayNumberOf(year, 1, 1), dayNumberOf(year, 12, 31)];
  const used = { calendars: [calendar], requiresCoverage: false };
  const { days, months } = listWorkDays({ firstDay, lastDay }, used, LANGUAGE);
  const byMonth = Map.groupBy(days, ({ date }) => date.slice(0, 'YYYY-MM'.length));
  const drawn = await drawnInTurns(
    [...byMonth.values()].map((listed, index) => () => monthOf(MONTHS_FULL[index]!, listed, today)),
  );
  const workingDays = months.reduce((sum, { business, worked }) => sum + business + worked, 0);
  const holidays = listHolidays(calendar, { firstDay, lastDay }, LANGUAGE);
  return String(
    <>
      <p>
        {`${workingDays} working days and ${holidays.length} public holidays in `}
        <span safe>{calendar.country.name}</span>
        {calendar.subdivisionsDiffer ? '. Some regions have additional holidays.' : '.'}
      </p>
      <div class="year-calendar">{drawn}</div>
      <ul class="holiday-list">
        {holidays.map(({ date, name, status }) => (
          <li>
            <time datetime={date}>{dayText(date)}</time> <span safe>{name}</span>
            {status === 'estimated' && <small> estimated</small>}
          </li>
        ))}
      </ul>
    </>,
  );
}

function monthOf(name: string, days: WorkDays['days'], today: string): JSX.Element {
  // Weeks begin on Monday.
  const blanks = (new Date(days[0]!.date).getUTCDay() + 6) % 7;
  const cells = [
    ...Array.from({ length: blanks }, () => '<td></td>'),
    ...days.map(day => cellOf(day, day.date === today)),
  ];
  const weeks = Array.from({ length: Math.ceil(cells.length / 7) }, (_, at) =>
    cells.slice(at * 7, at * 7 + 7),
  );
  return (
    <div>
      <table>
        <caption>{name}</caption>
        <thead>
          <tr>
            {[1, 2, 3, 4, 5, 6, 0].map(weekday => (
              <th scope="col">{WEEKDAYS_SHORT[weekday]!.slice(0, 2)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map(week => (
            <tr>{week}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function cellOf({ date, kind, name }: WorkDays['days'][number], isToday: boolean): JSX.Element {
  const number = String(Number(date.slice(8)));
  const shown = kind === 'weekend' && name !== null ? 'holiday' : kind;
  return (
    <td class={shown === 'business' ? undefined : `day-${shown}`} title={name ?? undefined}>
      {isToday ? <mark>{number}</mark> : number}
    </td>
  );
}

/** `Thu, January 1` */
function dayText(date: string): string {
  const day = new Date(date);
  return `${WEEKDAYS_SHORT[day.getUTCDay()]}, ${MONTHS_FULL[day.getUTCMonth()]} ${day.getUTCDate()}`;
}
