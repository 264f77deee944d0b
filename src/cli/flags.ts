import { join } from 'node:path';
import { DEFAULT_OVERLAP, type Expiry, parseExpiry, parseMonth } from '../access/administration/key_terms.ts';
import { ROLES } from '../access/key_index.ts';
import { parseDate, parseDuration } from '../common/duration_text.ts';
import { ACCESS_LOG_MODES, LOG_CLIENT_MODES } from '../http/access_log.ts';
import type { RouteGroup } from '../http/public_routes.ts';
import { parseTrustedProxies } from '../places/trusted_proxies.ts';
import { parseBundleUrl } from '../server/bundles/obtain.ts';
import type { DataAgeLimit } from '../server/data_age.ts';
import { LOG_FORMATS, LOG_LEVELS } from '../server/event_log.ts';
import { type ListenAddress, parseListenAddress } from '../server/listening/listen_address.ts';
import { DEFAULT_MAX_BATCH } from '../server/snapshot.ts';
import { choice, type Flag, optional, repeatable, single, toggle } from './flag.ts';
import {
  parseCount,
  parseDataAge,
  parseDays,
  parseHeaderName,
  parseHost,
  parseInterval,
  parseKey,
  parseNumber,
  parseOrigin,
  parseProxies,
  parsePublicUrl,
  parseRate,
  parseRedisUrl,
  parseRetainedKeys,
  parseRouteGroups,
  parseText,
  parseWorkers,
} from './flag_values.ts';

/** Accepted by every command. */
export const COMMON_FLAGS = {
  config: optional('FILE', 'settings in TOML, by flag name', { secret: 'file' }),
  'state-dir': optional('DIR', 'directory of keys and usage', {
    fallbackText: "systemd's, ~/.local/state/meridian or %LOCALAPPDATA%\\meridian",
  }),
} as const;

/** The flags of `serve`. Those of other commands that mean the same are taken from here. */
export const SERVE_FLAGS = {
  ...COMMON_FLAGS,
  listen: repeatable<ListenAddress>(
    'HOST:PORT',
    'address to listen on, or unix:PATH; port 0 picks a free one',
    [{ kind: 'tcp', host: '127.0.0.1', port: 8080 }],
    parseListenAddress,
    { fallbackText: '127.0.0.1:8080' },
  ),
  'allowed-host': repeatable<string>('HOST', 'further Host of an open server on loopback', [], parseHost),
  zoneinfo: optional('DIR', 'use this TZif tree instead of the embedded zones', {
    fallbackText: 'embedded',
    isReloaded: true,
  }),
  'allow-older-data': toggle('accept zones and data of bundles older than the embedded'),
  'data-keys': optional('FILE', 'the public keys that bundles must be signed with, in JSON', {
    fallbackText: 'embedded',
    isReloaded: true,
  }),
  'data-url': single('URL', 'install newer data bundles from this https URL or path', null, parseBundleUrl, {
    isOutbound: true,
  }),
  'data-interval': single('TIME', 'how often: 30m, 12h, 7d', 43_200_000, parseInterval, {
    requires: 'data-url',
    fallbackText: '12h',
  }),
  'ip-db': repeatable<string>('FILE', 'use this MMDB file instead of the embedded IP data', [], parseText, {
    fallbackText: 'embedded',
    isReloaded: true,
  }),
  'ip-zones': optional('FILE', "own networks, which override the IP data: lines of 'CIDR,Zone'", {
    isReloaded: true,
  }),
  'trust-proxy': {
    argument: 'CIDR,…',
    help: "proxies whose header with the client IP is trusted; or 'unix'",
    fallback: parseTrustedProxies([]),
    fallbackText: 'none',
    isRepeatable: true,
    parse: parseProxies,
  },
  'client-ip-header': single('NAME', 'header carrying the client IP', 'X-Forwarded-For', parseHeaderName, {
    requires: 'trust-proxy',
  }),
  calendar: optional('FILE', "the organisation's calendar, which overrides public holidays", {
    isReloaded: true,
  }),
  schedules: optional('FILE', 'named schedules of working time, in TOML', { isReloaded: true }),
  'require-configured-data': toggle('do not start with a data file that cannot be used'),
  'max-data-age': repeatable<DataAgeLimit>(
    'SET=DAYS',
    'age above which a data set is reported: tzdata=120',
    [],
    parseDataAge,
  ),
  'require-fresh-data': toggle('not ready while a data set exceeds its --max-data-age', {
    requires: 'max-data-age',
  }),
  'max-bulk': single('N', 'maximum entries of a comma-separated selector', 100, parseCount),
  'max-batch': single('N', 'maximum requests of a batch', DEFAULT_MAX_BATCH, parseCount),
  'cors-origin': single('ORIGIN', 'origin whose scripts may read responses', '*', parseOrigin),
  'public-url': single(
    'URL',
    'public URL of this server, prefixed to the paths in clocks',
    '',
    parsePublicUrl,
    { fallbackText: 'none' },
  ),
  'public-routes': single<readonly RouteGroup[]>(
    'GROUP,…',
    "routes without API key, limited by address: 'clock', 'feeds'",
    [],
    parseRouteGroups,
    { fallbackText: 'none' },
  ),
  mcp: choice(['on', 'off'], 'serve agents at /mcp (Model Context Protocol)', 'on'),
  compat: choice(['all', 'none'], 'serve the paths of WorldTimeAPI and Nager.Date', 'all'),
  'rotate-keys-every': single('DAYS', 'age at which the signing key is rotated: 90d, 12w', null, parseDays, {
    fallbackText: 'never',
  }),
  'retain-keys': single(
    'N',
    'number of retired signing keys that stay published',
    Number.POSITIVE_INFINITY,
    parseRetainedKeys,
    { fallbackText: 'all' },
  ),
  'api-key': {
    ...repeatable<string>('KEY', 'an API key; visible in the process list', [], parseKey, {
      secret: 'value',
      isKeySource: true,
    }),
    fallback: null,
  } as Flag<readonly string[] | null>,
  'api-key-file': optional('FILE', "API keys: lines of 'KEY [role=ROLE] [PLAN [NAME]]'", {
    secret: 'file',
    isKeySource: true,
  }),
  open: toggle('serve without API keys, on any address'),
  'address-rate': single('N/s', 'requests a second of each address, with --open', null, parseRate, {
    requires: 'open',
  }),
  'address-burst': single('N', 'requests of an address at once', null, text => parseCount(text), {
    requires: 'address-rate',
    fallbackText: 'the rate, rounded up',
  }),
  plans: optional('FILE', 'limits of API keys by plan, in TOML', { fallbackText: 'default, unlimited' }),
  redis: single('URL', 'share limits, usage, keys and plans in this Redis or Valkey', null, parseRedisUrl, {
    secret: 'value',
    isOutbound: true,
  }),
  'share-signing-keys': optional('FILE', 'sign with the keys in Redis, encrypted with this secret', {
    requires: 'redis',
    secret: 'file',
  }),
  'quota-fail': choice(['open', 'closed'], 'without Redis: count locally, or respond 502', 'open', {
    requires: 'redis',
  }),
  'marketplace-host': optional('HOST', "value of the marketplace's host header", {
    requires: 'marketplace-keys',
  }),
  'marketplace-keys': optional('FILE', "the marketplace's subscription keys, one per line", {
    requires: 'marketplace-host',
    secret: 'file',
    isKeySource: true,
  }),
  'marketplace-key-header': single(
    'NAME',
    'header carrying the subscription key',
    'X-RapidAPI-Key',
    parseHeaderName,
    { requires: 'marketplace-host' },
  ),
  'marketplace-host-header': single('NAME', 'header carrying the host', 'X-RapidAPI-Host', parseHeaderName, {
    requires: 'marketplace-host',
  }),
  'admin-listen': single(
    'HOST:PORT',
    'address for metrics, health and the API for operators',
    null,
    parseListenAddress,
  ),
  workers: single('N', 'processes that share the port; auto: one per core', 1, parseWorkers),
  'require-clock-sync': toggle("not ready unless the host's clock is synchronized"),
  'tls-cert': optional('FILE', 'serve HTTPS with this certificate and chain, in PEM', {
    requires: 'tls-key',
    secret: 'file', // only its key is, but the two must stay a pair
    isReloaded: true,
  }),
  'tls-key': optional('FILE', 'private key of the certificate', {
    requires: 'tls-cert',
    secret: 'file',
    isReloaded: true,
  }),
  'log-level': choice(LOG_LEVELS, 'minimum log level; logs go to stderr', 'info'),
  'log-format': choice(LOG_FORMATS, 'log format', null, { fallbackText: 'text on a terminal, else json' }),
  'access-log': choice(ACCESS_LOG_MODES, 'which requests are logged; errors are 5xx', null, {
    fallbackText: 'all on a terminal, else errors',
  }),
  'log-client': choice(LOG_CLIENT_MODES, 'how much of the client IP is logged', 'none'),
} as const;

function fromServe<Name extends keyof typeof SERVE_FLAGS>(...names: readonly Name[]) {
  // The entries are those of the names.
  return Object.fromEntries(names.map(name => [name, SERVE_FLAGS[name]])) as Pick<typeof SERVE_FLAGS, Name>;
}

/** The flags of `mcp`, and what `get` has in common with it: both handle requests without a server. */
export const MCP_FLAGS = {
  ...COMMON_FLAGS,
  ...fromServe('zoneinfo', 'allow-older-data', 'ip-db', 'ip-zones', 'calendar', 'schedules'),
  ...fromServe('max-bulk', 'public-url'),
} as const;

/** The flags of `get`. */
export const GET_FLAGS = {
  include: toggle('print status and headers too (also -i)', { short: 'i' }),
  ...MCP_FLAGS,
} as const;

/** The flags of `health`: where the server listens. */
export const HEALTH_FLAGS = {
  ready: toggle('whether it is ready for requests (/readyz), not only alive (/healthz)'),
  ...COMMON_FLAGS,
  ...fromServe('listen', 'tls-cert', 'tls-key'),
} as const;

/** The flags of `doctor`, which also checks the other settings of a server in the environment and in the file. */
export const DOCTOR_FLAGS = {
  ...COMMON_FLAGS,
  json: toggle('print JSON'),
  ...fromServe('zoneinfo', 'allow-older-data', 'ip-db', 'ip-zones', 'calendar', 'schedules'),
} as const;

/** The settings of a server that decide which data it uses. */
const DATA_SETTINGS = {
  ...COMMON_FLAGS,
  ...fromServe('data-keys', 'zoneinfo', 'allow-older-data', 'ip-db', 'ip-zones', 'calendar', 'schedules'),
} as const;

/** The flags of `data`. */
export const DATA_FLAGS = {
  sets: repeatable<string>('NAME', 'build: a data set, such as tzdata', [], parseText, {
    fallbackText: 'all',
  }),
  sequence: single('N', 'build: its sequence number', null, text => parseCount(text)),
  after: optional('FILE', 'build: the bundle before: one more than its number, and its successors of keys'),
  date: single('DATE', 'build: the date of the data of --zoneinfo or --ip-db', null, parseDate),
  key: optional('FILE', 'sign: an Ed25519 private key, in PEM', { secret: 'file' }),
  successors: optional('FILE', 'sign: the public keys that replace the present ones, in JSON'),
  downgrade: toggle('install: accept a lower sequence number'),
  'if-newer': toggle('install: do nothing unless the sequence number is a higher one'),
  'max-changes': single('N', 'install: how many zones may change their present offset', 5, text =>
    parseCount(text, 0),
  ),
  'accept-changes': toggle('install: accept any number of such zones'),
  json: toggle('status, verify: print JSON'),
  ...DATA_SETTINGS,
} as const;

/** The flags of a command line that decide which data is used, for another command. */
export function dataArguments(given: ReadonlyMap<string, readonly string[]>): string[] {
  const flags = [...given].filter(([name]) => Object.hasOwn(DATA_SETTINGS, name));
  return flags.flatMap(([name, texts]) => texts.map(text => `--${name}=${text}`));
}

/** The flags of `keys`. */
export const KEYS_FLAGS = {
  ...COMMON_FLAGS,
  force: toggle('rotate: use the next free date; revoke: although another machine signs with it'),
  ...fromServe('retain-keys', 'redis', 'share-signing-keys'),
} as const;

/** The flags of `tokens`. */
export const TOKENS_FLAGS = {
  ...COMMON_FLAGS,
  name: optional('NAME', 'add, edit: who the key is for', { fallbackText: 'required by add' }),
  role: choice(ROLES, 'add, edit: an operator also reads /metrics and changes keys', 'client'),
  plan: single('PLAN', 'add, edit: its plan', 'default', parseText),
  expires: single<Expiry>(
    'WHEN',
    "add, expire: a date, '90d' from now, or 'never'",
    () => null,
    parseExpiry,
    {
      fallbackText: 'never; expire: now',
    },
  ),
  overlap: single(
    'TIME',
    'rotate: how long the former key stays valid: 12h, 7d, 0',
    parseDuration(DEFAULT_OVERLAP),
    parseDuration,
    { fallbackText: DEFAULT_OVERLAP },
  ),
  month: single('MONTH', 'list, usage: a month, such as 2026-11', null, parseMonth, {
    fallbackText: 'list: this one; usage: all',
  }),
  ...fromServe('plans', 'redis'),
  json: toggle('list, usage: print JSON'),
  csv: toggle('usage: print CSV'),
} as const;

/** The flags of `plans`. */
export const PLANS_FLAGS = {
  ...COMMON_FLAGS,
  'requests-per-second': single('N', 'set: requests a second, up to three decimals', null, parseNumber, {
    fallbackText: 'unlimited',
  }),
  burst: single('N', 'set: requests at once', null, parseNumber, { fallbackText: 'the rate, rounded up' }),
  'requests-per-month': single('N', 'set: requests a month', null, parseNumber, {
    fallbackText: 'unlimited',
  }),
  bulk: choice(['one', 'each'], 'set: whether a list counts as one request, or each entry', 'one'),
  force: toggle('remove: although API keys use the plan'),
  ...fromServe('plans', 'redis', 'api-key-file'),
  json: toggle('list: print JSON'),
} as const;

/** The flags of `migrate`. */
export const MIGRATE_FLAGS = {
  ...COMMON_FLAGS,
  merge: toggle('add to what the target already has'),
  ...fromServe('redis', 'plans'),
} as const;

/** The flags of `fleet`. */
export const FLEET_FLAGS = {
  ...COMMON_FLAGS,
  ...fromServe('redis'),
  json: toggle('print JSON'),
} as const;

/** The flags of `verify`. */
export const VERIFY_FLAGS = {
  ...COMMON_FLAGS,
  jwks: optional('FILE-or-URL', 'the public key set', { fallbackText: 'required' }),
  headers: optional(
    'FILE',
    "the response headers, as saved by 'curl -D FILE', or headers and body, as printed by 'curl -i'",
    { fallbackText: 'required' },
  ),
  body: optional('FILE', "the response body, as saved by 'curl -o FILE'"),
  url: optional('URL', 'the requested URL, whose path and query are compared'),
} as const;

/** The flags of `verify-release`. */
export const VERIFY_RELEASE_FLAGS = {
  ...COMMON_FLAGS,
  'public-key': optional('FILE', "the minisign public key of meridian's releases", {
    fallbackText: 'required',
  }),
  sums: single('FILE', 'the checksums; their signature is in FILE.minisig', 'SHA256SUMS', parseText),
} as const;

/** The flags of `upgrade`. */
export const UPGRADE_FLAGS = {
  ...VERIFY_RELEASE_FLAGS,
  'public-key': optional('FILE', "the minisign public key of meridian's releases", {
    fallbackText: 'required, or --unsigned',
  }),
  unsigned: toggle('take an executable that was verified in another way'),
} as const;

/** The flags of `init`. */
export const INIT_FLAGS = {
  ...COMMON_FLAGS,
  output: single('FILE', 'the configuration file to write', 'meridian.toml', parseText),
  force: toggle('replace an existing file'),
  print: toggle('print the configuration and do nothing else'),
  'key-name': optional('NAME', 'add an API key: who it is for'),
  ...fromServe('listen', 'trust-proxy', 'public-url', 'rotate-keys-every', 'workers'),
} as const;

/** A table of flags by name without the dashes. */
export type FlagTable = Readonly<Record<string, Flag<unknown>>>;

/** The settings that a table of flags parses to. */
export type SettingsOf<Table extends FlagTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Flag<infer Value> ? Value : never;
};

/** The settings of `serve`. */
export type ServeSettings = SettingsOf<typeof SERVE_FLAGS>;

/** The flags of `serve`, for lookups by any name. */
export const SERVE_TABLE: FlagTable = SERVE_FLAGS;

/** Flags that can be set in the environment and the configuration file too: those of a server. */
export const SETTING_NAMES: readonly string[] = Object.keys(SERVE_FLAGS).filter(name => name !== 'config');

/** The files that a reload reads, except keys and plans, which are polled. */
export function reloadedFiles(settings: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(SERVE_TABLE).flatMap(([name, { argument, isReloaded }]) => {
    if (!isReloaded) return [];
    const paths = [settings[name]].flat().filter(path => typeof path === 'string');
    return paths.map(path => (argument === 'DIR' ? join(path, 'tzdata.zi') : path));
  });
}
