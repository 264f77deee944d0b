import type { DependencyStatus } from '../../http/snapshot.ts';
import type { ServedData } from '../../operations/served_data.ts';
import type { LazyData } from '../../places/lazy_data.ts';
import type { DataOrigin, SetOf } from './data_set.ts';
import { holidaysSet, ownNetworksSet, schedulesSet } from './holidays.ts';
import { boundariesSet, gazetteerSet, ipSet, outlinesSet } from './places.ts';
import { languagesSet, populationsSet, releasesSet, windowsSet, zonesSet } from './zones.ts';

/** All data sets, in the order in which they are loaded. */
export const DATA_SETS: { readonly [Name in keyof ServedData]: SetOf<Name> } = {
  zones: zonesSet,
  releases: releasesSet,
  windows: windowsSet,
  populations: populationsSet,
  holidays: holidaysSet,
  languages: languagesSet,
  schedules: schedulesSet,
  boundaries: boundariesSet,
  outlines: outlinesSet,
  ip: ipSet,
  gazetteer: gazetteerSet,
  ownNetworks: ownNetworksSet,
};

/** The names of all data sets, in the order in which they are loaded. */
export const DATA_SET_NAMES = Object.keys(DATA_SETS) as (keyof ServedData)[];

/** The manifest names of all compiled data sets. */
export const COMPILED_NAMES: readonly string[] = Object.values(DATA_SETS).flatMap(
  ({ compiled }) => compiled?.embedded.manifest.name ?? [],
);

/** The status of all data, for `/readyz`. */
export function dataStatus(data: ServedData): readonly DependencyStatus[] {
  return DATA_SET_NAMES.flatMap(name => statusOf(name, data) ?? []);
}

/** The releases in use, for the log. */
export function dataReleases({ zones, holidays, boundaries, ip }: ServedData) {
  return {
    tzdata: zones.version,
    holidays: holidays.header.library,
    boundaries: shortVersion(boundaries),
    ip: shortVersion(ip),
  };
}

/** Version and date without size, licence and source. */
function shortVersion({ version }: LazyData<unknown>): string {
  return version.replace(/,[^;]*/g, '');
}

/** Describes a data set in the log. Generic in the name, so that the set's value is typed. */
export function describeData<Name extends keyof ServedData>(name: Name, data: ServedData): string {
  return DATA_SETS[name].describe(data[name]);
}

/** The status of one data set; null for none. */
export function statusOf<Name extends keyof ServedData>(
  name: Name,
  data: ServedData,
): DependencyStatus | null {
  return DATA_SETS[name].status(data[name]);
}

/** Checks one data set; returns the zones that it refers to. */
export function checkData<Name extends keyof ServedData>(name: Name, data: ServedData, origin: DataOrigin) {
  return DATA_SETS[name].check(data[name], origin);
}
