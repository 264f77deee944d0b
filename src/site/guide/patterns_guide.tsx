import { Html } from '@elysiajs/html';
import { EXAMPLE_NOW_MS } from '../../api/description/example_answers.ts';
import { Moment } from '../../common/moment.ts';
import { compileStrftime } from '../../text/strftime.ts';

/** The directives of `format`, each with its meaning. */
export const DIRECTIVES: readonly (readonly [directive: string, meaning: string])[] = [
  ['%Y', 'year'],
  ['%m', 'month, 01 to 12'],
  ['%d', 'day of the month, 01 to 31'],
  ['%e', 'day of the month, padded with a space'],
  ['%H', 'hour, 00 to 23'],
  ['%M', 'minute'],
  ['%S', 'second'],
  ['%F', '%Y-%m-%d'],
  ['%T', '%H:%M:%S'],
  ['%R', '%H:%M'],
  ['%z', 'offset'],
  ['%:z', 'offset with a colon; %::z with seconds too'],
  ['%Z', 'abbreviation of the zone'],
  ['%A', 'weekday'],
  ['%a', 'weekday, short'],
  ['%B', 'month'],
  ['%b', 'month, short; also %h'],
  ['%I', 'hour of a half day, 01 to 12'],
  ['%l', 'hour of a half day, padded with a space'],
  ['%k', 'hour, padded with a space'],
  ['%p', 'half of the day'],
  ['%P', 'half of the day, small'],
  ['%j', 'day of the year'],
  ['%u', 'weekday, Monday 1 to Sunday 7'],
  ['%w', 'weekday, Sunday 0 to Saturday 6'],
  ['%G', 'year of the ISO week'],
  ['%g', 'year of the ISO week, two digits'],
  ['%V', 'ISO week'],
  ['%U', 'week of the year, from Sunday'],
  ['%W', 'week of the year, from Monday'],
  ['%C', 'century'],
  ['%y', 'year, two digits'],
  ['%s', 'Unix seconds'],
  ['%f', 'microseconds'],
  ['%N', 'nanoseconds; %3N milliseconds'],
  ['%c', 'date and time'],
  ['%x', 'date'],
  ['%X', 'time'],
  ['%D', 'date, American'],
  ['%r', 'time of a half day'],
  ['%n', 'line feed'],
  ['%t', 'tab'],
  ['%%', 'percent sign'],
];

/** Where the examples of directives are: New York in April. */
const MOMENT = new Moment(EXAMPLE_NOW_MS, -4 * 3600, 'EDT');

/** The strftime patterns of `format`, each directive with what it writes. */
export function PatternsGuide(): JSX.Element {
  return (
    <>
      <p>
        On the routes that answer with a time, <code>format</code> is a strftime pattern as in C and POSIX, in
        English; what it writes is <code>formatted</code> in the answer. Flags and widths are those of glibc:{' '}
        <code>%-d</code> without padding, <code>%_d</code> with spaces, <code>%0e</code> with zeros,{' '}
        <code>%^a</code> in capitals, <code>%6Y</code> in six places. A pattern has at most 256 characters and
        writes at most 4 KiB.
      </p>
      <ul class="directives">
        {DIRECTIVES.map(([directive, meaning]) => (
          <li>
            <code safe>{directive}</code>
            <span safe>{meaning}</span>
            <samp safe>{compileStrftime(directive, 'format').format(MOMENT).trim()}</samp>
          </li>
        ))}
      </ul>
    </>
  );
}
