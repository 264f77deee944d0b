import type { ValidateFunction } from 'ajv/dist/2020';
import Ajv2020 from 'ajv/dist/2020';
import { boundariesPath } from '../../data/boundaries/embedded.ts';
import { readHolidayPack } from '../../data/holidays/embedded.ts';
import { readLanguagePack } from '../../data/languages/embedded.ts';
import { EMBEDDED_DATA } from '../../data/manifests.ts';
import { readOutlines } from '../../data/outlines/embedded.ts';
import { placesPath } from '../../data/places/embedded.ts';
import { readPopulationPack } from '../../data/populations/embedded.ts';
import { readReleasePack } from '../../data/releases/embedded.ts';
import { readWindowsPack } from '../../data/windows/embedded.ts';
import { readZonePack } from '../../data/zones/embedded.ts';
import type { AccessControl } from '../../src/access/access_control.ts';
import type { ApiDocument, ApiResponse, PathItem, Reference } from '../../src/api/description/document.ts';
import { describeApi } from '../../src/api/description/openapi.ts';
import { API_ROUTES } from '../../src/api/routes.ts';
import { LazyData } from '../../src/common/lazy_data.ts';
import { HolidayCalendars } from '../../src/holidays/holiday_calendars.ts';
import type { Server, Snapshot } from '../../src/http/snapshot.ts';
import { openBoundaries } from '../../src/places/boundaries.ts';
import { TRUST_NOBODY } from '../../src/places/caller_address.ts';
import { Gazetteer } from '../../src/places/gazetteer.ts';
import { checkIpFile } from '../../src/places/mmdb_check.ts';
import { mmdbZones } from '../../src/places/mmdb_zones.ts';
import { decodeOutlines } from '../../src/places/outlines.ts';
import type { Places } from '../../src/places/places.ts';
import { createApp } from '../../src/server/app.ts';
import { dataStatus } from '../../src/server/data_sets.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { Languages } from '../../src/text/language_pack.ts';
import { decodePopulations } from '../../src/zones/populations.ts';
import { openReleasePack } from '../../src/zones/releases.ts';
import { WindowsZones } from '../../src/zones/windows_zones.ts';
import { openZonePack } from '../../src/zones/zone_database.ts';

/** How a response violates the description, or null; to GET or else POST by default. */
type Check = (
  path: string,
  status: number,
  headers: Headers,
  body: unknown,
  method?: keyof PathItem,
) => string | null;

/** A check against an OpenAPI document, by a JSON Schema validator independent of TypeBox. */
export function checkBy(document: ApiDocument): Check {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema({ $id: 'api', ...closed(document) });
  const validators = new Map<string, ValidateFunction>();
  const validatorAt = (pointer: string): ValidateFunction => {
    const validator = validators.get(pointer) ?? ajv.compile({ $ref: `api#${pointer}` });
    validators.set(pointer, validator);
    return validator;
  };

  return (path, status, headers, body, given) => {
    const item = document.paths[path] ?? {};
    const method = given ?? (item.get === undefined ? 'post' : 'get');
    const operation = item[method];
    if (operation === undefined) return null;
    const described = operation.responses[status];
    if (described === undefined) return `status ${status} is not described`;
    const pointer = isReference(described)
      ? described.$ref.slice(1)
      : `/paths/${escaped(path)}/${method}/responses/${status}`;
    const expected = isReference(described) ? (lookUp(document, pointer) as ApiResponse) : described;
    const contentType = (headers.get('Content-Type') ?? '').replace('; charset=utf-8', '');
    const { content } = expected;
    const isDescribed = content === undefined ? contentType === '' && body === '' : contentType in content;
    if (!isDescribed) return `content type ${contentType} is not described`;
    const wrongHeaders = headerFaults(document, expected, headers);
    if (wrongHeaders !== null) return wrongHeaders;
    if (body === '') return null; // HEAD
    const validate = validatorAt(`${pointer}/content/${escaped(contentType)}/schema`);
    return validate(body) ? null : ajv.errorsText(validate.errors);
  };
}

/** Headers of every response, which no description lists. */
const COMMON: ReadonlySet<string> = new Set(['content-type', 'date']);

function headerFaults(document: ApiDocument, response: ApiResponse, headers: Headers): string | null {
  const described = new Map(
    Object.entries(response.headers).map(([name, { $ref }]) => [name.toLowerCase(), $ref]),
  );
  for (const name of headers.keys()) {
    if (!COMMON.has(name) && !described.has(name)) return `header ${name} is not described`;
  }
  for (const [name, $ref] of described) {
    const { required } = lookUp(document, $ref.slice(1)) as { required: boolean };
    if (required && !headers.has(name)) return `header ${name} is missing`;
  }
  return null;
}

/** A copy whose schemas allow no undescribed members. */
function closed<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(closed) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, closed(item)]));
  if (copy['type'] === 'object' && copy['properties'] !== undefined) {
    copy['additionalProperties'] ??= false;
  }
  return copy as Value;
}

function isReference(value: ApiResponse | Reference): value is Reference {
  return '$ref' in value;
}

function lookUp(document: unknown, pointer: string): unknown {
  let value = document;
  for (const key of pointer.slice(1).split('/')) {
    value = (value as Record<string, unknown>)[key.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return value;
}

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The part of an access control that the description uses: it requires keys, also marketplace keys. */
export function keyedAccess(isOpen: () => boolean = () => false): AccessControl {
  const access = {
    get isOpen() {
      return isOpen();
    },
    marketplace: { keyHeader: 'X-RapidAPI-Key', hostHeader: 'X-RapidAPI-Host', host: 'time.example' },
  };
  // Never used for API requests; the access tests cover those.
  return access as unknown as AccessControl;
}

/** Has `2.125.160.216` in Europe/London, `89.160.20.112` in Europe/Stockholm, `2001:218::` in Asia/Tokyo. */
export const CITY_DATABASE = `${import.meta.dir}/../fixtures/mmdb/test-data/GeoLite2-City-Test.mmdb`;

/** 2026-04-15T17:30:47.123Z, the current time in most tests. */
export const NOW_MS = 1_776_274_247_123;

/** The embedded boundaries, and MaxMind's test database, whose addresses do not move. */
const boundaries = new LazyData('boundaries', 'embedded', async () =>
  openBoundaries(await Bun.file(boundariesPath).bytes()),
);
const ip = new LazyData('ip', 'GeoLite2-City-Test', async () =>
  mmdbZones(await checkIpFile(await Bun.file(CITY_DATABASE).bytes()), () => boundaries.get()),
);

const gazetteer = new LazyData(
  'places',
  'embedded',
  async () => new Gazetteer(await Bun.zstdDecompress(await Bun.file(placesPath).bytes())),
);

/** Places of that data. */
export function testPlaces(changes: Partial<Places> = {}): Places {
  return { boundaries, ip, gazetteer, ownNetworks: null, ...changes };
}

/** What tests may change in a server and its snapshot. */
export type ServerChanges = Partial<Omit<Server, 'snapshot'> & Snapshot> & { readonly places?: Places };

const DEFAULTS: Snapshot = {
  zones: openZonePack(readZonePack()),
  releases: new LazyData('releases', 'embedded', () => openReleasePack(readReleasePack())),
  outlines: new LazyData('outlines', 'embedded', async () => decodeOutlines(readOutlines())),
  windows: new WindowsZones(readWindowsPack()),
  populations: decodePopulations(readPopulationPack()),
  holidays: new HolidayCalendars(readHolidayPack()),
  languages: new Languages(readLanguagePack()),
  schedules: new Map(),
  ...testPlaces(),
  build: 'test',
  callerTrust: TRUST_NOBODY,
  maxBulk: 100,
  maxBatch: 1000,
  corsOrigin: '*',
  publicRoutes: [],
  publicUrl: '',
  embeddedData: EMBEDDED_DATA,
  digests: {},
  requireClockSync: false,
};

/** A snapshot with the embedded data. */
export function testSnapshot({ places, ...changes }: ServerChanges = {}): Snapshot {
  const names = Object.keys(DEFAULTS) as (keyof Snapshot)[];
  return {
    ...DEFAULTS,
    ...places,
    ...Object.fromEntries(names.filter(name => name in changes).map(name => [name, changes[name]])),
  };
}

/** A server whose snapshot the test can replace. */
interface TestServer extends Server {
  /** Replaces the snapshot with a changed one. */
  replace(changes: Partial<Snapshot>): void;
}

/** A server with {@link testSnapshot} and a stopped clock. */
export function testServer(changes: ServerChanges = {}): TestServer {
  let snapshot = testSnapshot(changes);
  return {
    now: () => NOW_MS,
    dataStatus,
    signing: fixedKeys([]),
    access: null,
    hostClock: () => null,
    metrics: () => Promise.resolve(''),
    logError: (message, cause) => {
      throw new Error(message, { cause });
    },
    ...changes,
    snapshot: () => snapshot,
    replace(replaced) {
      snapshot = { ...snapshot, ...replaced };
    },
  };
}

/** The routes that respond with JSON and need credentials on a keyed server. */
export const JSON_ROUTES = API_ROUTES.filter(({ payload, isPublic }) => payload !== null && !isPublic);

/** An app with {@link testServer}. */
export const app = createApp(testServer());

/** A response; `body` is parsed if it is JSON. */
export interface ParsedResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into responses of every shape.
  readonly body: any;
}

/**
 * Sends a request to an app, by default one with {@link testServer}.
 * Every response of a route is validated against the API description.
 */
export async function send(path: string, init: RequestInit = {}, target = app): Promise<ParsedResponse> {
  const request = new Request(`http://localhost${path}`, init);
  const response = await target.handle(request);
  const { status, headers } = response;
  headers.delete('Date'); // HEAD has one; Bun adds it to GET when sending: see dated_head.test.ts
  const body = parsed(await response.text(), headers);
  if (request.method !== 'OPTIONS') await validateResponse(path, { status, headers, body });
  return { status, headers, body };
}

/** The parsed JSON of a body, or its text. */
export function parsed(text: string, headers: Headers): unknown {
  const isJson = headers.get('Content-Type')?.startsWith('application/json') && text !== '';
  return isJson ? JSON.parse(text) : text;
}

/** Throws if a response of a route does not match the API description. */
export async function validateResponse(path: string, response: ParsedResponse): Promise<void> {
  check ??= describedCheck();
  const { status, headers, body } = response;
  const fault = (await check)(new URL(`http://localhost${path}`).pathname, status, headers, body);
  if (fault !== null) throw new Error(`${path} does not respond as described: ${fault}`);
}

let check: Promise<Check> | undefined;

/** The check against the description of a server with keys, a superset of an open server's. */
async function describedCheck(): Promise<Check> {
  const document = await describeApi(testServer({ access: keyedAccess() }));
  return checkBy(JSON.parse(JSON.stringify(document)));
}

/** The error code of a response, preceded by its status: `400 INVALID_PARAMETER`. */
export async function errorOf(path: string): Promise<string> {
  const { status, body } = await send(path);
  return `${status} ${body.error?.code}`;
}
