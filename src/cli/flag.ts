/** Parsers of flag values. Each throws an error that describes the problem; the caller adds where the text is from. */
import { availableParallelism } from 'node:os';
import { usableKey } from '../access/key_list.ts';
import { parseSentinelUrl } from '../access/redis/sentinel_url.ts';
import { messageOf } from '../common/errors.ts';
import { ROUTE_GROUPS, type RouteGroup } from '../http/address_limits.ts';
import { DATA_NAMES } from '../operations/served_data.ts';
import { parseTrustedProxies, type TrustedProxies } from '../places/caller_address.ts';
import type { DataAgeLimit } from '../server/data_age.ts';

/** Optional properties of a flag. */
interface FlagTraits {
  /** The one-letter form: `i` for `-i`. */
  readonly short?: string;
  /** The flag without which this one has no effect; setting only this one is an error. */
  readonly requires?: string;
  /** A secret value, or a file with secrets. A systemd unit refers to it but does not contain it. */
  readonly secret?: 'value' | 'file';
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
  return {
    argument,
    help,
    fallback,
    fallbackText: fallback === null ? 'none' : String(fallback),
    isRepeatable: false,
    parse: texts => parse(texts.at(-1) ?? ''),
    ...traits,
  };
}

/** A flag with any non-empty text as value, null by default. */
export function optional(argument: string, help: string, traits: Traits = {}): Flag<string | null> {
  return single(argument, help, null, parseText, traits);
}

/** A flag that may be given several times. */
export function repeatable<Value>(
  argument: string,
  help: string,
  fallback: readonly Value[],
  parse: Parse<Value>,
  traits: Traits = {},
): Flag<readonly Value[]> {
  return {
    argument,
    help,
    fallback,
    fallbackText: 'none',
    isRepeatable: true,
    parse: texts => texts.map(text => parse(text)),
    ...traits,
  };
}

/** A switch, off by default. */
export function toggle(help: string, traits: Traits = {}): Flag<boolean> {
  const flag = single('', help, false, parseToggle, { fallbackText: 'off', ...traits });
  return { ...flag, argument: null };
}

/** A flag with a fixed set of values. */
export function choice<Word extends string, Fallback extends Word | null>(
  words: readonly Word[],
  help: string,
  fallback: Fallback,
  traits: Traits = {},
): Flag<Word | Fallback> {
  const parse = (text: string): Word | Fallback => {
    const word = words.find(candidate => candidate === text);
    if (word === undefined) throw new Error(`'${text}' is not one of ${words.join(', ')}`);
    return word;
  };
  return single<Word | Fallback>(words.join('|'), help, fallback, parse, traits);
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
export function parseWorkers(text: string): number {
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
export function parseRate(text: string): number {
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
export function parseRetainedKeys(text: string): number {
  return text === 'all' ? Number.POSITIVE_INFINITY : parseCount(text, 0);
}

/** Groups of routes, separated by commas. */
export function parseRouteGroups(text: string): readonly RouteGroup[] {
  return text.split(',').map(name => {
    const group = ROUTE_GROUPS.find(known => known === name.trim());
    if (group === undefined) throw new Error(`'${name}' is not one of ${ROUTE_GROUPS.join(', ')}`);
    return group;
  });
}

/** `tzdata=120`: a data set and its maximum age in days. */
export function parseDataAge(text: string): DataAgeLimit {
  const equals = text.indexOf('=');
  const name = text.slice(0, Math.max(0, equals));
  const set = DATA_NAMES.find(known => known === name);
  if (set !== undefined) return { set, days: parseCount(text.slice(equals + 1)) };
  throw new Error(`'${text}' is not SET=DAYS with one of the sets ${DATA_NAMES.join(', ')}`);
}

const MS_PER_DAY = 86_400_000;
const MS_PER_UNIT: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: MS_PER_DAY };

/** `30m`, `12h` or `7d` in milliseconds; at most 24 days, the limit of timers. */
export function parseInterval(text: string): number {
  const [, count, unit = ''] = /^([1-9][0-9]{0,4})([smhd])$/.exec(text) ?? [];
  const ms = Number(count) * (MS_PER_UNIT[unit] ?? Number.NaN);
  if (!(ms < 2 ** 31)) throw new Error(`'${text}' is not an interval such as 12h, of at most 24d`);
  return ms;
}

/** `90d` or `12w` in milliseconds. Days are the smallest unit since keys are named by date. */
export function parseDays(text: string): number {
  const [, count, unit] = /^([1-9][0-9]{0,4})([dw])$/.exec(text) ?? [];
  if (count === undefined) throw new Error(`'${text}' is not a number of days or weeks: 90d, 12w`);
  return Number(count) * (unit === 'w' ? 7 : 1) * MS_PER_DAY;
}

/** An API key; it never appears in messages. */
export function parseKey(text: string): string {
  return usableKey(text, 'not usable');
}

const REDIS_PROTOCOL = /^(?:redis|valkey)(?:s|\+tls|\+unix|\+tls\+unix)?:$/;

/** The URL of a Redis or Valkey server; it never appears in messages, as it may contain a password. */
export function parseRedisUrl(text: string): string {
  const { protocol, hostname, port, pathname } = URL.parse(text) ?? { protocol: '' };
  const place = protocol.endsWith('unix:') ? pathname : hostname;
  if (REDIS_PROTOCOL.test(protocol) && place && port !== '0') return text;
  if (parseSentinelUrl(text) !== null) return text;
  throw new Error(
    'expected a URL: redis://HOST:PORT with a port from 1 to 65535, rediss://… for TLS, redis+unix://PATH, redis+sentinel://HOST:PORT,…/NAME',
  );
}

/** Networks of trusted proxies, from comma-separated lists. */
export function parseProxies(texts: readonly string[]): TrustedProxies {
  try {
    return parseTrustedProxies(texts.flatMap(text => text.split(',')));
  } catch (error) {
    throw new Error(`${messageOf(error)}, nor is it 'unix'`);
  }
}

/** A header name: a `token` as in RFC 9110 §5.6.2. */
export function parseHeaderName(text: string): string {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text)) throw new Error(`'${text}' is not a header name`);
  return text;
}

/** An http or https URL without query and fragment; the result has no trailing slash. */
export function parsePublicUrl(text: string): string {
  const url = URL.parse(text);
  const isWeb = url !== null && ['http:', 'https:'].includes(url.protocol);
  if (!isWeb || url.username !== '' || url.password !== '' || /[?#\s]/.test(text)) {
    throw new Error(`'${text}' is not a URL such as https://time.example.com, with at most a path`);
  }
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

/** A host name or address without a port, as clients send it in `Host`. */
export function parseHost(text: string): string {
  const url = URL.parse(`http://${text}/`);
  const hasPort = /:[0-9]*$/.test(text.replace(/\[.*\]/, '')); // `URL` drops port 80
  if (url === null || url.href !== `http://${url.hostname}/` || hasPort) {
    throw new Error(`'${text}' is not a host such as time.example.com, without a port`);
  }
  return url.hostname.replace(/\.$/, '');
}

/**
 * An origin in the serialization that browsers send (RFC 6454 §6.2): they compare it exactly, so that a trailing slash
 * would match nothing. Non-web schemes such as `capacitor://localhost` are not normalized.
 */
export function parseOrigin(text: string): string {
  if (text === '*' || text === 'null') return text;
  const url = URL.parse(text);
  if (url !== null && /^https?:\/\/[^\s/?#@*,\\]+\/?$/i.test(text)) return url.origin;
  if (url?.origin === 'null' && /^[a-z][a-z0-9+.-]*:\/\/[A-Za-z0-9.:_-]+$/.test(text)) return text;
  throw new Error(`'${text}' is neither '*' nor an origin such as https://app.example.com`);
}
