import { RedisClient } from 'bun';
import { messageOf } from '../../common/errors.ts';
import type { SentinelGroup } from './sentinel_url.ts';
import { within } from './stall_free_timer.ts';

/** How long to wait for one Sentinel before trying the next. */
const TIMEOUT_MS = 300;

/** The URL of the group's current master, from the first Sentinel that knows it. Rejects if none does. */
export async function masterUrl({ sentinels, name, urlOf }: SentinelGroup): Promise<string> {
  const reasons: string[] = [];
  for (const sentinel of sentinels) {
    const client = new RedisClient(sentinel, { autoReconnect: false, enableOfflineQueue: false });
    try {
      await within(TIMEOUT_MS, client.connect());
      const address: [string, string] | null = await within(
        TIMEOUT_MS,
        client.send('SENTINEL', ['GET-MASTER-ADDR-BY-NAME', name]),
      );
      if (address !== null) return urlOf(...address);
      reasons.push(`it does not know '${name}'`);
    } catch (error) {
      reasons.push(messageOf(error));
    } finally {
      client.close();
    }
  }
  throw new Error(`No Sentinel names a master: ${reasons.join(', ')}`);
}
