import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ZoneSource } from '../../src/zones/zone_pack.ts';
import { dumpBeginnings, dumpChanges } from '../support/zdump.ts';

/** Differences that begin later are not searched for: the yearly rules are those of earlier years. */
const UNTIL_YEAR = 2100;

/** The offsets of a zone, as zdump reads its TZif file: initially, and from each change on. */
type Offsets = readonly { readonly fromEpochSeconds: number; readonly offsetSeconds: number }[];

/** Reads TZif files with zdump, each distinct file once. */
export class ZoneTruth {
  readonly #offsets = new Map<string, Offsets>();

  /** Reads zones of a release. */
  async read({ files }: ZoneSource, names: readonly string[]): Promise<void> {
    const unread = new Map(
      names.map(name => [keyOf(files.get(name)!), name] as const).filter(([key]) => !this.#offsets.has(key)),
    );
    if (unread.size === 0) return;
    const folder = mkdtempSync(join(tmpdir(), 'truth-'));
    try {
      const paths = [...unread].map(([key, name]) => {
        writeFileSync(join(folder, key), files.get(name)!);
        return key;
      });
      const changes = await dumpChanges(folder, paths, 1800, UNTIL_YEAR);
      const beginnings = await dumpBeginnings(folder, paths);
      for (const key of paths) {
        const beginning = { fromEpochSeconds: -Infinity, offsetSeconds: secondsOf(beginnings.get(key)!) };
        const rest = changes.get(key)!.map(({ after: { epochSeconds, offsetSeconds } }) => ({
          fromEpochSeconds: epochSeconds,
          offsetSeconds,
        }));
        this.#offsets.set(key, [beginning, ...rest]);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  /** The offset of a zone already read. */
  offsetAt({ files }: ZoneSource, name: string, epochSeconds: number): number {
    const offsets = this.#offsets.get(keyOf(files.get(name)!))!;
    return offsets.findLast(({ fromEpochSeconds }) => fromEpochSeconds <= epochSeconds)!.offsetSeconds;
  }

  /** The first instant at which a zone's offsets differ, `-Infinity` if from the beginning; null if they never do. */
  firstDifference(before: ZoneSource, after: ZoneSource, name: string): number | null {
    const instants = [before, after].flatMap(({ files }) =>
      this.#offsets.get(keyOf(files.get(name)!))!.map(({ fromEpochSeconds }) => fromEpochSeconds),
    );
    const differs = (at: number) => this.offsetAt(before, name, at) !== this.offsetAt(after, name, at);
    return instants.sort((a, b) => a - b).find(differs) ?? null;
  }
}

function keyOf(file: Uint8Array): string {
  return createHash('sha256').update(file).digest('hex');
}

/** `-001608 LMT` */
function secondsOf(beginning: string): number {
  const [, sign, hours, minutes = '0', seconds = '0'] = /^([+-])(\d\d)(\d\d)?(\d\d)? /.exec(beginning)!;
  const magnitude = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === '-' ? -magnitude : magnitude;
}
