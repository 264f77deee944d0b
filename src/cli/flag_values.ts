/** What the values of flags are read with. Each throws a {@link UsageError} that begins with where the text came from. */
import { availableParallelism } from 'node:os';
import { usableKey } from '../access/key_list.ts';
import { messageOf } from '../common/message_of.ts';
import { UsageError } from '../common/usage_error.ts';
import { parseTrustedProxies, type TrustedProxies } from '../places/trusted_proxies.ts';

/** `true` or `false`, or another word for these. */
export function parseToggle(text: string, source: string): boolean {
  if (['true', '1', 'yes', 'on'].includes(text)) return true;
  if (['false', '0', 'no', 'off'].includes(text)) return false;
  throw new UsageError(`${source}: '${text}' is not 'true' or 'false'`);
}

/** As many workers at the most: the shares of limits are counted for so many, see `access/token_bucket.ts`. */
const MOST_WORKERS = 1024;

/** A number of workers, `auto` for one a core. */
export function parseWorkers(text: string, source: string): number {
  const count = text === 'auto' ? Math.min(availableParallelism(), MOST_WORKERS) : parseCount(text, source);
  if (count > MOST_WORKERS) throw new UsageError(`${source}: ${text} is more than ${MOST_WORKERS} workers`);
  if (count > 1 && process.platform !== 'linux') {
    throw new UsageError(`${source}: only on Linux can processes share a port`);
  }
  return count;
}

/** Any text but none. */
export function parseText(text: string, source: string): string {
  if (text === '') throw new UsageError(`${source}: a value is missing`);
  return text;
}

/** A whole number of at least `least`, below a thousand million. */
export function parseWhole(text: string, source: string, least: number): number {
  const count = /^[0-9]{1,9}$/.test(text) ? Number(text) : -1;
  if (count < least) throw new UsageError(`${source}: '${text}' is not a whole number of at least ${least}`);
  return count;
}

/** A whole number from 1 on. */
export function parseCount(text: string, source: string): number {
  return parseWhole(text, source, 1);
}

const MS_PER_DAY = 86_400_000;
const DAYS_IN = { d: 1, w: 7 } as const;

/** `90d` or `12w` in milliseconds: a key is named after its day, so there is one a day at most. */
export function parseDays(text: string, source: string): number {
  const { count = '', unit = 'd' } = /^(?<count>[1-9][0-9]{0,4})(?<unit>[dw])$/.exec(text)?.groups ?? {};
  if (count === '') throw new UsageError(`${source}: '${text}' is not a number of days or weeks: 90d, 12w`);
  return Number(count) * DAYS_IN[unit as keyof typeof DAYS_IN] * MS_PER_DAY;
}

/** A key, which no message shows. */
export function parseKey(text: string, source: string): string {
  try {
    return usableKey(text, source);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

/** The URL of a Redis or Valkey server, which no message shows: it may hold a password. */
export function parseRedisUrl(text: string, source: string): string {
  if (/^(?:redis|valkey)(?:s|\+tls|\+unix|\+tls\+unix)?:\/\/./.test(text)) return text;
  throw new UsageError(
    `${source}: a URL is wanted: redis://HOST:PORT, rediss://… for TLS, redis+unix://PATH`,
  );
}

/** Networks of proxies, in one text or several. */
export function parseProxies(texts: readonly string[], source: string): TrustedProxies {
  try {
    return parseTrustedProxies(texts.flatMap(text => text.split(',')));
  } catch (error) {
    throw new UsageError(`${source}: ${(error as Error).message}, nor is it 'unix'`);
  }
}

/** `token` of RFC 9110 §5.6.2. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** The name of a header. */
export function parseHeaderName(text: string, source: string): string {
  if (!HEADER_NAME.test(text)) throw new UsageError(`${source}: '${text}' is not the name of a header`);
  return text;
}

/** An address that paths of this server are put behind; it ends without a slash. */
export function parsePublicUrl(text: string, source: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
  if (!isPlain || url.username !== '' || url.password !== '' || /[?#\s]/.test(text)) {
    throw new UsageError(
      `${source}: '${text}' is not an address like https://time.example.com, with a path at most`,
    );
  }
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

/**
 * What browsers send as `Origin` (RFC 6454 §6.2), whose every character counts: an address with a slash at its end would
 * let nobody in. Other schemes than the web's, such as `capacitor://localhost`, are taken as they stand.
 */
export function parseOrigin(text: string, source: string): string {
  if (text === '*' || text === 'null') return text;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:\/\/[^\s/?#@*,\\]+\/?$/i.test(text)) return url.origin;
  if (url !== null && url.origin === 'null' && /^[a-z][a-z0-9+.-]*:\/\/[A-Za-z0-9.:_-]+$/.test(text))
    return text;
  throw new UsageError(`${source}: '${text}' is neither '*' nor one origin like https://app.example.com`);
}
