import { join } from 'node:path';
import { AccessControl } from '../access/access_control.ts';
import { type AccessPaths, readAccessFiles, stampOfAccessFiles } from '../access/access_files.ts';
import type { MarketplaceHeaders } from '../access/credentials.ts';
import type { WorkerShare } from '../access/plan.ts';
import type { SharedStore } from '../access/redis_store.ts';
import type { FailMode } from '../access/shared_limiter.ts';
import { TokenStoreFile } from '../access/token_store_file.ts';
import type { SettingSources } from '../cli/settings.ts';
import { fileExists } from '../common/existing_file.ts';
import { systemReason } from '../common/system_reason.ts';
import { UsageError } from '../common/usage_error.ts';
import type { TrustedProxies } from '../places/trusted_proxies.ts';
import type { EventLog } from './event_log.ts';
import { formatListenAddress, isLoopback, type ListenAddress } from './listening/listen_address.ts';
import type { Reloadable } from './reload.ts';
import { stateDirectory } from './state_directory.ts';

/** How often changed keys and plans are looked for. */
const TICK_MS = 250;
/** How long the stop waits before it tries a locked file again; four times in all. */
const BUSY_PAUSE_MS = 200;
/** The timeout of the shared store within a request, whose response is then sent within 50 ms. */
const SHARED_TIMEOUT_MS = 30;

/** The settings that say who may ask. */
export interface AccessSettings {
  readonly 'state-dir': string | null;
  readonly 'api-key': readonly string[];
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

/** Where the API keys of `meridian tokens` are. */
export function tokenStorePath(
  settings: { readonly 'state-dir': string | null },
  { environment }: SettingSources,
): string {
  return join(stateDirectory(settings['state-dir'], environment), 'access.sqlite');
}

/** Who may ask a server, looked after in the real world until `stop`. */
export interface ServedAccess extends Reloadable {
  readonly control: AccessControl;
  stop(): Promise<void>;
}

/** Opens a server's access control. Throws an error of one line for keys or plans that cannot be read. */
export async function openAccess(
  settings: AccessSettings,
  sources: SettingSources,
  worker: WorkerShare,
  log: EventLog,
): Promise<ServedAccess> {
  const paths = accessPaths(settings, sources);
  const shared = settings.redis === null ? null : await redisStore(settings.redis);
  // With Redis, workers need no leases of quotas from the file.
  const quotaShare = shared === null ? worker : { index: 0, count: 1 };
  const control = new AccessControl(
    { open: settings.open, marketplace: marketplaceOf(settings), worker, failMode: settings['quota-fail'] },
    {
      lists: { read: () => readAccessFiles(paths), stamp: () => stampOfAccessFiles(paths) },
      tokens: new TokenStoreFile(tokenStorePath(settings, sources), quotaShare),
      sha256: reusedSha256(),
      shared,
      report: (severity, message) => log[severity](message),
      pause: () => Bun.sleep(BUSY_PAUSE_MS),
    },
  );
  if (control.isOpen && control.hasKeys) log.warn('everybody is served: --open lets no API key be asked for');
  await control.start();
  const timer = setInterval(() => control.tick(Date.now()), TICK_MS);
  return {
    name: 'access',
    control,
    reload: () => control.reload(),
    stop() {
      clearInterval(timer);
      return control.stop();
    },
  };
}

async function redisStore(url: string): Promise<SharedStore> {
  const { RedisStore } = await import('../access/redis_store.ts');
  return new RedisStore(url, SHARED_TIMEOUT_MS);
}

/**
 * Refuses to serve everybody where others than this machine can ask, directly or through a proxy, unless that was
 * said on purpose. `access` tells whether there are keys.
 */
export function refuseUnguarded(
  settings: {
    readonly open: boolean;
    readonly listen: readonly ListenAddress[];
    readonly 'trust-proxy': Pick<TrustedProxies, 'isEmpty'>;
  },
  access: Pick<AccessControl, 'isOpen'>,
): void {
  if (settings.open || !access.isOpen) return;
  const exposed = settings.listen.find(address => !isLoopback(address));
  const what = exposed ? `listen on ${formatListenAddress(exposed)}` : 'serve behind --trust-proxy';
  if (exposed === undefined && settings['trust-proxy'].isEmpty) return;
  throw new UsageError(
    `Cannot ${what} without API keys: make one with 'meridian tokens add --name NAME', or serve everybody on purpose with --open`,
  );
}

function accessPaths(settings: AccessSettings, { environment }: SettingSources): AccessPaths {
  const given = settings['api-key-file'];
  const credential = credentialOfKeys(environment['CREDENTIALS_DIRECTORY']);
  return {
    keys: settings['api-key'],
    keyFiles: [given, credential].filter(path => path !== null),
    plans: settings.plans,
    marketplaceKeys: settings['marketplace-keys'],
  };
}

/** The file of keys among the credentials that systemd gave the service; null where there is none. */
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

/** A SHA-256 that allocates nothing: each result overwrites the one before. */
function reusedSha256(): (text: string) => Uint8Array {
  const buffer = new Uint8Array(64); // Bun asks for more than the 32 bytes that it writes
  const digest = buffer.subarray(0, 32);
  return text => {
    Bun.SHA256.hash(text, buffer);
    return digest;
  };
}
