import type { AddressSettings } from '../../http/address_limits.ts';
import type { DependencyStatus } from '../../http/snapshot.ts';
import type { AccessSettings, requireKeysIfExposed } from '../access.ts';
import type { DataAgeSettings } from '../data_age.ts';
import type { DataSettings } from '../data_sets/data_set.ts';
import type { ProcessContext } from '../lifecycle.ts';
import type { Certificate } from '../listening/certificate.ts';
import type { ListenerSettings } from '../listening/open_listeners.ts';
import type { ServerLog } from '../log.ts';
import type { Reloadable } from '../reload.ts';
import type { SigningSettings } from '../signing_keys.ts';
import type { RequestSettings } from '../snapshot.ts';
import type { WorkerAssignment } from '../workers/worker_messages.ts';

/** The settings of a server, except those of its log. */
export type ServerSettings = AccessSettings &
  AddressSettings &
  DataAgeSettings &
  DataSettings &
  ListenerSettings &
  RequestSettings &
  SigningSettings &
  Parameters<typeof requireKeysIfExposed>[0] &
  Parameters<typeof Certificate.open>[0] & {
    readonly 'data-keys': string | null;
    readonly 'data-url': string | null;
    /** In milliseconds. */
    readonly 'data-interval': number;
    readonly 'require-configured-data': boolean;
    readonly workers: number;
  };

/** The configuration file of a running server. */
export interface ConfigFile {
  /** Reloads the file; passes its current settings to `apply`. */
  readonly reloadable: (apply: (settings: RequestSettings) => void) => Reloadable;
  /** The lines in `/readyz` about changes without effect. */
  readonly status: () => readonly DependencyStatus[];
}

/** What a server is started with. */
export interface ServerStart {
  readonly settings: ServerSettings;
  readonly context: ProcessContext;
  /** Null in a single-process server. */
  readonly assignment: WorkerAssignment | null;
  readonly log: ServerLog;
  /** Null for none. */
  readonly config: ConfigFile | null;
  /** The files that a reload reads. */
  readonly reloadedFiles: readonly string[];
  /** The flags of `data install`, for pulls of bundles. */
  readonly installFlags: readonly string[];
}
