/**
 * Compiles `holidays.pack` and its manifest: `bun data/holidays/compile.ts`. Every calendar of date-holidays for
 * every year takes about 90 s of computing, shared among the processors; the result is committed.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { data } from 'date-holidays/data';
import { version } from 'date-holidays/package.json';
import type { DayList, TableEntry } from '../../src/holidays/holiday_pack.ts';
import { encodeHolidayPack } from '../../src/holidays/holiday_pack.ts';
import { writeArtifact } from '../artifact.ts';
import { type LibraryCalendar, listLibraryCalendars } from './library.ts';
import { parseCorrections } from './parse_corrections.ts';
import { WEEKENDS_SOURCE, weekendOf } from './weekends.ts';

/** The years of the table, both included. */
export const TABLE_YEARS = { firstYear: 1970, lastYear: 2100 };
/** What a holiday straight from the library gives as its source. */
export const LIBRARY_SOURCE = `date-holidays ${version}`;

const HERE = import.meta.dirname;

/** Our corrections, as written. */
export function readCorrections(): string {
  return readFileSync(join(HERE, 'corrections.txt'), 'utf8');
}

/** The SHA-256 of a text or of bytes, in hex. */
export function sha256Of(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** What a compiling worker is told, once; then it is sent countries. */
export type WorkerMessage = readonly LibraryCalendar[];
/** What it answers: the lists of each calendar that it was sent, in their order. */
export type WorkerAnswer = readonly (readonly DayList[])[];

async function compileAll(
  calendars: readonly LibraryCalendar[],
): Promise<Map<LibraryCalendar, readonly DayList[]>> {
  const done = new Map<LibraryCalendar, readonly DayList[]>();
  const batches = slowestFirst(Object.values(Object.groupBy(calendars, calendar => calendar.path[0])));
  const work = async () => {
    const worker = new Worker(new URL('compile_worker.ts', import.meta.url).href);
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
      const answer = await ask(worker, batch);
      for (const [index, calendar] of batch.entries()) done.set(calendar, answer[index]!);
      showProgress(done.size, calendars.length, batch[0]!.name);
    }
    worker.terminate();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return done;
}

/** Those with a Chinese calendar cost more than all others together: begun last they would be waited for. */
function slowestFirst(batches: (LibraryCalendar[] | undefined)[]): LibraryCalendar[][] {
  const isSlow = (batch: LibraryCalendar[]) => SLOW.includes(batch[0]!.path[0]);
  const all = batches.filter(batch => batch !== undefined);
  return [...all.filter(isSlow), ...all.filter(batch => !isSlow(batch))];
}

const SLOW = ['TW', 'HK', 'VN', 'CN', 'MY', 'SG', 'KR'];

function ask(worker: Worker, batch: WorkerMessage): Promise<WorkerAnswer> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data: answer }: MessageEvent<WorkerAnswer>) => resolve(answer);
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage(batch);
  });
}

const startedAt = performance.now();

function showProgress(done: number, all: number, name: string): void {
  const WIDTH = 40;
  const filled = Math.floor((done / all) * WIDTH);
  const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const text = `${bar} ${done}/${all} calendars, ${seconds} s, ${name}`;
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text.slice(0, process.stderr.columns)}`);
  else if (done === all) process.stderr.write(`${text}\n`);
}

function entryOf({ path, name }: LibraryCalendar, lists: readonly DayList[]): TableEntry {
  return { code: path.slice(1).join('-') || path[0], name, readDays: () => [...lists] };
}

if (import.meta.main) {
  const calendars = listLibraryCalendars();
  const corrections = readCorrections();
  const corrected = parseCorrections(corrections);
  const lists = await compileAll(calendars);
  const pack = encodeHolidayPack({
    library: LIBRARY_SOURCE,
    corrections: sha256Of(corrections),
    weekends: WEEKENDS_SOURCE,
    ...TABLE_YEARS,
    countries: calendars
      .filter(({ path }) => path.length === 1)
      .map(country => ({
        ...entryOf(country, lists.get(country)!),
        weekend: weekendOf(country.path[0]),
        knownThrough: corrected.find(({ code }) => code === country.path[0])?.knownThrough ?? null,
        subdivisions: calendars
          .filter(({ path }) => path.length > 1 && path[0] === country.path[0])
          .map(part => entryOf(part, lists.get(part)!)),
      })),
  });
  await writeArtifact(new URL('./', import.meta.url), 'holidays.pack', pack, {
    name: 'holidays',
    version,
    date: data.version,
    source:
      'date-holidays, https://github.com/commenthol/date-holidays, with the corrections of data/holidays/corrections.txt and the weekends of CLDR',
    licence: 'CC-BY-SA-3.0',
    attribution: 'Holidays from date-holidays by commenthol and contributors, after Wikipedia (CC BY-SA 3.0)',
  });
  process.stderr.write(
    `\nholidays.pack: ${LIBRARY_SOURCE}, ${calendars.length} calendars, ${pack.length} bytes\n`,
  );
  process.exit(0);
}
