import { hash } from 'node:crypto';
import type { DataSetManifest } from '../../data/manifest.ts';
import { cut } from '../common/errors.ts';
import type { DataDetails } from '../operations/details.ts';
import {
  DATA_FIELDS,
  DATA_NAMES,
  type DataName,
  FIELD_OF_NAME,
  NAME_OF_FIELD,
  type ServedData,
} from '../operations/served_data.ts';
import { type DataHeaders, type DataSource, type DataUse, perSnapshot, type Snapshot } from './snapshot.ts';

/** A data set in use. */
export interface DataInUse {
  readonly name: DataName;
  readonly field: keyof ServedData;
  readonly release: string;
  /** `YYYY-MM-DD`; null if unknown. */
  readonly date: string | null;
  /** The digest of its file, or of the operator's files that replace or extend it, in hexadecimal. */
  readonly sha256: string;
}

const MS_PER_DAY = 86_400_000;

/** A data source whose values are cached by the bits of the data sets: at most 4,096 of each kind. */
export class CachedSource implements DataSource {
  readonly snapshot: Snapshot;
  readonly #NotingSnapshot: new () => Snapshot;
  readonly #headers: (DataHeaders | undefined)[] = [];
  readonly #digests: (string | undefined)[] = [];

  constructor(snapshot: Snapshot) {
    this.snapshot = snapshot;
    this.#NotingSnapshot = notingClass(snapshot, this);
  }

  /** A snapshot with the same values, for one query, that records which data sets are read. */
  noting(): Snapshot {
    return new this.#NotingSnapshot();
  }

  headersOf(used: number): DataHeaders {
    this.#headers[used] ??= headersOf(dataOf(used, this.snapshot));
    return this.#headers[used];
  }

  digestOf(used: number): string {
    this.#digests[used] ??= digestOfSources(used, this.snapshot);
    return this.#digests[used];
  }
}

export const dataSource = perSnapshot(snapshot => new CachedSource(snapshot));

/** The class of the snapshots of a source that record their use: defining getters on each of them would take 3 µs. */
function notingClass(snapshot: Snapshot, source: DataSource): new () => Snapshot {
  class Noting implements DataUse {
    used = 0;
    usedByFailures = 0;
    readonly source = source;

    get use(): DataUse {
      return this;
    }
  }
  for (const [index, field] of DATA_FIELDS.entries()) {
    Object.defineProperty(Noting.prototype, field, {
      get(this: Noting) {
        this.used |= 1 << index;
        return snapshot[field];
      },
    });
  }
  Object.setPrototypeOf(Noting.prototype, snapshot);
  return Noting as unknown as new () => Snapshot; // its prototype has all members
}

/** The data sets read so far, a bit for each; 0 if that is not noted. */
export function useSoFar({ use }: Snapshot): number {
  return use?.used ?? 0;
}

/**
 * Notes that an entry of a list has failed, before which `usedBefore` was read. What only failing entries have read, such as the
 * data that suggestions are taken from, is in no details of the other entries, but the response as a whole depends on it.
 */
export function noteFailedEntry({ use }: Snapshot, usedBefore: number): void {
  if (use === undefined) return;
  use.usedByFailures |= use.used;
  use.used = usedBefore;
}

/** Whether a data set was read. */
function isUsed(field: keyof ServedData, used: number): boolean {
  return ((used >> DATA_FIELDS.indexOf(field)) & 1) === 1;
}

/** The data sets of some bits. */
function dataOf(used: number, snapshot: Snapshot): readonly DataInUse[] {
  return DATA_NAMES.filter(name => isUsed(FIELD_OF_NAME[name], used)).map(name => dataInUse(name, snapshot));
}

/**
 * The releases of the data sets that were read from a snapshot of {@link CachedSource.noting}, with their age at an instant; without
 * those that only failing entries of a list have read.
 */
export function dataDetails({ use }: Snapshot, nowMs: number): DataDetails {
  const data = use === undefined ? [] : dataOf(use.used, use.source.snapshot);
  return Object.fromEntries(
    data.map(({ name, release, date }) => {
      const ageDays = date && Math.max(0, Math.floor((nowMs - Date.parse(date)) / MS_PER_DAY));
      return [name, { release, age_days: ageDays }];
    }),
  );
}

/** The headers for the data sets read from a snapshot of {@link CachedSource.noting}; without a snapshot, none were read. */
export function dataHeaders(read: Snapshot | undefined): DataHeaders {
  return read?.use === undefined ? NO_DATA : read.use.source.headersOf(allOf(read.use));
}

function headersOf(data: readonly DataInUse[]): DataHeaders {
  const releases = data.map(({ name, release }) => `${name}=${encodedRelease(release)}`);
  const lines = data.map(({ name, release, sha256 }) => `${name} ${encodedRelease(release)} ${sha256}\n`);
  return {
    'X-Service-Data': releases.join(', ') || 'none',
    'X-Service-Data-Digest': `sha-256=:${hash('sha256', lines.sort().join(''), 'base64')}:`,
  };
}

const NO_DATA = headersOf([]);

/** A digest of the executable and the data sets that were read from a snapshot of {@link CachedSource.noting}. */
export function sourcesDigest(snapshot: Snapshot): string {
  const { use } = snapshot;
  return use === undefined ? dataSource(snapshot).digestOf(0) : use.source.digestOf(allOf(use));
}

/** All data sets that a response depends on. */
function allOf({ used, usedByFailures }: DataUse): number {
  return used | usedByFailures;
}

function digestOfSources(used: number, snapshot: Snapshot): string {
  const data = DATA_FIELDS.filter(field => isUsed(field, used)).map(field => [
    field,
    digestOf(field, snapshot),
  ]);
  return hash('sha256', JSON.stringify([snapshot.build, data]), 'base64url').slice(0, SOURCES_DIGEST_LENGTH);
}

const SOURCES_DIGEST_LENGTH = 10;

/** The type of an operator's database can be any text. */
function encodedRelease(release: string): string {
  return encodeURIComponent(cut(release, 80));
}

/** The release of a data set in a snapshot, whether it was read or not. */
export function dataInUse(name: DataName, snapshot: Snapshot): DataInUse {
  const field = FIELD_OF_NAME[name];
  const manifest = manifestOf(name, snapshot);
  const sha256 = snapshot.digests[field] ?? manifest?.sha256 ?? '';
  return { name, field, sha256, ...releaseOf(name, snapshot, manifest) };
}

/** The digest of a data set in use; '' for one that only the operator can provide, and has not provided. */
function digestOf(field: keyof ServedData, snapshot: Snapshot): string {
  const name = NAME_OF_FIELD[field];
  return snapshot.digests[field] ?? (name && manifestOf(name, snapshot)?.sha256) ?? '';
}

/** The manifest of an embedded data set. */
function manifestOf(name: DataName, { embeddedData }: Snapshot): DataSetManifest | undefined {
  const manifestName = name === 'releases' ? 'tzdata releases' : name;
  return embeddedData.find(embedded => embedded.name === manifestName);
}

type Release = Pick<DataInUse, 'release' | 'date'>;

function releaseOf(name: DataName, snapshot: Snapshot, manifest: DataSetManifest | undefined): Release {
  if (name === 'tzdata') return releaseOfZones(snapshot, manifest);
  const { ip } = snapshot;
  const configured = name === 'ip' && ip.state.kind === 'ready' ? ip.get().release : undefined;
  // The release of the embedded database is in its manifest.
  if (configured !== undefined && configured.name !== EMBEDDED_IP_TYPE) {
    return { release: configured.name, date: configured.date };
  }
  return { release: manifest?.version ?? 'unknown', date: configured?.date ?? manifest?.date ?? null };
}

/** The type of the database that `data/ip` compiles. */
const EMBEDDED_IP_TYPE = 'meridian-time-zones';

function releaseOfZones(
  { zones: { version }, releases }: Snapshot,
  manifest: DataSetManifest | undefined,
): Release {
  if (version === manifest?.version) return { release: version, date: manifest.date };
  const known = releases.state.kind === 'ready' ? releases.get().releases : [];
  return { release: version, date: known.find(past => past.version === version)?.released ?? null };
}
