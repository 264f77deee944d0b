import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newFolder } from './process.ts';

/** The state of a zone's clocks at an instant. */
export interface Shown {
  readonly epochSeconds: number;
  /** `Sun Nov 18 12:03:57 1883` */
  readonly localText: string;
  readonly offsetSeconds: number;
  readonly abbreviation: string;
  readonly isDst: boolean;
}

/** A change as zdump shows it: the last second before and the first second after. */
export interface DumpedChange {
  readonly before: Shown;
  readonly after: Shown;
}

/** Whether `zic` and `zdump` (Debian: libc-bin) are installed. */
export const hasZdump = ['zic', 'zdump'].every(program => Bun.which(program) !== null);

/** Compiles a source of tzdata into a temporary folder. */
export function compileSource(source: string): string {
  const folder = newFolder();
  const path = join(folder, 'source.zi');
  writeFileSync(path, source);
  const { status, stderr } = spawnSync('zic', ['-b', 'fat', '-d', folder, path], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`zic failed: ${stderr}`);
  return folder;
}

/** The TZ string at the end of a compiled zone. */
export function footerOf(folder: string, name: string): string {
  return readFileSync(join(folder, name), 'latin1').split('\n').at(-2)!;
}

/** All changes of a folder's zones from the start of one year to the start of another, in order. */
export async function dumpChanges(
  folder: string,
  names: readonly string[],
  fromYear: number,
  untilYear: number,
): Promise<Map<string, DumpedChange[]>> {
  const processes = availableParallelism();
  const shares = Array.from({ length: processes }, (_, share) =>
    names.filter((_, index) => index % processes === share).map(name => join(folder, name)),
  );
  const dumped = await Promise.all(shares.map(share => dumpTzStrings(share, fromYear, untilYear)));
  const changes = new Map(dumped.flatMap(share => [...share]));
  return new Map(names.map(name => [name, changes.get(join(folder, name))!]));
}

/** All changes for values of the variable TZ: paths of compiled zones, or POSIX TZ strings. */
export async function dumpTzStrings(
  tzStrings: readonly string[],
  fromYear: number,
  untilYear: number,
): Promise<Map<string, DumpedChange[]>> {
  const changes = new Map(tzStrings.map(tz => [tz, [] as DumpedChange[]]));
  const output = await runZdump(['-v', '-c', `${fromYear},${untilYear}`], tzStrings);
  let before: Shown | undefined;
  for (const line of output.split('\n')) {
    const match = LINE.exec(line);
    if (match === null) continue; // `NULL` at the limits of time
    const after = shownIn(match);
    if (before !== undefined) changes.get(match[1]!)!.push({ before, after });
    before = before === undefined ? after : undefined; // lines come in pairs
  }
  return changes;
}

const LINE = /^(\S+) +\w{3} (\w{3} .{16}) UT = (.{24}) (\S+) isdst=([01]) gmtoff=(-?\d+)$/;

function shownIn([, , utText, localText, abbreviation, isDst, offset]: RegExpExecArray): Shown {
  return {
    epochSeconds: Date.parse(`${utText} GMT`) / 1000,
    localText: localText!,
    offsetSeconds: Number(offset),
    abbreviation: abbreviation!,
    isDst: isDst === '1',
  };
}

/** Offset and abbreviation before all changes, as on the first line of `zdump -i`: `-	-	-05` or `-	-	-001608	LMT`. */
export async function dumpBeginnings(folder: string, names: readonly string[]): Promise<Map<string, string>> {
  const paths = names.map(name => join(folder, name));
  const output = await runZdump(['-i', '-c', '1,2'], paths);
  const beginnings = output.matchAll(/TZ="(.+)"\n-\t-\t(\S+)(?:\t"?([^"\s]+))?/g);
  return new Map(
    [...beginnings].map(([, path, offset, name]) => [
      path!.slice(folder.length + 1),
      `${offset} ${name ?? offset}`,
    ]),
  );
}

async function runZdump(options: readonly string[], tzStrings: readonly string[]): Promise<string> {
  if (tzStrings.length === 0) return '';
  const { stdout } = await promisify(execFile)('zdump', [...options, ...tzStrings], {
    maxBuffer: 100_000_000,
  });
  return stdout;
}

/**
 * tzdata's source without negative savings, like the "rearguard" form that tz's `ziguard.awk` writes from comments in the
 * full files, which `tzdata.zi` no longer has. Clocks are the same; only what counts as DST differs.
 */

/** The zones whose source has negative savings. */
export const NEGATIVE_DST_ZONES =
  'Africa/Casablanca Africa/El_Aaiun Africa/Windhoek Europe/Dublin Europe/Prague'.split(' ');

/** Each change: the text in the source, how often it occurs, and its replacement in rearguard form. */
const CHANGES: readonly (readonly [pattern: RegExp, count: number, replacement: string])[] = [
  // Ireland: the winter is standard time, the summer an hour ahead.
  [/^(R IE .*) 0 -$/gm, 2, '$1 1 -'],
  [/^(R IE .*) -1 -$/gm, 5, '$1 0 -'],
  [/^1 IE IST\/GMT$/gm, 1, '1 - IST 1971 O 31 2u\n0 IE GMT/IST'],
  // Namibia: the same, from 1994 until it stayed on what had been its summer time.
  [/^(R NA .*) 0 CAT$/gm, 1, '$1 1 CAT'],
  [/^(R NA .*) -1 WAT$/gm, 2, '$1 0 WAT'],
  [/^2 NA %s$/gm, 1, '2 - CAT 1994 Mar 21\n1 NA %s 2017 O 24\n2 - CAT'],
  // Morocco: Ramadan is standard time from 2019 on; the summer time of 2018 lasts until the first.
  [/^(R M (?:2019|202\d) .*) 0 -$/gm, 8, '$1 1 -'],
  [/^(R M (?:2019|202\d) .*) -1 -$/gm, 8, '$1 0 -'],
  [/^R M 2013 2018 - O lastSu 3 0 -$/gm, 1, 'R M 2013 2017 - O lastSu 3 0 -'],
  [/^0 M %z 2018 O 28 3\n1 M %z 2026 S 20 2$/gm, 2, '0 M %z 2026 S 20 2'],
  // Czechoslovakia: the winter of 1946.
  [/^1 -1 GMT 1947 F 23 2$/gm, 1, '0 - GMT 1947 F 23 2'],
];

/** Writes the rearguard form of `tzdata.zi`. Throws if the source is not the one these changes were written for. */
export function rearguardSource(zi: string): string {
  return CHANGES.reduce((source, [pattern, count, replacement]) => {
    const found = source.match(pattern)?.length ?? 0;
    if (found !== count) throw new Error(`${pattern} is ${found} times in tzdata.zi, not ${count}`);
    return source.replace(pattern, replacement);
  }, zi);
}
