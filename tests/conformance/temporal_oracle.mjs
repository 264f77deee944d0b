/** Runs under Node, whose zone data temporal-polyfill uses: reads an array of requests, writes an array of results. */
import { readFileSync } from 'node:fs';
import { Temporal } from 'temporal-polyfill';

const zoned = (epochMs, zone) => Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(zone);
const plain = localMs => zoned(localMs, 'UTC').toPlainDateTime();

const OPERATIONS = {
  /** Offsets in seconds, at epoch seconds. */
  offsets: ({ zone, at }) => at.map(epochSeconds => zoned(epochSeconds * 1000, zone).offsetNanoseconds / 1e9),
  add: ({ zone, fromMs, duration }) => zoned(fromMs, zone).add(duration).epochMilliseconds,
  until({ zone, fromMs, toMs, largestUnit }) {
    const options = { largestUnit, smallestUnit: 'second', roundingMode: 'trunc' };
    return zoned(fromMs, zone).until(zoned(toMs, zone), options).abs().toString();
  },
  /** On wall clocks as if they were UTC. */
  addDate: ({ localMs, duration }) => plain(localMs).add(duration).toZonedDateTime('UTC').epochMilliseconds,
  untilDate({ fromMs, toMs, largestUnit }) {
    return plain(fromMs).toPlainDate().until(plain(toMs).toPlainDate(), { largestUnit }).abs().toString();
  },
};

function resultOf({ operation, ...request }) {
  try {
    return OPERATIONS[operation](request);
  } catch (error) {
    if (error instanceof RangeError) return 'RangeError';
    throw error;
  }
}

const requests = JSON.parse(readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(requests.map(resultOf)));
