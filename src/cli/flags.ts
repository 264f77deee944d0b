import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { usableKey } from '../access/access_files.ts';
import { messagesOf, resultsOf, throwAll } from '../common/errors.ts';
import { durationMs } from '../common/settings_text.ts';
import { ROUTE_GROUPS, type RouteGroup } from '../http/address_limits.ts';
import { ACCESS_LOG_MODES, LOG_CLIENT_MODES } from '../http/traffic.ts';
import { DATA_NAMES } from '../operations/served_data.ts';
import { parseTrustedProxies, type TrustedProxies } from '../places/caller_address.ts';
import { parseSentinelUrl } from '../redis/redis_connection.ts';
import { parseBundleUrl } from '../server/bundles/download.ts';
import type { DataAgeLimit } from '../server/data_age.ts';
import { parseListenAddress } from '../server/listen_address.ts';
import { LOG_FORMATS, LOG_LEVELS } from '../server/log.ts';
import { DEFAULT_MAX_BATCH } from '../server/snapshot.ts';

/** Optional properties of a flag. */
interface FlagTraits {
  /** The one-letter form: `i` for `-i`. */
  readonly short?: string;
  /** The flag without which this one has no effect; setting only this one is an error. */
  readonly requires?: string;
  /** A secret value, or a file with secrets. A systemd unit refers to it but does not contain it. */
  readonly secret?: 'value' | 'file';
  /** Whether a value of a flag with secret values contains one; always by default. */
  readonly hasSecret?: (text: string) => boolean;
  /** A source of API keys. An empty value is not the same as unset, since a server without keys is open. */
  readonly isKeySource?: true;
  /** A reload rereads its file. */
  readonly isReloaded?: true;
  /** The server connects to the host that it names. */
  readonly isOutbound?: true;
}

/**
 * One flag of the command line. Parsing, help, completions, environment variables, the configuration file, conflicts and
 * the systemd unit derive from it.
 */
export interface Flag<Value> extends FlagTraits {
  /** The argument's placeholder in help, or its values separated by `|`; null for a switch. */
  readonly argument: string | null;
  readonly help: string;
  /** The default value, and its description in help. */
  readonly fallback: Value;
  readonly fallbackText: string;
  /** Parses all texts given for the flag, at least one; the last one counts unless it is repeatable. */
  readonly parse: (texts: readonly string[]) => Value;
  readonly isRepeatable: boolean;
}

type Traits = FlagTraits & { readonly fallbackText?: string };
type Parse<Value> = (text: string) => Value;

/** A flag with one value. */
export function single<Value>(
  argument: string,
  help: string,
  fallback: Value,
  parse: Parse<Value>,
  traits: Traits = {},
): Flag<Value> {
  const fallbackText = String(fallback ?? '') || 'none';
  const parseLast = (texts: readonly string[]) => parse(texts.at(-1) ?? '');
  return { argument, help, fallback, fallbackText, isRepeatable: false, parse: parseLast, ...traits };
}

/** A flag with any non-empty text as value, null by default. */
export function optional(argument: string, help: string, traits: Traits = {}): Flag<string | null> {
  return single(argument, help, null, parseText, traits);
}

const file = (help: string, traits: Traits = {}) => optional('FILE', help, traits);

/** A flag that may be given several times; its default is an empty list. */
export function repeatable<Value>(
  argument: string,
  help: string,
  parse: Parse<Value>,
  traits: Traits = {},
): Flag<readonly Value[]> {
  const parseAll = (texts: readonly string[]) => resultsOf(...texts.map(text => () => parse(text)));
  const fallbackText = 'none';
  return { argument, help, fallback: [], fallbackText, isRepeatable: true, parse: parseAll, ...traits };
}

/** A switch, off by default. */
export function toggle(help: string, traits: Traits = {}): Flag<boolean> {
  return { ...single('', help, false, parseToggle, { fallbackText: 'off', ...traits }), argument: null };
}

/** A flag with a fixed set of values. */
export function choice<Word extends string, Fallback extends Word | null>(
  words: readonly Word[],
  help: string,
  fallback: Fallback,
  traits: Traits = {},
): Flag<Word | Fallback> {
  return single<Word | Fallback>(words.join('|'), help, fallback, text => wordOf(words, text), traits);
}

function wordOf<Word extends string>(words: readonly Word[], text: string): Word {
  const word = words.find(candidate => candidate === text);
  if (word === undefined) throw new Error(`'${text}' is not one of ${words.join(', ')}`);
  return word;
}

/** `true` or `false`, or a synonym. */
function parseToggle(text: string): boolean {
  if (['true', '1', 'yes', 'on'].includes(text)) return true;
  if (['false', '0', 'no', 'off'].includes(text)) return false;
  throw new Error(`'${text}' is not 'true' or 'false'`);
}

/** Limits can be divided among at most this many workers, see `access/token_bucket.ts`. */
const MAX_WORKERS = 1024;

/** A number of workers; `auto` means one per core. */
function parseWorkers(text: string): number {
  const count = text === 'auto' ? Math.min(availableParallelism(), MAX_WORKERS) : parseCount(text);
  if (count > MAX_WORKERS) throw new Error(`${text} exceeds the maximum of ${MAX_WORKERS} workers`);
  if (count > 1 && process.platform !== 'linux') throw new Error('several workers require Linux');
  return count;
}

/** Any non-empty text. */
export function parseText(text: string): string {
  if (text === '') throw new Error('the value is empty');
  return text;
}

/** An integer from `minimum`, 1 by default, to 999,999,999. */
export function parseCount(text: string, minimum = 1): number {
  const count = /^[0-9]{1,9}$/.test(text) ? Number(text) : -1;
  if (count < minimum) throw new Error(`'${text}' is not an integer of at least ${minimum}`);
  return count;
}

/** `10/s` or `10`: requests a second, with at most three decimals. */
function parseRate(text: string): number {
  const [, number] = /^([0-9]{1,7}(?:\.[0-9]{1,3})?)(?:\/s)?$/.exec(text) ?? [];
  const perSecond = Number(number);
  if (perSecond > 0 && perSecond <= 1_000_000) return perSecond;
  throw new Error(`'${text}' is not a rate such as 10/s or 0.5/s, of at most three decimals`);
}

/** A decimal number; the caller checks its range. */
export function parseNumber(text: string): number {
  if (!/^[0-9]{1,15}(\.[0-9]{1,9})?$/.test(text)) throw new Error(`'${text}' is not a number`);
  return Number(text);
}

/** A number of signing keys; `all` is infinite. */
const parseRetainedKeys = (text: string) => (text === 'all' ? Infinity : parseCount(text, 0));

function parseRouteGroups(text: string): readonly RouteGroup[] {
  return resultsOf(...text.split(',').map(name => () => wordOf(ROUTE_GROUPS, name.trim())));
}

/** `tzdata=120`: a data set and its maximum age in days. */
export function parseDataAge(text: string): DataAgeLimit {
  const equals = text.indexOf('=');
  const name = text.slice(0, Math.max(0, equals));
  const set = DATA_NAMES.find(known => known === name);
  if (set !== undefined) return { set, days: parseCount(text.slice(equals + 1)) };
  throw new Error(`'${text}' is not SET=DAYS with one of the sets ${DATA_NAMES.join(', ')}`);
}

/** `30m`, `12h` or `7d` in milliseconds; at most 24 days, the limit of timers. */
function parseInterval(text: string): number {
  const ms = durationMs(text, 'smhd');
  if (!(ms < 2 ** 31)) throw new Error(`'${text}' is not an interval such as 12h, of at most 24d`);
  return ms;
}

/** `90d` or `12w` in milliseconds. Days are the smallest unit since keys are named by date. */
function parseDays(text: string): number {
  const ms = durationMs(text, 'dw');
  if (Number.isNaN(ms)) throw new Error(`'${text}' is not a number of days or weeks: 90d, 12w`);
  return ms;
}

const REDIS_PROTOCOL = /^(?:redis|valkey)(?:s|\+tls|\+unix|\+tls\+unix)?:$/;

/** The URL of a Redis or Valkey server; it never appears in messages, as it may contain a password. */
function parseRedisUrl(text: string): string {
  const { protocol, hostname, port, pathname } = URL.parse(text) ?? { protocol: '' };
  const place = protocol.endsWith('unix:') ? pathname : hostname;
  if (REDIS_PROTOCOL.test(protocol) && place && port !== '0') return text;
  if (parseSentinelUrl(text) !== null) return text;
  throw new Error(
    'expected a URL: redis://HOST:PORT with a port from 1 to 65535, rediss://… for TLS, redis+unix://PATH, redis+sentinel://HOST:PORT,…/NAME',
  );
}

function parseProxies(texts: readonly string[]): TrustedProxies {
  try {
    return parseTrustedProxies(texts.flatMap(text => text.split(',')));
  } catch (error) {
    return throwAll(messagesOf(error).map(message => new Error(`${message}, nor is it 'unix'`)));
  }
}

/** A header name: a `token` as in RFC 9110 §5.6.2. */
function parseHeaderName(text: string): string {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text)) throw new Error(`'${text}' is not a header name`);
  return text;
}

/** An http or https URL without query and fragment; the result has no trailing slash. */
function parsePublicUrl(text: string): string {
  const url = URL.parse(text);
  const isWeb = url !== null && ['http:', 'https:'].includes(url.protocol);
  if (!isWeb || url.username !== '' || url.password !== '' || /[?#\s]/.test(text))
    throw new Error(`'${text}' is not a URL such as https://time.example.com, with at most a path`);
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

/** A host name or address without a port, as clients send it in `Host`. */
function parseHost(text: string): string {
  const url = URL.parse(`http://${text}/`);
  const hasPort = /:[0-9]*$/.test(text.replace(/\[.*\]/, '')); // `URL` drops port 80
  if (url === null || url.href !== `http://${url.hostname}/` || hasPort)
    throw new Error(`'${text}' is not a host such as time.example.com, without a port`);
  return url.hostname.replace(/\.$/, '');
}

/**
 * An origin in the serialization that browsers send (RFC 6454 §6.2): they compare it exactly, so that a trailing slash
 * would match nothing. Non-web schemes such as `capacitor://localhost` are not normalized.
 */
function parseOrigin(text: string): string {
  if (text === '*' || text === 'null') return text;
  const url = URL.parse(text);
  if (url !== null && /^https?:\/\/[^\s/?#@*,\\]+\/?$/i.test(text)) return url.origin;
  if (url?.origin === 'null' && /^[a-z][a-z0-9+.-]*:\/\/[A-Za-z0-9.:_-]+$/.test(text)) return text;
  throw new Error(`'${text}' is neither '*' nor an origin such as https://app.example.com`);
}

/** Accepted by every command. */
export const COMMON_FLAGS = {
  config: file('settings in TOML, by flag name', { secret: 'file' }),
  'state-dir': optional('DIR', 'directory for keys and usage', {
    fallbackText: "systemd's, ~/.local/state/meridian or %LOCALAPPDATA%\\meridian",
  }),
} as const;

/** Traits of several flags. */
const EMBEDDED = { fallbackText: 'embedded', isReloaded: true } as const;
const KEY_SOURCE = { secret: 'file', isKeySource: true } as const;
/** A URL, which is secret if it has a password. */
const MAY_HAVE_PASSWORD = {
  secret: 'value',
  hasSecret: (text: string) => /\/\/[^/@]*:[^/@]+@/.test(text),
} as const;
/** Also the default of `data install`. */
export const DATA_URL = single(
  'URL',
  'install newer data bundles from this https URL or path',
  null,
  parseBundleUrl,
  { ...MAY_HAVE_PASSWORD, isOutbound: true },
);
/** The certificate is not secret, but must stay paired with its key. */
const TLS_FILE = { secret: 'file', isReloaded: true } as const;

/** The flags of `serve`. Other commands reuse those with the same meaning. */
export const SERVE_FLAGS = {
  ...COMMON_FLAGS,
  listen: {
    ...repeatable(
      'HOST:PORT',
      'address to listen on, or unix:PATH; port 0 picks a free one',
      parseListenAddress,
    ),
    fallback: [parseListenAddress('127.0.0.1:8080')],
    fallbackText: '127.0.0.1:8080',
  },
  'allowed-host': repeatable('HOST', 'further Host allowed on an open loopback server', parseHost),
  zoneinfo: optional('DIR', 'use this TZif tree instead of the embedded zones', EMBEDDED),
  'allow-older-data': toggle('accept zones and bundle data older than the embedded data'),
  'data-keys': file('public keys that bundles must be signed with, in JSON', EMBEDDED),
  'data-url': DATA_URL,
  'data-interval': single('TIME', 'how often to check --data-url: 30m, 12h, 7d', 43_200_000, parseInterval, {
    requires: 'data-url',
    fallbackText: '12h',
  }),
  'ip-db': repeatable('FILE', 'use this MMDB file instead of the embedded IP data', parseText, EMBEDDED),
  'ip-zones': file("own networks, which override the IP data: lines of 'CIDR,Zone'", { isReloaded: true }),
  'trust-proxy': {
    argument: 'CIDR,…',
    help: "proxies whose client IP header is trusted; or 'unix'",
    fallback: parseTrustedProxies([]),
    fallbackText: 'none',
    isRepeatable: true,
    parse: parseProxies,
  },
  'client-ip-header': single('NAME', 'header carrying the client IP', 'X-Forwarded-For', parseHeaderName, {
    requires: 'trust-proxy',
  }),
  calendar: file("your organisation's calendar, which overrides public holidays", { isReloaded: true }),
  schedules: file('named working-time schedules, in TOML', { isReloaded: true }),
  'require-configured-data': toggle('do not start if a data file cannot be used'),
  'max-data-age': repeatable('SET=DAYS', 'report a data set older than this: tzdata=120', parseDataAge),
  'require-fresh-data': toggle('not ready while a data set exceeds its --max-data-age', {
    requires: 'max-data-age',
  }),
  'max-bulk': single('N', 'maximum entries in a comma-separated selector', 100, parseCount),
  'max-batch': single('N', 'maximum requests in a batch', DEFAULT_MAX_BATCH, parseCount),
  'cors-origin': single('ORIGIN', 'origin whose scripts may read responses', '*', parseOrigin),
  'public-url': single('URL', 'public URL of this server, prefixed to paths in clocks', '', parsePublicUrl),
  'public-routes': single(
    'GROUP,…',
    "routes without API key, limited by address: 'clock', 'feeds'",
    [],
    parseRouteGroups,
  ),
  mcp: choice(['on', 'off'], 'serve AI agents at /mcp (Model Context Protocol)', 'on'),
  compat: choice(['all', 'none'], 'serve the paths of WorldTimeAPI and Nager.Date', 'all'),
  'rotate-keys-every': single('DAYS', 'age at which the signing key is rotated: 90d, 12w', null, parseDays, {
    fallbackText: 'never',
  }),
  'retain-keys': single('N', 'retired signing keys that stay published', Infinity, parseRetainedKeys, {
    fallbackText: 'all',
  }),
  'api-key': {
    ...repeatable('KEY', 'an API key; visible in the process list', usableKey),
    fallback: null,
    secret: 'value',
    isKeySource: true,
  },
  'api-key-file': file("API keys: lines of 'KEY [role=ROLE] [PLAN [NAME]]'", KEY_SOURCE),
  open: toggle('serve without API keys, on any address'),
  'address-rate': single('N/s', 'maximum request rate per address, with --open', null, parseRate, {
    requires: 'open',
  }),
  'address-burst': single('N', 'maximum burst per address', null, parseCount, {
    requires: 'address-rate',
    fallbackText: 'the rate, rounded up',
  }),
  plans: file('API key limits by plan, in TOML', { fallbackText: 'default, unlimited' }),
  redis: single('URL', 'share limits, usage, keys and plans through Redis or Valkey', null, parseRedisUrl, {
    ...MAY_HAVE_PASSWORD,
    isOutbound: true,
  }),
  'quota-fail': choice(['open', 'closed'], 'without Redis: count locally, or respond 502', 'open', {
    requires: 'redis',
  }),
  'marketplace-host': optional('HOST', "value of the marketplace's host header", {
    requires: 'marketplace-keys',
  }),
  'marketplace-keys': file("the marketplace's subscription keys, one per line", {
    requires: 'marketplace-host',
    ...KEY_SOURCE,
  }),
  'marketplace-key-header': {
    ...single('NAME', 'header carrying the subscription key', 'X-RapidAPI-Key', parseHeaderName),
    requires: 'marketplace-host',
  },
  'marketplace-host-header': single('NAME', 'header carrying the host', 'X-RapidAPI-Host', parseHeaderName, {
    requires: 'marketplace-host',
  }),
  'admin-listen': single(
    'HOST:PORT',
    'address for metrics, health and the operator API',
    null,
    parseListenAddress,
  ),
  workers: single('N', 'processes that share the port; auto: one per core', 1, parseWorkers),
  'require-clock-sync': toggle("not ready unless the host's clock is synchronized"),
  'tls-cert': file('serve HTTPS with this certificate and chain, in PEM', {
    requires: 'tls-key',
    ...TLS_FILE,
  }),
  'tls-key': file('private key of the certificate', { requires: 'tls-cert', ...TLS_FILE }),
  'log-level': choice(LOG_LEVELS, 'minimum log level; logs go to stderr', 'info'),
  'log-format': choice(LOG_FORMATS, 'log format', null, { fallbackText: 'text on a terminal, else json' }),
  'access-log': choice(ACCESS_LOG_MODES, 'which requests are logged; errors are 5xx', null, {
    fallbackText: 'all on a terminal, else errors',
  }),
  'log-client': choice(LOG_CLIENT_MODES, 'how much of the client IP is logged', 'none'),
} as const;

/** Some of the flags of `serve`, for another command. */
export function fromServe<Name extends keyof typeof SERVE_FLAGS>(...names: readonly Name[]) {
  // `names` determines the entries.
  return Object.fromEntries(names.map(name => [name, SERVE_FLAGS[name]])) as Pick<typeof SERVE_FLAGS, Name>;
}

/** The flags for the data of a server. */
export const DATA_SETTINGS = {
  ...COMMON_FLAGS,
  ...fromServe('zoneinfo', 'allow-older-data', 'ip-db', 'ip-zones', 'calendar', 'schedules'),
} as const;

/** The flags for installing the data of a server. */
export const INSTALL_SETTINGS = { ...fromServe('data-keys'), ...DATA_SETTINGS } as const;

/** Arguments for another command with the values of those flags that it has. */
export function argumentsFor(table: FlagTable, given: ReadonlyMap<string, readonly string[]>): string[] {
  const flags = [...given].filter(([name]) => Object.hasOwn(table, name));
  return flags.flatMap(([name, texts]) => texts.map(text => `--${name}=${text}`));
}

/** Flags by name, without the dashes. */
export type FlagTable = Readonly<Record<string, Flag<unknown>>>;

/** The settings that a table of flags parses to. */
export type SettingsOf<Table extends FlagTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Flag<infer Value> ? Value : never;
};

/** The settings of `serve`. */
export type ServeSettings = SettingsOf<typeof SERVE_FLAGS>;

/** The flags of `serve`, for lookups by any name. */
export const SERVE_TABLE: FlagTable = SERVE_FLAGS;

/** The server's flags, which can also be set in the environment and the configuration file. */
export const SETTING_NAMES: readonly string[] = Object.keys(SERVE_FLAGS).filter(name => name !== 'config');

/** The files that a reload rereads, except keys and plans, which are polled. */
export function reloadedFiles(settings: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(SERVE_TABLE).flatMap(([name, { argument, isReloaded }]) => {
    if (!isReloaded) return [];
    const paths = [settings[name]].flat().filter(path => typeof path === 'string');
    return paths.map(path => (argument === 'DIR' ? join(path, 'tzdata.zi') : path));
  });
}
