import { expect, test } from 'bun:test';
import { readReleasePack } from '../../data/releases/embedded.ts';
import { openReleasePack } from '../../src/zones/releases.ts';
import type { Zone } from '../../src/zones/zone.ts';
import { expectNoDifferences, sample } from '../support/proof.ts';
import { send } from '../support/service.ts';
import { isoOf, seconds } from '../support/zones.ts';

/**
 * `/v1/tzdata/changes` against the offsets of two releases, hour by hour. All zones whose files differ are compared, which
 * includes those in tz's NEWS; the response must have no others.
 */

const FROM = seconds('1970-01-01');
const UNTIL = seconds('2040-01-01');
const HOUR = 3600;

const history = await openReleasePack(readReleasePack());
const versions = history.releases.map(({ version }) => version);

const PAIRS = [
  ...versions.slice(1).map((to, index) => ({ from: versions[index]!, to })),
  { from: versions[0]!, to: versions.at(-1)! },
];

interface Change {
  readonly since: { readonly unix: number } | null;
  readonly until: { readonly unix: number } | null;
  readonly old_offset: number;
  readonly new_offset: number;
}

/** The changes of each zone in a response. */
async function changesBetween(from: string, to: string): Promise<ReadonlyMap<string, readonly Change[]>> {
  const span = `after=${isoOf(FROM)}Z&before=${isoOf(UNTIL)}Z`;
  const { status, body } = await send(`/v1/tzdata/changes?from=${from}&to=${to}&${span}`);
  expect(status).toBe(200);
  const zones: readonly { timezone: string; changes: readonly Change[] }[] = body.zones;
  return new Map(zones.map(({ timezone, changes }) => [timezone, changes]));
}

/** The first hour at which the changes do not match the offsets, or null. */
function firstDifference(old: Zone, recent: Zone, changes: readonly Change[]): string | null {
  let next = 0;
  for (let at = FROM; at < UNTIL; at += HOUR) {
    while (next < changes.length && (changes[next]!.until?.unix ?? Infinity) <= at) next++;
    const change = changes[next];
    const isWithin = change !== undefined && (change.since?.unix ?? -Infinity) <= at;
    const before = old.periodAt(at).offsetSeconds;
    const after = recent.periodAt(at).offsetSeconds;
    const isRight = isWithin
      ? change.old_offset * 60 === before && change.new_offset * 60 === after && before !== after
      : before === after;
    if (!isRight) return `${recent.name} at ${isoOf(at)}: ${before} and ${after}`;
  }
  return null;
}

/** The bounds of changes at which the releases' offsets do not start or end as listed. */
function wrongBounds(old: Zone, recent: Zone, changes: readonly Change[]): string[] {
  const isListed = (at: number, { old_offset, new_offset }: Change) =>
    old.periodAt(at).offsetSeconds === Math.round(old_offset * 60) &&
    recent.periodAt(at).offsetSeconds === Math.round(new_offset * 60);
  return changes.flatMap(change => {
    const { since, until } = change;
    const isExact =
      (since === null || (isListed(since.unix, change) && !isListed(since.unix - 1, change))) &&
      (until === null || (isListed(until.unix - 1, change) && !isListed(until.unix, change)));
    return isExact ? [] : [`${recent.name} from ${since?.unix} until ${until?.unix}`];
  });
}

test('the changes between two releases match their offsets, hour by hour', async () => {
  const differences: string[] = [];
  let comparisons = 0;
  for (const { from, to } of sample(PAIRS, 3)) {
    const [before, after] = [(await history.open(from))!, (await history.open(to))!];
    const listed = await changesBetween(from, to);
    for (const recent of after.canonicalZones()) {
      const old = before.find(recent.name);
      const changes = listed.get(recent.name) ?? [];
      if (old === undefined || old.sharesTimelineWith(recent)) {
        if (changes.length > 0) differences.push(`${recent.name} of ${from} and ${to} does not differ`);
        continue;
      }
      comparisons += (UNTIL - FROM) / HOUR;
      const different = firstDifference(old, recent, changes);
      if (different !== null) differences.push(`${from} and ${to}: ${different}`);
      differences.push(...wrongBounds(old, recent, changes).map(bound => `${from} and ${to}: ${bound}`));
    }
  }
  expectNoDifferences('changes between releases, hours', comparisons, differences, 100_000_000);
});
