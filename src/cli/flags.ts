import { ACCESS_LOG_MODES, type AccessLogMode, LOG_CLIENT_MODES } from '../http/access_log.ts';
import { parseTrustedProxies, type TrustedProxies } from '../places/trusted_proxies.ts';
import { LOG_FORMATS, LOG_LEVELS, type LogFormat } from '../server/event_log.ts';
import { type ListenAddress, parseListenAddress } from '../server/listening/listen_address.ts';
import { choice, type Flag, repeatable, single, toggle } from './flag.ts';
import {
  parseCount,
  parseDays,
  parseHeaderName,
  parseKey,
  parseOrigin,
  parseProxies,
  parsePublicUrl,
  parseRedisUrl,
  parseText,
  parseWhole,
  parseWorkers,
} from './flag_values.ts';

const DEFAULT_ADDRESS: ListenAddress = { kind: 'tcp', host: '127.0.0.1', port: 8080 };

const ZONEINFO = single<string | null>(
  'DIR',
  'use this TZif tree instead of the embedded zones',
  null,
  'embedded',
  parseText,
);

const CALENDAR = single<string | null>(
  'FILE',
  "your organisation's holidays and worked days, over public ones",
  null,
  'none',
  parseText,
);

const RETAIN_KEYS = single(
  'N',
  'how many retired signing keys stay published',
  Number.POSITIVE_INFINITY,
  'all',
  (text, source) => (text === 'all' ? Number.POSITIVE_INFINITY : parseWhole(text, source, 0)),
);

const IP_DB = single<string | null>(
  'FILE',
  'use this MMDB file instead of the embedded IP data',
  null,
  'embedded',
  parseText,
);

const IP_ZONES = single<string | null>(
  'FILE',
  "own networks, asked before the IP data: lines of 'CIDR,Zone'",
  null,
  'none',
  parseText,
);

/** The data that addresses are resolved from. */
const IP_FLAGS = { 'ip-db': IP_DB, 'ip-zones': IP_ZONES } as const;

const TRUST_PROXY: Flag<TrustedProxies> = {
  argument: 'CIDR,…',
  help: "proxies that tell the caller's address; or 'unix'",
  fallback: parseTrustedProxies([]),
  fallbackText: 'none',
  isRepeatable: true,
  parse: parseProxies,
};

const PUBLIC_URL = single(
  'URL',
  'where pages on other hosts reach this server: it goes before the paths in clocks',
  '',
  'none',
  parsePublicUrl,
);

const MAX_BULK = single('N', 'the most entries of a comma-separated selector', 100, '100', parseCount);

/** Understood by every command. */
export const COMMON_FLAGS = {
  config: single<string | null>('FILE', 'settings in TOML, by flag name', null, 'none', parseText),
  'state-dir': single<string | null>(
    'DIR',
    'where keys and usage are kept',
    null,
    "systemd's, $XDG_STATE_HOME/meridian or ~/.local/state/meridian",
    parseText,
  ),
} as const;

const PLANS = single<string | null>(
  'FILE',
  'limits of API keys by plan, in TOML',
  null,
  'default, unlimited',
  parseText,
);

const REDIS = single<string | null>(
  'URL',
  'share limits and usage through this Redis or Valkey',
  null,
  'none',
  parseRedisUrl,
);

const ACCESS_FLAGS = {
  'api-key': repeatable<string>(
    'KEY',
    'a key that may ask; the list of processes shows it',
    [],
    'none',
    parseKey,
  ),
  'api-key-file': single<string | null>(
    'FILE',
    'keys that may ask: KEY [PLAN [NAME]] a line',
    null,
    'none',
    parseText,
  ),
  open: toggle('serve everybody, on any address'),
  plans: PLANS,
  redis: REDIS,
  'quota-fail': choice(['open', 'closed'], 'while Redis is away: count here, or answer 502', 'open', 'open'),
  'marketplace-host': single<string | null>(
    'HOST',
    "the host that a marketplace's requests name",
    null,
    'none',
    parseText,
  ),
  'marketplace-keys': single<string | null>(
    'FILE',
    "the marketplace's subscription keys, a line each",
    null,
    'none',
    parseText,
  ),
  'marketplace-key-header': single(
    'NAME',
    'header with the subscription key',
    'X-RapidAPI-Key',
    'X-RapidAPI-Key',
    parseHeaderName,
  ),
  'marketplace-host-header': single(
    'NAME',
    'header with the host',
    'X-RapidAPI-Host',
    'X-RapidAPI-Host',
    parseHeaderName,
  ),
} as const;

const LOG_FLAGS = {
  'log-level': choice(LOG_LEVELS, 'the least that is logged, to stderr', 'info', 'info'),
  'log-format': choice<LogFormat, null>(
    LOG_FORMATS,
    'form of the log',
    null,
    'text on a terminal, else json',
  ),
  'access-log': choice<AccessLogMode, null>(
    ACCESS_LOG_MODES,
    'requests that are logged; errors are 5xx',
    null,
    'all on a terminal, else errors',
  ),
  'log-client': choice(LOG_CLIENT_MODES, "how much of a caller's address is logged", 'none', 'none'),
} as const;

/** The flags of `serve`. */
export const SERVE_FLAGS = {
  ...COMMON_FLAGS,
  listen: repeatable(
    'HOST:PORT',
    'address to serve on, or unix:PATH; port 0 takes a free one',
    [DEFAULT_ADDRESS],
    '127.0.0.1:8080',
    parseListenAddress,
  ),
  zoneinfo: ZONEINFO,
  ...IP_FLAGS,
  'trust-proxy': TRUST_PROXY,
  'client-ip-header': single(
    'NAME',
    'the one header in which they tell it',
    'X-Forwarded-For',
    'X-Forwarded-For',
    parseHeaderName,
  ),
  calendar: CALENDAR,
  'max-bulk': MAX_BULK,
  'cors-origin': single('ORIGIN', 'origin whose scripts may read answers', '*', '*', parseOrigin),
  'public-url': PUBLIC_URL,
  'rotate-keys-every': single<number | null>(
    'DAYS',
    'make a new signing key at this age, such as 90d or 12w',
    null,
    'never',
    parseDays,
  ),
  'retain-keys': RETAIN_KEYS,
  ...ACCESS_FLAGS,
  'admin-listen': single<ListenAddress | null>(
    'HOST:PORT',
    'metrics and health here, metrics no longer on the main address',
    null,
    'none',
    parseListenAddress,
  ),
  workers: single('N', 'processes that share the port; auto: one a core', 1, '1', parseWorkers),
  'require-clock-sync': toggle('be unready while the host does not synchronise its clock'),
  'tls-cert': single<string | null>(
    'FILE',
    'serve HTTPS with this certificate and chain, in PEM',
    null,
    'none',
    parseText,
  ),
  'tls-key': single<string | null>('FILE', 'the private key of the certificate', null, 'none', parseText),
  ...LOG_FLAGS,
} as const;

/** The flags of `get`. */
export const GET_FLAGS = {
  ...COMMON_FLAGS,
  include: toggle('print status and headers too (also -i)'),
  zoneinfo: ZONEINFO,
  ...IP_FLAGS,
  calendar: CALENDAR,
  'max-bulk': MAX_BULK,
  'public-url': PUBLIC_URL,
} as const;

/** The flags of `keys`. */
export const KEYS_FLAGS = {
  ...COMMON_FLAGS,
  force: toggle('rotate: take the next free date where today has a key'),
  'retain-keys': RETAIN_KEYS,
} as const;

/** The flags of `tokens`. */
export const TOKENS_FLAGS = {
  ...COMMON_FLAGS,
  name: single<string | null>('NAME', 'add: who the key is for', null, 'required', parseText),
  plan: single('PLAN', 'add: its plan', 'default', 'default', parseText),
  plans: PLANS,
  redis: REDIS,
  json: toggle('list: print JSON'),
} as const;

const FILE_OR_NONE = (help: string) => single<string | null>('FILE', help, null, 'none', parseText);

/** The flags of `verify`. */
export const VERIFY_FLAGS = {
  ...COMMON_FLAGS,
  jwks: single<string | null>('FILE-or-URL', 'the public key set', null, 'required', parseText),
  headers: single<string | null>(
    'FILE',
    "the answer's headers, as 'curl -D FILE' saves them, or with the body behind as 'curl -i' prints them",
    null,
    'required',
    parseText,
  ),
  body: FILE_OR_NONE("the answer's body, as 'curl -o FILE' saves it"),
  url: single<string | null>(
    'URL',
    'what was asked: its path and query are compared',
    null,
    'none',
    parseText,
  ),
} as const;

/** The flags of `doctor`. */
export const DOCTOR_FLAGS = {
  ...COMMON_FLAGS,
  json: toggle('print JSON'),
  zoneinfo: ZONEINFO,
  ...IP_FLAGS,
  calendar: CALENDAR,
} as const;

/** Any table of flags, by name without the dashes. */
export type FlagTable = Readonly<Record<string, Flag<unknown>>>;

/** The settings that a table of flags yields. */
export type SettingsOf<Table extends FlagTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Flag<infer Value> ? Value : never;
};

/**
 * The flags that are settings of a server, and can stand in the environment and in a configuration file too. All
 * others belong to one command line: a `force` that was set for good would be none.
 */
export const SETTING_NAMES: readonly string[] = Object.keys(SERVE_FLAGS).filter(name => name !== 'config');
