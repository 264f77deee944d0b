import type { DataSetManifest } from '../../data/manifest.ts';
import type { AccessControl } from '../access/access_control.ts';
import type { ServerKeys } from '../access/administration.ts';
import type { ServedData } from '../operations/served_data.ts';
import type { CallerTrust } from '../places/caller_address.ts';
import type { SigningKeys } from '../signing/key_set.ts';
import type { AddressLimiter, PublicLimiters, RouteGroup } from './address_limits.ts';
import type { AccessLogLine, AccessLogMode, LogClientMode, Traffic } from './traffic.ts';

/**
 * The state of something that requests depend on. A broken dependency makes the server unready. A degraded one does not: requests
 * are served, but not with the data that the operator configured.
 */
export interface DependencyStatus {
  readonly name: string;
  readonly state: 'ok' | 'absent' | 'warning' | 'degraded' | 'broken';
  readonly detail: string;
}

/**
 * The data and options that requests read. Immutable: a reload replaces it as a whole, and with it everything derived from it
 * with {@link perSnapshot}. A request uses the same snapshot from beginning to end.
 */
export interface Snapshot extends ServedData {
  /** SHA-256 of the operator's files by data set, in hexadecimal; those of embedded data are in their manifests. */
  readonly digests: Readonly<Partial<Record<keyof ServedData, string>>>;
  /** Identifies the executable; the same on all machines. */
  readonly build: string;
  /** The trusted proxies, and the header that carries the client's address. */
  readonly callerTrust: CallerTrust;
  /** The maximum number of entries in a comma-separated selector. */
  readonly maxBulk: number;
  /** The maximum number of requests in a batch. */
  readonly maxBatch: number;
  /** Manifests of the compiled data sets in use: those of the executable, except for sets replaced by a bundle. */
  readonly embeddedData: readonly DataSetManifest[];
  /** `Access-Control-Allow-Origin` */
  readonly corsOrigin: string;
  /** Prefix of the URLs in clock fragments, for pages on other hosts: an origin, optionally with a path; '' for none. */
  readonly publicUrl: string;
  /** The routes that require no key on a server with API keys. */
  readonly publicRoutes: readonly RouteGroup[];
  /** Whether the server is unready while the host's clock is not synchronised. */
  readonly requireClockSync: boolean;
}

/** The running server, as seen by the HTTP layer. */
export interface Server {
  /** Returns the current snapshot. */
  readonly snapshot: () => Snapshot;
  /** Returns the status of data sets. */
  readonly dataStatus: (data: ServedData) => readonly DependencyStatus[];
  /** The current time, in milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: () => number;
  /** The keys for `sign=true`; without an active one it is rejected with 501. */
  readonly signing: SigningKeys;
  /** Authentication and limits; null if requests are never authenticated, as in `meridian get`. */
  readonly access: AccessControl | null;
  /** The per-address limits while no key is required; absent for none. */
  readonly addresses?: AddressLimiter | undefined;
  /** The per-address limits of public routes; without them none can be opened. */
  readonly publicLimiters?: PublicLimiters;
  /** Administration of API keys by operators; absent if there is no API for it. */
  readonly administration?: ServerKeys;
  /** The state of the host's clock; null if the host does not report it. */
  readonly hostClock: () => HostClock | null;
  /** The metrics of all workers, in Prometheus text exposition format 0.0.4; cheap. */
  readonly metrics: () => Promise<string>;
  /** Logs an internal failure. */
  readonly logError: (message: string, cause: unknown) => void;
  /** Metrics and access log; absent in `meridian get`. */
  readonly observer?: Observer;
}

/** Receives the metrics and log lines of requests. */
export interface Observer {
  readonly traffic: Traffic;
  readonly accessLog: {
    readonly mode: AccessLogMode;
    readonly line: AccessLogLine;
    /** Writes a line, possibly buffered. */
    readonly write: (line: string) => void;
    readonly client: LogClientMode;
  };
}

/** The state of the host's clock. */
export interface HostClock {
  /** Whether something (chrony, systemd-timesyncd, ntpd, a hypervisor) disciplines the clock. */
  readonly isSynchronized: boolean;
  /** The kernel's bound on the clock's error. */
  readonly maxErrorSeconds: number;
}

type Derive<Value> = (snapshot: Snapshot) => Value;

/** Returns a function that derives a value from each snapshot once, and caches it for the lifetime of the snapshot. */
export function perSnapshot<Value extends object>(derive: Derive<Value>): Derive<Value> {
  const values = new WeakMap<Snapshot, Value>();
  return snapshot => {
    const known = values.get(snapshot);
    if (known !== undefined) return known;
    const value = derive(snapshot);
    values.set(snapshot, value);
    return value;
  };
}
