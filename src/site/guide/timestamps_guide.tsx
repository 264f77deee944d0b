import { Html } from '@elysiajs/html';
import { Prose } from '../prose.tsx';

/** Forms that `iso` is read in, each with what it shows. */
export const ISO_FORMS: readonly (readonly [form: string, meaning: string])[] = [
  ['2026-04-15T13:30:47-04:00', 'With an offset: RFC 3339.'],
  ['2026-04-15T17:30:47.123Z', 'UTC. Fractions are read to the millisecond, what is finer falls away.'],
  ['2026-04-15T13:30', 'A local wall time, of the place of its hint; of UTC without one.'],
  ['2026-04-15', 'Midnight at the beginning of a day.'],
  ['2026-04-15T13:30[America/New_York]', 'RFC 9557: the brackets name the zone.'],
  ['20260415T133047,5-04', 'Basic form, with a comma, and an offset of hours alone.'],
  ['2026-W16-3', 'A day of an ISO week.'],
  ['2026-105', 'A day of the year.'],
  ['2026-04-15T24:00', 'Midnight at the end of a day.'],
  ['+012026-04-15', 'A year of six digits, with its sign.'],
];

/** The forms of a timestamp, hints, and local times that clock changes skip or repeat. */
export function TimestampsGuide(): JSX.Element {
  return (
    <>
      <p>
        A timestamp is given as <code>unix</code> (seconds), <code>unix_ms</code> (milliseconds) or{' '}
        <code>iso</code>: one of them. Times reach from −271821-04-20 to +275760-09-13, as in ECMAScript.{' '}
        <code>iso</code> reads:
      </p>
      <table class="reference">
        <thead class="unseen">
          <tr>
            <th scope="col">Form</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {ISO_FORMS.map(([form, meaning]) => (
            <tr>
              <th scope="row">
                <code safe>{form}</code>
              </th>
              <td>
                <Prose text={meaning} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        A hint (<code>source_tz</code> and its kin, or a zone in brackets) is for a local time only: beside an{' '}
        <code>iso</code> with an offset it is refused, and so are two hints.
      </p>
      <p>
        When clocks go forward, some local times do not exist: such a time moves forward by the length of the
        gap. When they go back, some happen twice: the earlier is meant. <code>disambiguation=earlier</code>{' '}
        or <code>later</code> chooses, and <code>reject</code> refuses both with{' '}
        <code>INVALID_TIMESTAMP</code>, whose message has the two readings.
      </p>
    </>
  );
}
