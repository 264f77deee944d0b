/** Runs under Node, whose zone data temporal-polyfill uses: reads an array of requests, writes that of the results. */
import { readFileSync } from 'node:fs';
import { Temporal } from 'temporal-polyfill';

const zoned = (epochMs, zone) => Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(zone);
const plain = localMs => zoned(localMs, 'UTC').toPlainDateTime();

const OPERATIONS = {
  /** Offsets in seconds at epoch seconds. */
  offsets: ({ zone, at }) => at.map(epochSeconds => zoned(epochSeconds * 1000, zone).offsetNanoseconds / 1e9),
  add: ({ zone, fromMs, duration }) => zoned(fromMs, zone).add(duration).epochMilliseconds,
  until({ zone, fromMs, toMs, largestUnit }) {
    const [from, to] = [zoned(fromMs, zone), zoned(toMs, zone)];
    const until = options => from.until(to, options).abs();
    return (
      attempt(() => until({ largestUnit, smallestUnit: 'second', roundingMode: 'trunc' })) ??
      // Rounding fails beside a day that a zone skipped (NudgeToZonedTime): what is not rounded is truncated.
      attempt(() => until({ largestUnit }).with({ milliseconds: 0 })) ??
      // There is no difference where a clock was set back over midnight, and shows an earlier date later.
      until({ largestUnit: 'hour', smallestUnit: 'second', roundingMode: 'trunc' })
    ).toString();
  },
  /** On wall clocks as if they were UTC. */
  addDate: ({ localMs, duration }) => plain(localMs).add(duration).toZonedDateTime('UTC').epochMilliseconds,
  untilDate({ fromMs, toMs, largestUnit }) {
    return plain(fromMs).toPlainDate().until(plain(toMs).toPlainDate(), { largestUnit }).abs().toString();
  },
};

/** The result of a function; undefined for a RangeError. */
function attempt(compute) {
  try {
    return compute();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const requests = JSON.parse(readFileSync(0, 'utf8'));
const results = requests.map(
  ({ operation, ...request }) => attempt(() => OPERATIONS[operation](request)) ?? 'RangeError',
);
process.stdout.write(JSON.stringify(results));
