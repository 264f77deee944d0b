import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReleaseSource } from '../../data/releases/compile.ts';
import { compileReleases } from '../../data/releases/compile.ts';
import { encodeZonePack, type ZoneSource } from '../../src/zones/zone_pack.ts';
import { bundleIn, dataKit, HISTORY, packOf, untilUsed } from '../support/bundles.ts';
import { newFolder, type RunningServer, startServer } from '../support/process.ts';
import { expectNoDifferences, IS_PROOF, sample, sampleNumbers } from '../support/proof.ts';
import { dumpBeginnings, dumpChanges, hasZdump } from '../support/zdump.ts';

/** Differences that begin later are not searched for: the yearly rules are those of earlier years. */
const UNTIL_YEAR = 2100;

/** The offsets of a zone, as zdump reads its TZif file: initially, and from each change on. */
type Offsets = readonly { readonly fromEpochSeconds: number; readonly offsetSeconds: number }[];

/** Reads TZif files with zdump, each distinct file once. */
class ZoneTruth {
  readonly #offsets = new Map<string, Offsets>();

  /** Reads zones of a release. */
  async read({ files }: ZoneSource, names: readonly string[]): Promise<void> {
    const unread = new Map(
      names.map(name => [keyOf(files.get(name)!), name] as const).filter(([key]) => !this.#offsets.has(key)),
    );
    if (unread.size === 0) return;
    const folder = newFolder();
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

const kit = dataKit();
const truth = new ZoneTruth();
const random = sampleNumbers();

const canCompile = hasZdump && ['tar', 'xz'].every(program => Bun.which(program) !== null);
const EMBEDDED = '2026f';
/** Requests after each installation. */
const REQUESTS = 60;
/** Unchanged zones, requested in addition to those that a release changed. */
const UNCHANGED_ZONES = 5;
/** Offsets of whole minutes: from 1973, after that of Liberia. */
const FIRST_YEAR = 1973;
const LAST_YEAR = 2040;

interface Response {
  readonly version: string;
  readonly zone: string;
  readonly epochSeconds: number;
  readonly isoLocal: string;
}

/** A signed response, with the release it names as its source. */
async function sendSigned({ url }: RunningServer, zone: string, epochSeconds: number): Promise<Response> {
  const response = await fetch(
    `${url}/v1/time/convert?unix=${epochSeconds}&tz=${encodeURIComponent(zone)}&sign=true`,
  );
  expect(response.status).toBe(200);
  const [, version] = /^tzdata=(\w+)$/.exec(response.headers.get('X-Service-Data')!)!;
  const { iso_local } = (await response.json()) as { iso_local: string };
  return { version: version!, zone, epochSeconds, isoLocal: iso_local };
}

/** `2016-03-27T01:00:00+01:00` */
function isoLocal(epochSeconds: number, offsetSeconds: number): string {
  const local = new Date((epochSeconds + offsetSeconds) * 1000).toISOString().slice(0, 19);
  const offset = new Date(Math.abs(offsetSeconds) * 1000).toISOString().slice(11, 16);
  return `${local}${offsetSeconds < 0 ? '-' : '+'}${offset}`;
}

/** The zones of a release that the one before has under the same name, and another file. */
function rewritten(before: ZoneSource, after: ZoneSource): string[] {
  const isRewritten = (name: string, file: Uint8Array) => {
    const old = before.files.get(name);
    return old !== undefined && Buffer.compare(old, file) !== 0;
  };
  return [...after.files].filter(([name, file]) => isRewritten(name, file)).map(([name]) => name);
}

/** The canary's report: `changed  Asia/Almaty since 2024-02-29T18:00:00Z, at present`. */
function reported(stdout: string): ReadonlyMap<string, string> {
  const lines = stdout.matchAll(/^changed +(\S+) (.*)$/gm);
  return new Map([...lines].map(([, zone, what]) => [zone!, what!]));
}

/** The zones whose offsets differ according to zdump, with the canary's expected report. */
function expectedReport(names: readonly string[], before: ZoneSource, after: ZoneSource, nowSeconds: number) {
  const changed = new Map<string, string>();
  const firstInstants = new Map<string, number>();
  for (const name of names) {
    const first = truth.firstDifference(before, after, name);
    if (first === null) continue;
    firstInstants.set(name, first);
    const since = Number.isFinite(first)
      ? `since ${new Date(first * 1000).toISOString().slice(0, 19)}Z`
      : 'from the beginning';
    const isNow = truth.offsetAt(before, name, nowSeconds) !== truth.offsetAt(after, name, nowSeconds);
    changed.set(name, `${since}${isNow ? ', at present' : ''}`);
  }
  return { changed, firstInstants };
}

/** The rewritten zones, or a sample of them: zdump takes 60 ms for each. From the executable's release to the first there are 445. */
function toCompare(before: ReleaseSource, after: ReleaseSource): readonly string[] {
  const names = rewritten(before.source, after.source);
  const isStep = IS_PROOF && before.version < after.version;
  return isStep || names.length <= 40 ? names : Array.from({ length: 40 }, () => drawn(names));
}

function drawn<Item>(items: readonly Item[]): Item {
  return items[Math.floor(random() * items.length)]!;
}

test.skipIf(!canCompile)(
  'a decade of releases is installed while a client sends requests; each response matches zic for the release in use (requires zic, zdump, tar, xz)',
  async () => {
    const versions = sample(
      HISTORY.releases.map(({ version }) => version),
      3,
    );
    const compiled = compileReleases(version => versions.includes(version) || version === EMBEDDED);
    const releaseOf = new Map(compiled.map(release => [release.version, release]));
    const state = kit.newState('decade');
    using server = await startServer(['--state-dir', state, '--allow-older-data']);
    const differences: string[] = [];
    const counts = { responses: 0, reports: 0, whileInstalling: 0 };
    let before = releaseOf.get(EMBEDDED)!;
    for (const [index, version] of versions.entries()) {
      const after = releaseOf.get(version)!;
      await installNext(server, state, index + 1, before, after);
      before = after;
    }
    if (IS_PROOF) console.log(`proof: ${versions.length} releases, ${JSON.stringify(counts)}`);
    expectNoDifferences('responses and reports during a decade', counts.responses, differences, 3000);

    async function installNext(
      server: RunningServer,
      state: string,
      sequence: number,
      before: ReleaseSource,
      after: ReleaseSource,
    ) {
      const names = toCompare(before, after);
      const both = [...after.source.files.keys()].filter(name => before.source.files.has(name));
      const others = Array.from({ length: UNCHANGED_ZONES }, () => drawn(both));
      for (const { source } of [before, after]) await truth.read(source, [...names, ...others]);
      const report = expectedReport(names, before.source, after.source, Date.now() / 1000);
      const zones = [...report.changed.keys(), ...others];

      const { version, released, source } = after;
      const pack = packOf('tzdata', encodeZonePack(source), { version, date: released });
      const path = await bundleIn(state, sequence, [pack], kit.signers);
      const installing = { isDone: false };
      const installed = kit
        .data(state, 'install', path, '--allow-older-data', '--accept-changes')
        .finally(() => {
          installing.isDone = true;
        });
      const seen: string[] = [];
      while (!installing.isDone) {
        seen.push(await compare([before, after]));
        counts.whileInstalling++;
        await Bun.sleep(5);
      }
      const { exitCode, stdout, stderr } = await installed;
      expect([exitCode, stderr]).toEqual([0, '']);
      await untilUsed(server, sequence);
      for (let request = 0; request < REQUESTS; request++) await compare([after]);
      const isInOrder = seen.every((each, at) => at === 0 || each >= seen[at - 1]! || sequence === 1);
      if (!isInOrder) differences.push(`${version}: the release before returned`);
      compareReport(reported(stdout));

      /** Compares one response with zic for the release it names, which must be one of these. */
      async function compare(permitted: readonly ReleaseSource[]): Promise<string> {
        const zone = drawn(zones);
        const response = await sendSigned(server, zone, instantOf(zone));
        const { epochSeconds } = response;
        counts.responses++;
        const inForce = permitted.find(release => release.version === response.version);
        const expected =
          inForce && isoLocal(epochSeconds, truth.offsetAt(inForce.source, zone, epochSeconds));
        if (response.isoLocal !== expected) differences.push(`${JSON.stringify(response)}: ${expected}`);
        return response.version;
      }

      /** Every other time, the first instant at which the zone has another offset. */
      function instantOf(zone: string): number {
        const first = report.firstInstants.get(zone) ?? -Infinity;
        if (first > Date.UTC(FIRST_YEAR) / 1000 && random() < 0.5) return first;
        const [from, until] = [Date.UTC(FIRST_YEAR), Date.UTC(LAST_YEAR)];
        return Math.floor((from + random() * (until - from)) / 1000);
      }

      /** Renamed zones have no TZif file to compare with. */
      function compareReport(changes: ReadonlyMap<string, string>) {
        const isAll = names.length === rewritten(before.source, after.source).length;
        const isCompared = (zone: string) => names.includes(zone) || (isAll && both.includes(zone));
        const comparable = [...changes].filter(([zone]) => isCompared(zone));
        const [actual, expected] = [comparable, [...report.changed]].map(each => each.sort().join('; '));
        counts.reports += report.changed.size;
        if (actual !== expected) differences.push(`${version} changes ${actual}, not ${expected}`);
      }
    }
  },
);
