import { ServiceError } from '../../common/errors.ts';
import type { AccessControl } from '../access_control.ts';
import type { RedisStore } from '../redis/redis_store.ts';
import { ConnectionFailure } from '../redis/store_errors.ts';
import { asStoreError } from '../sqlite_file.ts';
import type { Awaitable, TokenStore } from '../stored_token.ts';
import type { TokenStoreFile } from '../token_store_file.ts';
import { type KeyAdministration, NO_KEYS } from './key_administration.ts';

/** The number of attempts on a file locked by another process, and the pause between them: five seconds in total. */
const MAX_ATTEMPTS = 100;
const BUSY_PAUSE_MS = 50;

/** The API keys in a server's store or in Redis. */
export function keyAdministration(
  control: AccessControl,
  file: TokenStoreFile,
  redis: RedisStore | null,
  record: KeyAdministration['record'],
): KeyAdministration {
  return {
    planNames: () => control.planNames,
    open: async (create = false) => patient(await storeOf(file, redis, create)),
    record,
  };
}

async function storeOf(file: TokenStoreFile, redis: RedisStore | null, create: boolean): Promise<TokenStore> {
  const own = await withPatience(() => file.keys(create && redis === null));
  if (redis === null) return own ?? NO_KEYS;
  const { RedisTokenStore } = await import('../redis/redis_token_store.ts');
  return new RedisTokenStore(redis, own ?? NO_KEYS);
}

/** A store whose methods wait for the lock, and reject with UPSTREAM_FAILURE if Redis cannot be reached. */
function patient(store: TokenStore): TokenStore {
  function patiently<Arguments extends unknown[], Result>(method: (...args: Arguments) => Awaitable<Result>) {
    return (...args: Arguments) => withPatience(() => method.apply(store, args)).catch(rethrow);
  }
  return {
    tokens: patiently(store.tokens),
    find: patiently(store.find),
    add: patiently(store.add),
    change: patiently(store.change),
    rotate: patiently(store.rotate),
    remove: patiently(store.remove),
    requests: patiently(store.requests),
    usage: patiently(store.usage),
  };
}

function rethrow(error: unknown): never {
  if (error instanceof ConnectionFailure)
    throw new ServiceError('UPSTREAM_FAILURE', 'The API keys in Redis cannot be reached; retry later');
  throw error;
}

/** Retries work while another process has the file locked; other requests are served meanwhile. */
async function withPatience<Result>(work: () => Awaitable<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || attempt === MAX_ATTEMPTS) throw error;
      await Bun.sleep(BUSY_PAUSE_MS);
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && asStoreError('', error).isBusy;
}
