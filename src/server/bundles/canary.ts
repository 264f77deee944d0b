import { messageOf } from '../../common/errors.ts';
import { boundedList } from '../../common/words.ts';
import type { HolidayCalendars } from '../../holidays/holiday_calendars.ts';
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
  readonly sets: readonly {
    readonly name: string;
    readonly version: string;
    readonly date: string;
    readonly licence: string;
    readonly bytes: number;
    /** The version in use; null if the executable has newer data, so that the bundle does not replace the set. */
    readonly replaces: string | null;
  }[];
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
    faults.push(...wrongFacts(loaded.data).map(fact => new Error(`it contradicts that ${fact}`)));
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

/** 2000-07-01T12:00:00Z */
const MID_2000 = 962_452_800;

/** Facts that no release changes: past offsets, places and holidays. */
const OFFSETS_IN_2000: readonly (readonly [zone: string, offsetSeconds: number])[] = [
  ['UTC', 0],
  ['America/New_York', -14_400],
  ['America/Sao_Paulo', -10_800],
  ['Asia/Kolkata', 19_800],
  ['Asia/Tokyo', 32_400],
  ['Australia/Sydney', 36_000],
  ['Europe/London', 3600],
  ['Europe/Paris', 7200],
];
const ZONES_OF_PLACES: readonly (readonly [latitude: number, longitude: number, zone: string])[] = [
  [48.8566, 2.3522, 'Europe/Paris'],
  [40.7128, -74.006, 'America/New_York'],
  [35.6762, 139.6503, 'Asia/Tokyo'],
  [-33.8688, 151.2093, 'Australia/Sydney'],
];
/** As days since 1970-01-01: 14 July, 4 July and 3 October 2024. */
const HOLIDAYS: readonly (readonly [country: string, dayNumber: number])[] = [
  ['FR', 19_918],
  ['US', 19_908],
  ['DE', 19_999],
];

function wrongFacts({ zones, boundaries, holidays, gazetteer }: ServedData): string[] {
  const offsets = OFFSETS_IN_2000.filter(
    ([name, offset]) => zones.find(name)?.periodAt(MID_2000).offsetSeconds !== offset,
  );
  const places = ZONES_OF_PLACES.filter(
    ([latitude, longitude, zone]) => boundaries.get().zoneNameAt(latitude, longitude) !== zone,
  );
  const days = HOLIDAYS.filter(([country, dayNumber]) => !isHoliday(holidays, country, dayNumber));
  const paris = gazetteer.get().resolve('Paris, FR', 1).candidates[0]?.zoneName;
  return [
    ...offsets.map(([name, offset]) => `${name} was ${offset} s east of UTC on 2000-07-01`),
    ...places.map(([latitude, longitude, zone]) => `${latitude},${longitude} is in ${zone}`),
    ...days.map(([country, dayNumber]) => `day ${dayNumber} since 1970-01-01 is a holiday of ${country}`),
    ...(paris === 'Europe/Paris' ? [] : ['Paris is in Europe/Paris']),
  ];
}

function isHoliday({ countries }: HolidayCalendars, code: string, dayNumber: number): boolean {
  const country = countries.find(each => each.code === code);
  return country?.readDays(dayNumber, dayNumber).some(({ dayNumbers }) => dayNumbers.length > 0) ?? false;
}

function describeSets(bundle: Bundle, loaded: LoadedData, inUse: LoadedData) {
  const { manifest, digest } = bundle;
  const replaced = new Map(
    DATA_SET_NAMES.flatMap(set => {
      const pack = loaded.packs.get(set);
      return pack === undefined || pack.sequence === null ? [] : [[pack.manifest.name, inUse.packs.get(set)]];
    }),
  );
  const sets = manifest.sets.map(({ name, version, date, licence, bytes }) => ({
    ...{ name, version, date, licence, bytes },
    replaces: replaced.get(name)?.manifest.version ?? null,
  }));
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
