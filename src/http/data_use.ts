import { hash } from 'node:crypto';
import type { DataSetManifest } from '../../data/manifest.ts';
import { BoundedCache } from '../common/caching.ts';
import { MS_PER_DAY } from '../common/civil.ts';
import { cut } from '../common/errors.ts';
import type { DataDetails } from '../operations/details.ts';
import {
  type DataName,
  type DataSets,
  FIELD_OF_NAME,
  namesOf,
  type ServedData,
} from '../operations/served_data.ts';
import type { ProofHeaders } from '../signing/message_signature.ts';
import { perSnapshot, type Snapshot } from './snapshot.ts';

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

type DataHeaders = Pick<ProofHeaders, 'X-Service-Data' | 'X-Service-Data-Digest'>;

/** Half the maximum number of cached combinations of data sets; requests use a few dozen. */
const CACHED_COMBINATIONS = 256;

const cachedHeaders = perSnapshot(() => new BoundedCache<DataSets, DataHeaders>(CACHED_COMBINATIONS));
const cachedDigests = perSnapshot(() => new BoundedCache<DataSets, string>(CACHED_COMBINATIONS));

/** The headers that identify some data sets of a snapshot. */
export function dataHeaders(sets: DataSets, snapshot: Snapshot): DataHeaders {
  return cachedHeaders(snapshot).getOrInsertComputed(sets, () => {
    const data = dataOf(sets, snapshot);
    const releases = data.map(({ name, release }) => `${name}=${encodedRelease(release)}`);
    const lines = data.map(({ name, release, sha256 }) => `${name} ${encodedRelease(release)} ${sha256}\n`);
    return {
      'X-Service-Data': releases.join(', ') || 'none',
      'X-Service-Data-Digest': `sha-256=:${hash('sha256', lines.sort().join(''), 'base64')}:`,
    };
  });
}

/** 60 bits of a digest of the executable and some data sets of a snapshot, for entity tags. */
export function dataDigest(sets: DataSets, snapshot: Snapshot): string {
  return cachedDigests(snapshot).getOrInsertComputed(sets, () => {
    const data = namesOf(sets).map(([field, name]) => [field, digestOf(field, name, snapshot)]);
    return hash('sha256', JSON.stringify([snapshot.build, data]), 'base64url').slice(0, 10);
  });
}

/** The releases of some data sets, with their age at an instant. */
export function dataDetails(sets: DataSets, snapshot: Snapshot, nowMs: number): DataDetails {
  return Object.fromEntries(
    dataOf(sets, snapshot).map(({ name, release, date }) => {
      const ageDays = date && Math.max(0, Math.floor((nowMs - Date.parse(date)) / MS_PER_DAY));
      return [name, { release, age_days: ageDays }];
    }),
  );
}

/** Those of some data sets that have releases. */
function dataOf(sets: DataSets, snapshot: Snapshot): readonly DataInUse[] {
  return namesOf(sets).flatMap(([, name]) => (name === null ? [] : [dataInUse(name, snapshot)]));
}

/** The release of a data set in a snapshot. */
export function dataInUse(name: DataName, snapshot: Snapshot): DataInUse {
  const field = FIELD_OF_NAME[name];
  const sha256 = digestOf(field, name, snapshot);
  return { name, field, sha256, ...releaseOf(name, snapshot) };
}

/** The digest of a data set in use; '' for one that only the operator can provide, and has not provided. */
function digestOf(field: keyof ServedData, name: DataName | null, snapshot: Snapshot): string {
  return snapshot.digests[field] ?? (name && manifestOf(name, snapshot)?.sha256) ?? '';
}

/** The manifest of an embedded data set. */
function manifestOf(name: DataName, { embeddedData }: Snapshot): DataSetManifest | undefined {
  const manifestName = name === 'releases' ? 'tzdata releases' : name;
  return embeddedData.find(embedded => embedded.name === manifestName);
}

/** The type of an operator's database can be any text. */
function encodedRelease(release: string): string {
  return encodeURIComponent(cut(release, 80));
}

type Release = Pick<DataInUse, 'release' | 'date'>;

function releaseOf(name: DataName, snapshot: Snapshot): Release {
  const manifest = manifestOf(name, snapshot);
  if (name === 'tzdata') return releaseOfZones(snapshot, manifest);
  const { ip } = snapshot;
  const configured = name === 'ip' && ip.state.kind === 'ready' ? ip.get().release : undefined;
  // The release of the embedded database is in its manifest.
  if (configured !== undefined && configured.name !== EMBEDDED_IP_TYPE)
    return { release: configured.name, date: configured.date };
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
