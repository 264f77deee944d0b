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
