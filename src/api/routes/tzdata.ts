import { Type } from '@sinclair/typebox';
import { BoundedCache } from '../../common/caching.ts';
import { quoted, unreadable } from '../../common/errors.ts';
import { encode, type Json, jsonArray, nullable, objectSchema, withMember } from '../../common/json.ts';
import { onceSettled } from '../../common/promises.ts';
import { perSnapshot, type Snapshot } from '../../http/snapshot.ts';
import {
  compareReleases,
  type ReleaseComparison,
  ZoneChanges,
  zoneChanges,
} from '../../operations/release_changes.ts';
import { NO_TARGET } from '../../operations/target.ts';
import type { ZoneDatabase } from '../../zones/zone_database.ts';
import { asGiven, optional, required, text } from '../inputs.ts';
import { findZone } from '../parameters/names.ts';
import { instantOfRangeEnd, parseEnd } from '../parameters/ranges.ts';
import { openRelease, unknownRelease } from '../parameters/releases.ts';
import { withDetails } from '../payloads.ts';
import { jsonRoute } from '../route.ts';
import { Slices } from '../slices.ts';

export const tzdataRoute = jsonRoute({
  path: '/v1/tzdata',
  summary: 'The time zone database releases available for computing responses',
  description:
    'Every route that uses time zones accepts one of these `releases` as `tzdata`; the default is `current`.',
  parameters: {},
  payload: objectSchema('TzdataReleases', 'Releases of tzdata.', {
    releases: Type.Array(
      Type.Object({
        release: Type.String({ description: 'Version of the release, such as `2024a`.' }),
        released: Type.String({ format: 'date', description: 'Date of the release, `YYYY-MM-DD`.' }),
      }),
      { description: 'Oldest first.' },
    ),
    current: Type.String({ description: 'The release used by default.' }),
    holidays_certain_through: nullable(
      Type.Integer(),
      'The last year in which the holidays that follow from law are certain; null with data of earlier versions, which do not say it.',
    ),
  }),
  lifetime: 'fixed',
  reads: ['releases', 'zones', 'holidays'],
  examples: [{ title: 'All releases', query: '' }],
  handle(_, context) {
    const { zones, holidays } = context.snapshot;
    const { releases } = context.snapshot.releases.get();
    const listed = releases.map(({ version, released }) => ({ release: version, released }));
    const payload = {
      releases: listed,
      current: zones.version,
      holidays_certain_through: holidays.header.certainThrough ?? null,
    };
    return withDetails(encode(payload), context);
  },
});

const release = (description: string, example: string) =>
  required(text(description, example), `a tzdata release such as '${example}'`, asGiven);

const tz = optional(text('Only this zone, case-insensitive.', 'America/Vancouver'), asGiven);

/** An instant in epoch seconds, with a fraction. */
const instant = (description: string, example: string) =>
  optional(
    text(description, example),
    (value, name, { snapshot }) => instantOfRangeEnd(parseEnd(value, name, snapshot), NO_TARGET) / 1000,
  );

export const tzdataChangesRoute = jsonRoute({
  path: '/v1/tzdata/changes',
  summary: 'What changed between two releases of the time zone database',
  description:
    'For each canonical zone, the periods in which its offset differs, exact to the second: for stored times in these periods, ' +
    'local time and instant no longer match. Periods that begin in 2100 or later are omitted. `added` has the zones, or the one ' +
    'in `tz`, that the earlier release lacks under any name.',
  parameters: {
    from: release('The earlier release.', '2025b'),
    to: release('The later release.', '2026f'),
    tz,
    after: instant(
      'Omits periods that end by this ISO 8601 timestamp or date, in UTC unless it has an offset.',
      '2026-01-01',
    ),
    before: instant('Omits periods that begin at or after this timestamp or date.', '2030-01-01'),
  },
  payload: objectSchema('TzdataChanges', 'Differences between two releases of tzdata.', {
    from: Type.String({ description: 'The earlier release.' }),
    to: Type.String({ description: 'The later release.' }),
    zones: Type.Array(ZoneChanges, { description: 'The zones that differ, by name.' }),
    added: Type.Array(Type.String(), { description: 'Zones that the earlier release lacks, by name.' }),
  }),
  lifetime: 'fixed',
  reads: ['releases', 'zones'],
  examples: [
    { title: 'A zone since a release', query: 'from=2025b&to=2026f&tz=America/Vancouver&before=2030-01-01' },
    { title: 'All zones in a period', query: 'from=2026a&to=2026f&after=2026-11-01&before=2027-01-01' },
    { title: 'An unknown release', query: 'from=2015a&to=2026f' },
  ],
  async handle({ from, to, tz, after, before }, context) {
    if (after !== null && before !== null && after > before)
      throw unreadable('before', "it is earlier than 'after'");
    const [old, current] = await openReleases(from, to, context.snapshot);
    const { zones, added } =
      tz === null
        ? await comparison(old, current, context.snapshot)
        : await compareReleases(old, current, [findZone(tz, 'tz', current)]);
    const items: Json<ZoneChanges>[] = [];
    const slices = new Slices();
    for (const { zone, changes } of zones) {
      if (slices.isOver) await slices.next();
      const shown = zoneChanges(zone, changes, after ?? -Infinity, before ?? Infinity);
      if (shown.changes.length > 0) items.push(encode(shown));
    }
    const json = withMember(encode({ from, to }), 'zones', jsonArray(items));
    return withDetails(withMember(json, 'added', encode([...added])), context);
  },
});

async function openReleases(
  from: string,
  to: string,
  snapshot: Snapshot,
): Promise<[old: ZoneDatabase, current: ZoneDatabase]> {
  const history = snapshot.releases.get();
  const old = await openRelease(from, snapshot);
  if (old === undefined) throw unknownRelease(from, 'from', history);
  const current = await openRelease(to, snapshot);
  if (current === undefined) throw unknownRelease(to, 'to', history);
  const versions = [...history.releases.map(({ version }) => version), snapshot.zones.version];
  if (versions.indexOf(from) > versions.indexOf(to)) {
    throw unreadable('to', `${quoted(to)} is earlier than ${quoted(from)}`);
  }
  return [old, current];
}

/** Half the maximum number of cached comparisons, of up to half a megabyte each. */
const CACHED_PAIRS = 4;

const comparisons = perSnapshot(
  () => new BoundedCache<string, () => Promise<ReleaseComparison> | ReleaseComparison>(CACHED_PAIRS),
);

/** The comparison of two releases; requests for the same pair share it. */
function comparison(
  old: ZoneDatabase,
  current: ZoneDatabase,
  snapshot: Snapshot,
): Promise<ReleaseComparison> | ReleaseComparison {
  const compared = comparisons(snapshot).getOrInsertComputed(`${old.version} ${current.version}`, () =>
    onceSettled(() => compareReleases(old, current)),
  );
  return compared();
}
