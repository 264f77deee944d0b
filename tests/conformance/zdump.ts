import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

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

/** Compiles a source of tzdata into a temporary folder, removed when the process exits. */
export function compileSource(source: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'zdump-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
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
