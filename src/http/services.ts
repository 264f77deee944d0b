import type { DataSetManifest } from '../../data/manifest.ts';
import type { AccessControl } from '../access/access_control.ts';
import type { HolidayCalendars } from '../holidays/holiday_calendars.ts';
import type { CallerTrust } from '../places/caller_address.ts';
import type { Places } from '../places/places.ts';
import type { SigningKeys } from '../signing/key_set.ts';
import type { ZoneDatabase } from '../zones/zone_database.ts';
import type { HostClock } from './host_clock.ts';
import type { MetricFamily } from './metrics.ts';
import type { Observer } from './observer.ts';

/**
 * What the routes answer from. Replaced member by member when the server reloads its data: `PreparedQueries` compares each
 * member that can be.
 */
export interface Services {
  /** The present, in milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: () => number;
  zones: ZoneDatabase;
  /** What business days are counted by, with the organisation's own days. */
  holidays: HolidayCalendars;
  /** What addresses and coordinates are resolved from. */
  readonly places: Places;
  /** Whom the server believes about where requests come from. */
  readonly callerTrust: CallerTrust;
  /** The keys that `sign=true` signs with; without an active one it answers 501. */
  readonly signing: SigningKeys;
  /** Who may ask, and how much; null where nobody is ever asked, as in a process that answers itself. */
  readonly access: AccessControl | null;
  /** The most entries that a comma-separated selector may have. */
  readonly maxBulk: number;
  /** The data sets inside the executable, for what their licences want to be said on pages. */
  readonly embeddedData: readonly DataSetManifest[];
  /** `Access-Control-Allow-Origin` */
  readonly corsOrigin: string;
  /** What stands before the paths in clocks, for pages on other hosts: an origin, or that with a path; '' for none. */
  readonly publicUrl: string;
  /** Reports a failure that no caller is told about. */
  readonly logError: (message: string, cause: unknown) => void;
  /** The host's word on its clock; null where it gives none. */
  readonly hostClock: () => HostClock | null;
  /** Whether the server is unready while the host does not synchronise its clock. */
  readonly requireClockSync: boolean;
  /** The metrics of the whole server. */
  readonly metrics: () => Promise<readonly MetricFamily[]>;
  /** Counts and logs the answers; nobody does without. */
  readonly observer?: Observer;
}
