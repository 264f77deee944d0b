import { RedisClient } from 'bun';
import { messageOf } from '../../common/errors.ts';
import { within } from './reply_timer.ts';

const PATTERN =
  /^(?<scheme>rediss?)\+sentinel:\/\/(?:(?<login>[^@/]*)@)?(?<hosts>[^@/]+)\/(?<name>[A-Za-z0-9._-]+)(?<database>\/\d+)?$/;
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?$/;

/** The Sentinels that know the master of a group, and how to connect to it. */
export interface SentinelGroup {
  /** URLs of the Sentinels. */
  readonly sentinels: readonly string[];
  /** The name of the group. */
  readonly name: string;
  /** The URL of its master at an address. */
  readonly urlOf: (host: string, port: string) => string;
}

/**
 * Parses `redis+sentinel://[USER:PASSWORD@]HOST:PORT,…/NAME[/DATABASE]`, with `rediss` for TLS; null for another URL. User and
 * password are those of the master.
 */
export function parseSentinelUrl(url: string): SentinelGroup | null {
  const { scheme, login, hosts = '', name, database = '' } = PATTERN.exec(url)?.groups ?? {};
  const places = hosts.split(',');
  if (name === undefined || !places.every(place => HOST.test(place))) return null;
  return {
    sentinels: places.map(place => `${scheme}://${/:\d+$/.test(place) ? place : `${place}:26379`}`),
    name,
    urlOf(host, port) {
      const place = host.includes(':') ? `[${host}]` : host;
      return `${scheme}://${login === undefined ? '' : `${login}@`}${place}:${port}${database}`;
    },
  };
}

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
