import type { DataSetManifest } from '../../../data/manifest.ts';
import { MS_PER_DAY } from '../../common/civil.ts';
import { messageOf } from '../../common/errors.ts';
import { boundedList } from '../../common/words.ts';
import { compareReleases } from '../../operations/release_changes.ts';
import type { ServedData } from '../../operations/served_data.ts';
import type { ZoneDatabase } from '../../zones/zone_database.ts';
import { checkData, DATA_SET_NAMES, type DataSettings } from '../data_sets.ts';
import { type LoadedData, loadData } from '../load_data.ts';
import type { Bundle } from './bundle_file.ts';

/** The changes that a bundle would make. */
export interface CanaryReport {
  readonly sequence: number;
  readonly digest: string;
  readonly sets: readonly (Pick<DataSetManifest, 'name' | 'version' | 'date' | 'licence' | 'bytes'> & {
    /** The version in use; null if the executable has newer data, so that the bundle does not replace the set. */
    readonly replaces: string | null;
  })[];
  /** The zones whose local time differs at any time, and the first such instant; null if it differs from the beginning. */
  readonly changedZones: readonly { readonly zone: string; readonly sinceEpochSeconds: number | null }[];
  /** The changed zones whose current offset differs. */
  readonly changedNow: readonly string[];
  readonly addedZones: readonly string[];
}

/**
 * Tests a bundle together with the configured data: reads every set completely, looks up the zones that they refer to, and
 * checks facts that no release changes. Rejects with an `AggregateError` of all faults.
 */
export async function tryBundle(
  bundle: Bundle,
  settings: DataSettings,
  inUse: LoadedData,
  nowEpochSeconds: number,
): Promise<CanaryReport> {
  // Unusable configured files are not the bundle's fault.
  const loaded = await loadData(settings, { bundle, substitute: async () => null });
  const faults: Error[] = [];
  for (const name of DATA_SET_NAMES) {
    const pack = loaded.packs.get(name) ?? null;
    const isBundled = pack?.sequence != null;
    const isConfigured = loaded.configured.get(name)?.used != null;
    try {
      const referred = await checkData(name, loaded.data, { pack, isBundled, isConfigured });
      requireZones(name, referred, loaded.data.zones, settings);
    } catch (error) {
      faults.push(new Error(`${name}: ${messageOf(error)}`));
    }
  }
  if (faults.length === 0)
    for (const [fact, holds] of FACTS)
      if (!holds(loaded.data)) faults.push(new Error(`it contradicts that ${fact}`));
  if (faults.length > 0) throw new AggregateError(faults, faults[0]!.message);
  return { ...describeSets(bundle, loaded, inUse), ...(await zoneChanges(loaded, inUse, nowEpochSeconds)) };
}

/** With `--allow-older-data`, zones may lack those added since. */
function requireZones(
  set: keyof ServedData,
  names: readonly string[],
  zones: ZoneDatabase,
  settings: DataSettings,
): void {
  const unknown = settings['allow-older-data'] ? [] : names.filter(name => zones.find(name) === undefined);
  if (unknown.length > 0)
    throw new Error(`${set} refer to zones that are not in the data: ${boundedList(unknown)}`);
}

/** A fact that no release changes. */
type Fact = readonly [text: string, holds: (data: ServedData) => boolean];

/** 2000-07-01T12:00:00Z */
const MID_2000 = 962_452_800;

const offsetIn2000 = (zone: string, seconds: number): Fact => [
  `${zone} was ${seconds} s east of UTC on 2000-07-01`,
  ({ zones }) => zones.find(zone)?.periodAt(MID_2000).offsetSeconds === seconds,
];
const zoneAt = (latitude: number, longitude: number, zone: string): Fact => [
  `${latitude},${longitude} is in ${zone}`,
  ({ boundaries }) => boundaries.get().zoneNameAt(latitude, longitude) === zone,
];
const holiday = (code: string, date: string): Fact => [
  `${date} is a holiday of ${code}`,
  ({ holidays: { countries } }) => {
    const dayNumber = Date.parse(date) / MS_PER_DAY;
    const days = countries.find(country => country.code === code)?.readDays(dayNumber, dayNumber);
    return days?.some(({ dayNumbers }) => dayNumbers.length > 0) ?? false;
  },
];

const FACTS: readonly Fact[] = [
  offsetIn2000('UTC', 0),
  offsetIn2000('America/New_York', -14_400),
  offsetIn2000('America/Sao_Paulo', -10_800),
  offsetIn2000('Asia/Kolkata', 19_800),
  offsetIn2000('Asia/Tokyo', 32_400),
  offsetIn2000('Australia/Sydney', 36_000),
  offsetIn2000('Europe/London', 3600),
  offsetIn2000('Europe/Paris', 7200),
  zoneAt(48.8566, 2.3522, 'Europe/Paris'),
  zoneAt(40.7128, -74.006, 'America/New_York'),
  zoneAt(35.6762, 139.6503, 'Asia/Tokyo'),
  zoneAt(-33.8688, 151.2093, 'Australia/Sydney'),
  holiday('FR', '2024-07-14'),
  holiday('US', '2024-07-04'),
  holiday('DE', '2024-10-03'),
  [
    'Paris is in Europe/Paris',
    ({ gazetteer }) => gazetteer.get().resolve('Paris, FR', 1).candidates[0]?.zoneName === 'Europe/Paris',
  ],
];

function describeSets(bundle: Bundle, loaded: LoadedData, inUse: LoadedData) {
  const { manifest, digest } = bundle;
  const replaced = new Map(
    DATA_SET_NAMES.flatMap(set => {
      const pack = loaded.packs.get(set);
      return pack === undefined || pack.sequence === null ? [] : [[pack.manifest.name, inUse.packs.get(set)]];
    }),
  );
  const sets = manifest.sets.map(({ name, version, date, licence, bytes }) => {
    const replaces = replaced.get(name)?.manifest.version ?? null;
    return { name, version, date, licence, bytes, replaces };
  });
  return { sequence: manifest.sequence, digest, sets };
}

async function zoneChanges({ data }: LoadedData, inUse: LoadedData, nowEpochSeconds: number) {
  const { zones, added } = await compareReleases(inUse.data.zones, data.zones);
  const isNow = ({ fromEpochSeconds, untilEpochSeconds }: (typeof zones)[number]['changes'][number]) =>
    fromEpochSeconds <= nowEpochSeconds && nowEpochSeconds < untilEpochSeconds;
  return {
    changedZones: zones.map(({ zone, changes }) => ({
      zone: zone.name,
      sinceEpochSeconds: Number.isFinite(changes[0]!.fromEpochSeconds) ? changes[0]!.fromEpochSeconds : null,
    })),
    changedNow: zones.filter(({ changes }) => changes.some(isNow)).map(({ zone }) => zone.name),
    addedZones: added,
  };
}
