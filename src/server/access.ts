import { join } from 'node:path';
import { AccessControl } from '../access/access_control.ts';
import {
  type AccessPaths,
  readAccessFiles,
  requirePlans,
  stampOfAccessFiles,
} from '../access/access_files.ts';
import { KeyAdministration, type ServerKeys } from '../access/administration.ts';
import type { MarketplaceHeaders } from '../access/key_cache.ts';
import { type Awaitable, type LogEntry, type LogPosition, NO_KEYS } from '../access/key_store.ts';
import { KeyStoreFile } from '../access/key_store_file.ts';
import { layeredStore } from '../access/layers.ts';
import { checkShares } from '../access/limiter.ts';
import { PlanFile } from '../access/plan_file.ts';
import { openSharedAccess, RedisKeyStore } from '../access/redis/redis_key_store.ts';
import type { RedisStore } from '../access/redis/redis_store.ts';
import type { FailMode } from '../access/redis/watched_store.ts';
import { isBusy } from '../access/sqlite_errors.ts';
import { ALONE } from '../access/token_bucket.ts';
import { resultsOf, ServiceError, systemReason, UsageError } from '../common/errors.ts';
import { coalesced } from '../common/promises.ts';
import { fileExists } from '../common/state_files.ts';
import type { TrustedProxies } from '../places/caller_address.ts';
import { ConnectionFailure, Refusal } from '../redis/redis_failures.ts';
import { formatListenAddress, isLoopback, type ListenAddress } from './listen_address.ts';
import { type EventLog, reporter } from './log.ts';
import { type Environment, stateDirectory } from './state_directory.ts';
import type { WorkerPlace } from './worker.ts';

/** How often keys and plans are checked for changes. */
const TICK_MS = 250;
/** Pause between attempts to write to a locked file when stopping. */
const BUSY_PAUSE_MS = 200;
/** The number of attempts of an operator's request on a locked file, and the pause between them: five seconds in total. */
const MAX_ATTEMPTS = 100;
const ATTEMPT_PAUSE_MS = 50;

/** The settings of access control. */
export interface AccessSettings {
  readonly 'state-dir': string | null;
  /** Null if not set; empty if set to an empty value, such as by an empty environment variable. */
  readonly 'api-key': readonly string[] | null;
  readonly 'api-key-file': string | null;
  readonly open: boolean;
  readonly plans: string | null;
  readonly redis: string | null;
  readonly 'quota-fail': FailMode;
  readonly 'marketplace-host': string | null;
  readonly 'marketplace-keys': string | null;
  readonly 'marketplace-key-header': string;
  readonly 'marketplace-host-header': string;
}

/** The path of the database with the API keys of `meridian tokens`. */
export function keyStorePath(settings: Pick<AccessSettings, 'state-dir'>, environment: Environment): string {
  return join(stateDirectory(settings['state-dir'], environment), 'access.sqlite');
}

/**
 * Opens a server's access control, which follows changes to keys and plans until `stop`.
 * @throws {Error} with a one-line message for unreadable keys or plans
 */
export async function openAccess(
  settings: AccessSettings,
  environment: Environment,
  worker: WorkerPlace,
  log: EventLog,
  onKeyed: () => void,
) {
  const lists = listsOf(settings, environment, worker.count);
  const state = stateDirectory(settings['state-dir'], environment);
  const { redis: url } = settings;
  const shared = url === null ? null : openSharedAccess(url, state, worker.index === 0);
  // With Redis, workers need no quota leases from the file.
  const stored = new KeyStoreFile(keyStorePath(settings, environment), shared === null ? worker : ALONE);
  const control = new AccessControl(
    {
      open: settings.open,
      hasKeySource: worker.requiresKeys || lists.isConfigured,
      marketplace: marketplaceOf(settings),
      worker,
      failMode: settings['quota-fail'],
    },
    { lists, stored, shared, report: reporter(log), onKeyed, pause: () => Bun.sleep(BUSY_PAUSE_MS) },
  );
  if (control.isOpen && control.isKeyed) log.warn('--open: all requests are served without an API key');
  await control.start();
  const administration = keyAdministration(control, stored, shared?.store ?? null, log);
  const logCommands = worker.index === 0 ? commandLogger(control, administration.keys, log) : () => {};
  const timer = setInterval(() => {
    control.tick(Date.now());
    void logCommands();
  }, TICK_MS);
  return {
    name: 'access',
    control,
    administration,
    /** The Redis that this machine shares with others. */
    redis: shared && {
      store: shared.store,
      run: control.runShared.bind(control),
      revisions: () => ({ api_keys: shared.keys.revision, plans: shared.plans.revision }),
      unreadable: { keys: shared.keys.unreadable, plans: shared.plans.unreadable },
    },
    reload: () => control.reload(),
    stop() {
      clearInterval(timer);
      return control.stop();
    },
  };
}

/**
 * Checks API keys and plans as {@link openAccess} and {@link requireKeysIfExposed} do, without serving or connecting to Redis.
 * `mayHaveShared`: whether Redis has API keys, or may have some.
 * @throws {Error} with a one-line message, or an `AggregateError`
 */
export function checkAccess(
  settings: AccessSettings & ExposureSettings & { readonly workers: number },
  environment: Environment,
  mayHaveShared: boolean,
): void {
  const lists = listsOf(settings, environment, settings.workers);
  const checkStore = () => {
    const store = new KeyStoreFile(keyStorePath(settings, environment), ALONE);
    try {
      store.stamp(); // opens it if it exists
      const isKeyed = lists.isConfigured || mayHaveShared || store.read().hasEverHeld;
      requireKeysIfExposed(settings, { isOpen: settings.open || !isKeyed });
    } finally {
      store.close();
    }
  };
  resultsOf(lists.read, checkStore);
}

/** The API keys in a server's file and in Redis, for operators. */
export function keyAdministration(
  control: AccessControl,
  file: KeyStoreFile,
  redis: RedisStore | null,
  log: EventLog,
): ServerKeys {
  function open(create: boolean) {
    const own = file.store(create && redis === null) ?? NO_KEYS;
    return redis === null ? own : layeredStore(new RedisKeyStore(redis), own);
  }
  return {
    keys: new KeyAdministration(open, withPatience, entry => logChange(log, entry)),
    planNames: () => control.planNames,
  };
}

function logChange(
  log: EventLog,
  { action, id, user, operator, values }: Omit<LogEntry, keyof LogPosition>,
): void {
  const author = user === null ? { operator } : { user };
  log.info('API key changed', { event: 'api_key_changed', action, key: id, ...author, ...values });
}

/** The maximum delay before an entry is seen, such as by the difference between the clocks of machines. */
const LOG_DELAY_MS = 600_000;

/**
 * Logs the changes that commands make, which are other processes. Call the result often: it reads the log of the store only after
 * a change of the keys. The keys of an import are counted, since their number would exceed what a log service accepts.
 */
export function commandLogger(
  control: Pick<AccessControl, 'keyStamp'>,
  keys: KeyAdministration,
  log: EventLog,
) {
  const startMs = Date.now();
  let [stamp, seen] = [control.keyStamp, new Set<string>()];
  return coalesced(async () => {
    const current = control.keyStamp;
    if (current === stamp) return;
    const nowMs = Date.now();
    const after = { timeMs: Math.max(startMs, nowMs - LOG_DELAY_MS), serial: '' };
    try {
      const serials = new Set<string>();
      const imported = new Map<string, number>();
      for await (const rows of keys.log(nowMs, after)) {
        for (const { position, report } of rows) {
          serials.add(position.serial);
          if (report.user === null || seen.has(position.serial)) continue;
          if (report.action === 'import') imported.set(report.user, (imported.get(report.user) ?? 0) + 1);
          else logChange(log, report);
        }
      }
      for (const [user, count] of imported)
        log.info('API keys imported', { event: 'api_keys_imported', keys: count, user });
      seen = serials;
      stamp = current;
    } catch {
      // Access control reports that the keys cannot be read; the next call tries again.
    }
  });
}

/** Retries work while another process has the file locked; other requests are served meanwhile. */
async function withPatience<Result>(work: () => Awaitable<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ConnectionFailure || error instanceof Refusal) {
        const message = `The API keys in Redis are unavailable: ${error.message}; retry later`;
        throw new ServiceError('UPSTREAM_FAILURE', message);
      }
      if (!isBusy(error) || attempt === MAX_ATTEMPTS) throw error;
      await Bun.sleep(ATTEMPT_PAUSE_MS);
    }
  }
}

/**
 * The keys and plans in settings and files. With Redis there may be more plans, and rates are not split among workers. `read`
 * throws like {@link readAccessFiles}.
 */
function listsOf(settings: AccessSettings, environment: Environment, workers: number) {
  const credential = credentialOfKeys(environment['CREDENTIALS_DIRECTORY']);
  const paths: AccessPaths = {
    keys: settings['api-key'] ?? [],
    keyFiles: [settings['api-key-file'], credential].filter(path => path !== null),
    plans: settings.plans,
    marketplaceKeys: settings['marketplace-keys'],
  };
  return {
    isConfigured: settings['api-key'] !== null || paths.keyFiles.length > 0 || paths.marketplaceKeys !== null,
    stamp: () => stampOfAccessFiles(paths),
    read() {
      const lists = readAccessFiles(paths);
      if (settings.redis !== null) return lists;
      resultsOf(
        () => requirePlans(lists),
        () =>
          paths.plans && new PlanFile(paths.plans).check(() => checkShares(lists.plans.values(), workers)),
      );
      return lists;
    },
  };
}

export interface ExposureSettings {
  readonly open: boolean;
  readonly listen: readonly ListenAddress[];
  readonly 'trust-proxy': Pick<TrustedProxies, 'isEmpty'>;
}

/**
 * Requires API keys or an explicit `--open` if other machines can connect, directly or through a proxy.
 * @throws {UsageError}
 */
export function requireKeysIfExposed(
  settings: ExposureSettings,
  access: Pick<AccessControl, 'isOpen'>,
): void {
  if (settings.open || !access.isOpen) return;
  const exposed = settings.listen.find(address => !isLoopback(address));
  const what = exposed ? `listen on ${formatListenAddress(exposed)}` : 'serve behind --trust-proxy';
  if (exposed === undefined && settings['trust-proxy'].isEmpty) return;
  throw new UsageError(
    `Cannot ${what} without API keys: create one with 'meridian tokens add --name NAME', or allow unauthenticated requests with --open`,
  );
}

/** The path of the systemd credential `api-keys`; null if there is none. */
function credentialOfKeys(directory: string | undefined): string | null {
  if (directory === undefined) return null;
  const path = join(directory, 'api-keys');
  try {
    return fileExists(path) ? path : null;
  } catch (error) {
    throw new Error(`Cannot read API keys in '${path}': ${systemReason(error)}`);
  }
}

function marketplaceOf(settings: AccessSettings): MarketplaceHeaders | null {
  const { 'marketplace-host': host, 'marketplace-keys': keys } = settings;
  if (host === null || keys === null) return null;
  return {
    host,
    keyHeader: settings['marketplace-key-header'],
    hostHeader: settings['marketplace-host-header'],
  };
}
