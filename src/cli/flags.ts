import { join } from 'node:path';
import { DEFAULT_OVERLAP, type Expiry, parseExpiry, parseMonth } from '../access/administration/key_terms.ts';
import { ROLES } from '../access/key_index.ts';
import { parseDate, parseDuration } from '../common/settings_text.ts';
import { ACCESS_LOG_MODES, LOG_CLIENT_MODES } from '../http/access_log.ts';
import type { RouteGroup } from '../http/address_limits.ts';
import { parseTrustedProxies } from '../places/caller_address.ts';
import { parseBundleUrl } from '../server/bundles/obtain.ts';
import type { DataAgeLimit } from '../server/data_age.ts';
import { LOG_FORMATS, LOG_LEVELS } from '../server/event_log.ts';
import { type ListenAddress, parseListenAddress } from '../server/listening/listen_address.ts';
import { DEFAULT_MAX_BATCH } from '../server/snapshot.ts';
import {
  choice,
  type Flag,
  optional,
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
  repeatable,
  single,
  toggle,
} from './flag.ts';

/** Accepted by every command. */
export const COMMON_FLAGS = {
  config: optional('FILE', 'settings in TOML, by flag name', { secret: 'file' }),
  'state-dir': optional('DIR', 'directory for keys and usage', {
    fallbackText: "systemd's, ~/.local/state/meridian or %LOCALAPPDATA%\\meridian",
  }),
} as const;

/** The flags of `serve`. Other commands reuse those with the same meaning. */
export const SERVE_FLAGS = {
  ...COMMON_FLAGS,
  listen: repeatable<ListenAddress>(
    'HOST:PORT',
    'address to listen on, or unix:PATH; port 0 picks a free one',
    [{ kind: 'tcp', host: '127.0.0.1', port: 8080 }],
    parseListenAddress,
    { fallbackText: '127.0.0.1:8080' },
  ),
  'allowed-host': repeatable<string>(
    'HOST',
    'further Host allowed on an open loopback server',
    [],
    parseHost,
  ),
  zoneinfo: optional('DIR', 'use this TZif tree instead of the embedded zones', {
    fallbackText: 'embedded',
    isReloaded: true,
  }),
  'allow-older-data': toggle('accept zones and bundle data older than the embedded data'),
  'data-keys': optional('FILE', 'public keys that bundles must be signed with, in JSON', {
    fallbackText: 'embedded',
    isReloaded: true,
  }),
  'data-url': single('URL', 'install newer data bundles from this https URL or path', null, parseBundleUrl, {
    isOutbound: true,
  }),
  'data-interval': single('TIME', 'how often to check --data-url: 30m, 12h, 7d', 43_200_000, parseInterval, {
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
    help: "proxies whose client IP header is trusted; or 'unix'",
    fallback: parseTrustedProxies([]),
    fallbackText: 'none',
    isRepeatable: true,
    parse: parseProxies,
  },
  'client-ip-header': single('NAME', 'header carrying the client IP', 'X-Forwarded-For', parseHeaderName, {
    requires: 'trust-proxy',
  }),
  calendar: optional('FILE', "your organisation's calendar, which overrides public holidays", {
    isReloaded: true,
  }),
  schedules: optional('FILE', 'named working-time schedules, in TOML', { isReloaded: true }),
  'require-configured-data': toggle('do not start if a data file cannot be used'),
  'max-data-age': repeatable<DataAgeLimit>(
    'SET=DAYS',
    'report a data set older than this: tzdata=120',
    [],
    parseDataAge,
  ),
  'require-fresh-data': toggle('not ready while a data set exceeds its --max-data-age', {
    requires: 'max-data-age',
  }),
  'max-bulk': single('N', 'maximum entries in a comma-separated selector', 100, parseCount),
  'max-batch': single('N', 'maximum requests in a batch', DEFAULT_MAX_BATCH, parseCount),
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
  mcp: choice(['on', 'off'], 'serve AI agents at /mcp (Model Context Protocol)', 'on'),
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
  'address-rate': single('N/s', 'maximum request rate per address, with --open', null, parseRate, {
    requires: 'open',
  }),
  'address-burst': single('N', 'maximum burst per address', null, text => parseCount(text), {
    requires: 'address-rate',
    fallbackText: 'the rate, rounded up',
  }),
  plans: optional('FILE', 'API key limits by plan, in TOML', { fallbackText: 'default, unlimited' }),
  redis: single('URL', 'share limits, usage, keys and plans through Redis or Valkey', null, parseRedisUrl, {
    secret: 'value',
    isOutbound: true,
  }),
  'share-signing-keys': optional('FILE', 'sign with keys in Redis, encrypted with the secret in this file', {
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
    'address for metrics, health and the operator API',
    null,
    parseListenAddress,
  ),
  workers: single('N', 'processes that share the port; auto: one per core', 1, parseWorkers),
  'require-clock-sync': toggle("not ready unless the host's clock is synchronized"),
  'tls-cert': optional('FILE', 'serve HTTPS with this certificate and chain, in PEM', {
    requires: 'tls-key',
    secret: 'file', // the certificate is not secret, but must stay paired with its key
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
  // `names` determines the entries.
  return Object.fromEntries(names.map(name => [name, SERVE_FLAGS[name]])) as Pick<typeof SERVE_FLAGS, Name>;
}

/** The flags of `mcp`. `get` shares them: both handle requests without a server. */
export const MCP_FLAGS = {
  ...COMMON_FLAGS,
  ...fromServe('zoneinfo', 'allow-older-data', 'ip-db', 'ip-zones', 'calendar', 'schedules'),
  ...fromServe('max-bulk', 'public-url'),
} as const;

/** The flags of `get`. */
export const GET_FLAGS = {
  include: toggle('also print status and headers (short: -i)', { short: 'i' }),
  ...MCP_FLAGS,
} as const;

/** The flags of `health`: where the server listens. */
export const HEALTH_FLAGS = {
  ready: toggle('check readiness for requests (/readyz), not only liveness (/healthz)'),
  ...COMMON_FLAGS,
  ...fromServe('listen', 'tls-cert', 'tls-key'),
} as const;

/** The flags of `doctor`, which also checks all other server settings in the environment and the configuration file. */
export const DOCTOR_FLAGS = {
  ...COMMON_FLAGS,
  json: toggle('print JSON'),
  ...fromServe('zoneinfo', 'allow-older-data', 'ip-db', 'ip-zones', 'calendar', 'schedules'),
} as const;

/** The settings that determine which data a server uses. */
const DATA_SETTINGS = {
  ...COMMON_FLAGS,
  ...fromServe('data-keys', 'zoneinfo', 'allow-older-data', 'ip-db', 'ip-zones', 'calendar', 'schedules'),
} as const;

/** The flags of `data`. */
export const DATA_FLAGS = {
  sets: repeatable<string>('NAME', 'build: a data set, such as tzdata', [], parseText, {
    fallbackText: 'all',
  }),
  sequence: single('N', 'build: sequence number', null, text => parseCount(text)),
  after: optional('FILE', 'build: the previous bundle, from which number and key successions continue'),
  date: single('DATE', 'build: date of the --zoneinfo or --ip-db data', null, parseDate),
  key: optional('FILE', 'sign: an Ed25519 private key, in PEM', { secret: 'file' }),
  successors: optional('FILE', 'sign: public keys that replace the current ones, in JSON'),
  downgrade: toggle('install: accept a lower sequence number'),
  'if-newer': toggle('install: do nothing unless the sequence number is higher'),
  'max-changes': single('N', 'install: maximum zones whose current offset changes', 5, text =>
    parseCount(text, 0),
  ),
  'accept-changes': toggle('install: accept any number of such zones'),
  json: toggle('status, verify: print JSON'),
  ...DATA_SETTINGS,
} as const;

/** Arguments for another command, so that it uses the same data. */
export function dataArguments(given: ReadonlyMap<string, readonly string[]>): string[] {
  const flags = [...given].filter(([name]) => Object.hasOwn(DATA_SETTINGS, name));
  return flags.flatMap(([name, texts]) => texts.map(text => `--${name}=${text}`));
}

/** The flags of `keys`. */
export const KEYS_FLAGS = {
  ...COMMON_FLAGS,
  force: toggle('rotate: use the next free date; revoke: even if another machine signs with it'),
  ...fromServe('retain-keys', 'redis', 'share-signing-keys'),
} as const;

/** The flags of `tokens`. */
export const TOKENS_FLAGS = {
  ...COMMON_FLAGS,
  name: optional('NAME', 'add, edit: who the key is for', { fallbackText: 'required by add' }),
  role: choice(ROLES, 'add, edit: operators may also read /metrics and manage keys', 'client'),
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
    'rotate: how long the old key stays valid: 12h, 7d, 0',
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
  'requests-per-second': single('N', 'set: requests per second, up to three decimals', null, parseNumber, {
    fallbackText: 'unlimited',
  }),
  burst: single('N', 'set: maximum burst', null, parseNumber, { fallbackText: 'the rate, rounded up' }),
  'requests-per-month': single('N', 'set: requests per month', null, parseNumber, {
    fallbackText: 'unlimited',
  }),
  bulk: choice(['one', 'each'], 'set: count a list as one request, or each entry', 'one'),
  force: toggle('remove: even if API keys use the plan'),
  ...fromServe('plans', 'redis', 'api-key-file'),
  json: toggle('list: print JSON'),
} as const;

/** The flags of `migrate`. */
export const MIGRATE_FLAGS = {
  ...COMMON_FLAGS,
  merge: toggle('merge into a target that is not empty'),
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
  url: optional('URL', 'the requested URL; its path and query are compared'),
} as const;

/** The flags of `verify-release`. */
export const VERIFY_RELEASE_FLAGS = {
  ...COMMON_FLAGS,
  'public-key': optional('FILE', "the minisign public key of meridian's releases", {
    fallbackText: 'required',
  }),
  sums: single('FILE', 'the checksums, signed in FILE.minisig', 'SHA256SUMS', parseText),
} as const;

/** The flags of `upgrade`. */
export const UPGRADE_FLAGS = {
  ...VERIFY_RELEASE_FLAGS,
  'public-key': optional('FILE', "the minisign public key of meridian's releases", {
    fallbackText: 'required, or --unsigned',
  }),
  unsigned: toggle('accept an executable verified in another way'),
} as const;

/** The flags of `init`. */
export const INIT_FLAGS = {
  ...COMMON_FLAGS,
  output: single('FILE', 'the configuration file to write', 'meridian.toml', parseText),
  force: toggle('replace an existing file'),
  print: toggle('only print the configuration'),
  'key-name': optional('NAME', 'create an API key with this name'),
  ...fromServe('listen', 'trust-proxy', 'public-url', 'rotate-keys-every', 'workers'),
} as const;

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
