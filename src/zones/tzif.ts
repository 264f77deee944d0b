import { isSameType, type LocalTimeType, type PosixTimeZone, parsePosixTz } from './posix_tz.ts';

/**
 * A parser of TZif files (RFC 9636).
 *
 *     0  "TZif"            magic
 *     4  version           NUL, '2', '3' or '4'
 *     5  15 bytes unused
 *    20  six 32-bit counts isutcnt isstdcnt leapcnt timecnt typecnt charcnt
 *    44  data block        timecnt × time       (32-bit in version 1, else 64-bit)
 *                          timecnt × u8         index of the local time type from that time on
 *                          typecnt × (i32 offset, u8 isdst, u8 index of the abbreviation)
 *                          charcnt bytes        NUL-terminated abbreviations
 *                          leapcnt × (time, i32)
 *                          isstdcnt × u8, isutcnt × u8
 *
 * From version 2 on, this block is only for old readers. It is followed by a second header, a block with 64-bit times, and a
 * footer: a newline, a POSIX TZ string for the time after the last transition (or nothing), a newline.
 */

export interface TzifData {
  /** Instants of change in epoch seconds, strictly ascending, within the range of `Date`. */
  readonly transitions: Float64Array;
  /** `types[i]` applies before `transitions[i]`, the last one after all of them: one more than there are transitions. */
  readonly types: readonly LocalTimeType[];
  /** The rule from the last transition on; null if the last type remains in force. */
  readonly footer: PosixTimeZone | null;
}

const HEADER_BYTES = 44;
const TYPE_BYTES = 6;
const MIN_OFFSET_SECONDS = -89_999; // RFC 9636 §3.2: more than −25 h and less than 26 h
const MAX_OFFSET_SECONDS = 93_599;
const LAST_SECOND = 8.64e12; // the limit of Date, in either direction
const NEWLINE = 10;

/** Whether bytes begin with the magic of TZif. */
export function isTzif(bytes: Uint8Array): boolean {
  return hasMagic(bufferOf(bytes), 0);
}

/**
 * Parses a TZif file of version 1 to 4. Throws an `Error` with the reason if the file violates RFC 9636 or counts leap
 * seconds (a `right/` file), which civil time does not have.
 */
export function readTzif(bytes: Uint8Array): TzifData {
  if (!isTzif(bytes)) throw new Error('it does not begin with a TZif header');
  const file = bufferOf(bytes);
  const version = file[4]!;
  const first = readHeader(file, 0, 4);
  if (version === 0) {
    if (first.end !== file.length) throw new Error('it is longer than its header says');
    return { ...readBlock(file, first), footer: null };
  }
  if (version < 0x32 || version > 0x34) throw new Error(`its TZif version ${version} is unknown`);
  if (file[first.end + 4] !== version) throw new Error('its two headers differ in version');
  const second = readHeader(file, first.end, 8);
  const data = readBlock(file, second);
  const footer = readFooter(file, second.end);
  if (footer !== null && !isConsistent(data, footer))
    throw new Error('its footer contradicts its last transition');
  return { ...data, footer };
}

/** The abbreviations of all local time types in a valid TZif file, without parsing the rest of it. */
export function readAbbreviations(bytes: Uint8Array): string[] {
  const file = bufferOf(bytes);
  const first = readHeader(file, 0, 4);
  const block = file[4] === 0 ? first : readHeader(file, first.end, 8);
  const typesAt = block.start + block.transitions * (block.timeBytes + 1);
  return readTypes(file, typesAt, block).map(({ abbreviation }) => abbreviation);
}

type Block = ReturnType<typeof readHeader>;

/** Counts and position of the data block after a header. */
function readHeader(file: Buffer, at: number, timeBytes: 4 | 8) {
  if (at + HEADER_BYTES > file.length || !hasMagic(file, at))
    throw new Error(`it ends before its ${at === 0 ? 'first' : 'second'} header`);
  const count = (index: number) => file.readUInt32BE(at + 20 + 4 * index);
  const [utIndicators, standardIndicators, leapSeconds] = [count(0), count(1), count(2)];
  const [transitions, types, abbreviationBytes] = [count(3), count(4), count(5)];
  const start = at + HEADER_BYTES;
  const timesEnd = start + transitions * (timeBytes + 1);
  const typesEnd = timesEnd + types * TYPE_BYTES + abbreviationBytes;
  const end = typesEnd + leapSeconds * (timeBytes + 4) + standardIndicators + utIndicators;
  if (end > file.length) throw new Error('it is shorter than its header says');
  const indicators = [utIndicators, standardIndicators];
  return { indicators, leapSeconds, transitions, types, abbreviationBytes, timeBytes, start, end };
}

function readBlock(file: Buffer, block: Block): Omit<TzifData, 'footer'> {
  if (block.leapSeconds > 0) throw new Error('it counts leap seconds');
  if (block.types === 0 || block.types > 256) throw new Error(`it has ${block.types} local time types`);
  if (block.indicators.some(count => count !== 0 && count !== block.types))
    throw new Error('it has indicators for other types');
  const indexesAt = block.start + block.transitions * block.timeBytes;
  const typesAt = indexesAt + block.transitions;
  const available = readTypes(file, typesAt, block);
  const transitions = readTimes(file, block);
  const types = [available[0]!]; // RFC 9636 §3.2: type 0 holds before the first transition
  for (let index = 0; index < block.transitions; index++) {
    const type = available[file[indexesAt + index]!];
    if (type === undefined) throw new Error('it refers to a local time type that it does not have');
    types.push(type);
  }
  // Some writers start with a transition at their "Big Bang", 2^59 seconds ago.
  const first = transitions.filter(time => time < -LAST_SECOND).length;
  return { transitions: transitions.subarray(first), types: types.slice(first) };
}

function readTimes(file: Buffer, block: Block): Float64Array {
  const times = new Float64Array(block.transitions);
  let previous = -Infinity;
  for (let index = 0; index < times.length; index++) {
    const at = block.start + index * block.timeBytes;
    const time = block.timeBytes === 4 ? file.readInt32BE(at) : Number(file.readBigInt64BE(at));
    if (time <= previous) throw new Error('its transitions are not in ascending order');
    if (time > LAST_SECOND) throw new Error(`its transition at ${time} is after the year 275760`);
    times[index] = time;
    previous = time;
  }
  return times;
}

function readTypes(file: Buffer, typesAt: number, block: Block): LocalTimeType[] {
  const namesAt = typesAt + block.types * TYPE_BYTES;
  const names = file.toString('latin1', namesAt, namesAt + block.abbreviationBytes);
  return Array.from({ length: block.types }, (_, index) => {
    const at = typesAt + index * TYPE_BYTES;
    const offsetSeconds = file.readInt32BE(at);
    if (offsetSeconds < MIN_OFFSET_SECONDS || offsetSeconds > MAX_OFFSET_SECONDS)
      throw new Error(`its offset of ${offsetSeconds} seconds is out of range`);
    const dstFlag = file[at + 4]!;
    if (dstFlag > 1) throw new Error(`its DST flag ${dstFlag} is neither 0 nor 1`);
    return { offsetSeconds, abbreviation: abbreviationAt(names, file[at + 5]!), isDst: dstFlag === 1 };
  });
}

function abbreviationAt(names: string, start: number): string {
  const end = names.indexOf('\0', start);
  const abbreviation = names.slice(start, end);
  if (end < 0 || !/^[A-Za-z0-9+-]{3,32}$/.test(abbreviation))
    throw new Error('it has an abbreviation that is not letters, digits, + and -');
  return abbreviation;
}

function readFooter(file: Buffer, start: number): PosixTimeZone | null {
  const last = file.length - 1;
  if (last <= start || file[start] !== NEWLINE || file[last] !== NEWLINE)
    throw new Error('it does not end with a footer');
  return last === start + 1 ? null : parsePosixTz(file.toString('latin1', start + 1, last));
}

/** RFC 9636 §3.3: the TZ string agrees with the type of the last transition. */
function isConsistent({ transitions, types }: Omit<TzifData, 'footer'>, footer: PosixTimeZone): boolean {
  const last = types[transitions.length]!;
  const candidates = [footer.standard, footer.daylight?.type ?? footer.standard];
  return transitions.length === 0 || candidates.some(type => isSameType(type, last));
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

function hasMagic(file: Buffer, at: number): boolean {
  return file.toString('latin1', at, at + 4) === 'TZif';
}
