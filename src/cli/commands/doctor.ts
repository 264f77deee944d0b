import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { EMBEDDED_DATA } from '../../../data/manifests.ts';
import { asStoreError, subject } from '../../access/sqlite_errors.ts';
import { hasKeyStore } from '../../access/sqlite_file.ts';
import { SqliteStore } from '../../access/sqlite_store.ts';
import { MS_PER_DAY } from '../../common/civil.ts';
import { messagesOf, oneLine, systemReason } from '../../common/errors.ts';
import type { LazyData } from '../../common/lazy_data.ts';
import { fileExists } from '../../common/state_files.ts';
import { counted } from '../../common/words.ts';
import type { HolidayCalendars } from '../../holidays/holiday_calendars.ts';
import type { Coverage } from '../../holidays/holiday_pack.ts';
import { checkAccess, keyStorePath } from '../../server/access.ts';
import { BUILD } from '../../server/build_info.ts';
import { readKeySet } from '../../server/bundles/bundle_keys.ts';
import { DataStore } from '../../server/bundles/data_store.ts';
import { checkCertificate } from '../../server/certificate.ts';
import { readHostClock } from '../../server/host_clock.ts';
import { loadInstalled } from '../../server/load_data.ts';
import { packName } from '../../server/packs.ts';
import { SUCCESSION } from '../../server/programs.ts';
import { redisReport } from '../../server/redis_report.ts';
import { keyDirectory } from '../../server/signing_keys.ts';
import { type Environment, stateDirectory } from '../../server/state_directory.ts';
import type { KeyDirectory } from '../../signing/key_directory.ts';
import { KeyStoreError } from '../../signing/key_store.ts';
import { activeKey } from '../../signing/signing_key.ts';
import { defineCommand } from '../command.ts';
import { argumentsFor, DATA_SETTINGS, SERVE_FLAGS, toggle } from '../flags.ts';
import { labelledLines } from '../report.ts';
import {
  type CommandLine,
  conflictsOf,
  inspectCommandLine,
  isSecret,
  strayVariables,
  strayVariableText,
} from '../settings.ts';
import { compareZones, comparisonText } from '../zone_comparison.ts';

export const doctorCommand = defineCommand({
  name: 'doctor',
  synopsis: '[flags]',
  summary: 'report on data, keys, settings and differences from this host; exit 1 on problems',
  // All other server settings, from the environment and the configuration file, are checked as well.
  flags: { json: toggle('print JSON'), ...DATA_SETTINGS },
  usesState: true,
  reportsFaults: true,
  async run(line, context) {
    // As a server would have them with the same flags.
    const server = inspectCommandLine(SERVE_FLAGS, argumentsFor(SERVE_FLAGS, line.given), context);
    const report = await createReport(server, context.environment);
    context.print(line.settings.json ? JSON.stringify(report, null, 2) : asText(report));
    const parts = [report.boundaries, report.ip, report.places, report.signing, report.access];
    const isSound =
      report.faults.length === 0 &&
      !report.redis?.problems.length &&
      parts.every(({ problem }) => problem === null);
    return isSound ? 0 : 1;
  },
});

/** Its members are in snake case, since `--json` prints them. */
type Report = Awaited<ReturnType<typeof createReport>>;

async function createReport(line: CommandLine<typeof SERVE_FLAGS>, environment: Environment) {
  const { settings } = line;
  const { data, configured, packs, redis, faults } = await inspectSettings(line, environment);
  const { zones, holidays, schedules, boundaries, ip, gazetteer } = data;
  const sourceOf = (name: keyof typeof data) => {
    const used = configured.get(name)?.used;
    return used ? used.files.map(({ path }) => path).join(', ') : null;
  };
  const compiledIn = (name: keyof typeof data) => packName(packs.get(name));
  await Promise.all([boundaries.load(), ip.load(), gazetteer.load()]);
  const nowMs = Date.now();
  const clock = readHostClock();
  const zonesFrom = sourceOf('zones') ?? compiledIn('zones');
  return {
    meridian: BUILD,
    runtime: `Bun ${Bun.version}`,
    faults: [...line.faults, ...faults].map(oneLine),
    zones: { version: zones.version, from: zonesFrom, names: zones.names().length },
    boundaries: dataReport('boundaries', boundaries, compiledIn('boundaries')),
    ip: dataReport('ip', ip, sourceOf('ip') ?? compiledIn('ip')),
    places: dataReport('places', gazetteer, compiledIn('gazetteer')),
    own_networks: sourceOf('ownNetworks'),
    holidays: holidaysReport(holidays, sourceOf('holidays')),
    uncertain_holidays: certaintyWarning(holidays, nowMs),
    schedules: schedules.size === 0 ? null : { from: sourceOf('schedules'), names: [...schedules.keys()] },
    signing: await signingReport(keyDirectory(settings, environment)),
    access: accessReport(keyStorePath(settings, environment)),
    redis,
    state: stateReport(stateDirectory(settings['state-dir'], environment)),
    exposed_files: exposedFiles(line),
    clock: clock && { is_synchronized: clock.isSynchronized, max_error_seconds: clock.maxErrorSeconds },
    embedded: EMBEDDED_DATA.map(set => ({
      ...set,
      age_days: Math.floor((nowMs - Date.parse(set.date)) / MS_PER_DAY),
    })),
    stray_variables: strayVariables(environment),
    comparisons: compareZones(zones, sourceOf('zones'), environment['TZDIR'], Math.floor(nowMs / 1000)),
  };
}

function asText(report: Report): string {
  const { meridian, zones, holidays, own_networks, schedules, state } = report;
  const { calendar } = holidays;
  return labelledLines(10, {
    meridian: [`${meridian.version} (${meridian.commit}) on ${report.runtime}`],
    fault: report.faults,
    zones: [`tzdata ${zones.version}, ${zones.names} names, from ${zones.from}`],
    boundaries: [dataText(report.boundaries)],
    ip: [dataText(report.ip)],
    places: [dataText(report.places)],
    networks: [own_networks && `own, from ${own_networks}`],
    holidays: [holidaysText(holidays)],
    calendar: [calendar && `${counted(calendar.days, 'day')} from ${calendar.from}`],
    schedules: [schedules && `${schedules.names.join(', ')} from ${schedules.from}`],
    signing: [signingText(report.signing)],
    access: [accessText(report.access)],
    redis: [report.redis && redisText(report.redis)],
    warning: [
      state.warning,
      report.uncertain_holidays,
      ...report.exposed_files.map(exposedFileText),
      ...report.stray_variables.map(strayVariableText),
    ],
    clock: [clockText(report.clock)],
    embedded: report.embedded.map(embeddedText),
    compared: report.comparisons.map(comparisonText),
  }).join('\n');
}

function dataReport(name: string, { version, state }: LazyData<unknown>, from: string) {
  const embedded = EMBEDDED_DATA.find(set => set.name === name);
  return {
    version: from === 'embedded' && embedded !== undefined ? embedded.version : version,
    from,
    problem: state.kind === 'broken' ? state.problem : null,
  };
}

function dataText({ version, from, problem }: ReturnType<typeof dataReport>): string {
  return `${from === 'embedded' ? from : `${version}, from ${from}`}, ${problem ?? 'verified'}`;
}

function holidaysReport({ header, countries, organisation }: HolidayCalendars, path: string | null) {
  const coverages = countries.flatMap(({ coverage, subdivisions }) => [
    coverage,
    ...subdivisions.map(part => part.coverage),
  ]);
  const basedOn = (basis: Coverage['basis']) => coverages.filter(each => each.basis === basis).length;
  return {
    version: header.library,
    years: `${header.firstYear}-${header.lastYear}`,
    calendars: coverages.length,
    certain_through: header.certainThrough ?? null,
    calendars_by_law: basedOn('law'),
    calendars_by_list: basedOn('list'),
    calendar: organisation === null ? null : { from: path ?? '', days: organisation.size },
  };
}

function holidaysText(report: Report['holidays']) {
  const { version, years, calendars, certain_through, calendars_by_law, calendars_by_list } = report;
  const others = calendars - calendars_by_law - calendars_by_list;
  const certain = `certain through ${certain_through ?? 'unknown'} in ${counted(calendars_by_law, 'calendar')} that follow from law; ${calendars_by_list} held against lists, ${others} not compared`;
  return `${version}, ${calendars} calendars, ${years}\n${certain}`;
}

/** The warning is this early, so that there is time to install newer data. */
const CERTAIN_AHEAD_MS = 183 * MS_PER_DAY;

export function certaintyWarning(
  { certainUntilMs, header }: Pick<HolidayCalendars, 'certainUntilMs' | 'header'>,
  nowMs: number,
): string | null {
  return certainUntilMs !== null && certainUntilMs - nowMs > CERTAIN_AHEAD_MS
    ? null
    : header.certainThrough === undefined
      ? 'the data of holidays does not say until when they are certain: install newer data'
      : `the holidays are certain through ${header.certainThrough} only: install newer data`;
}

function embeddedText(set: Report['embedded'][number]): string {
  const { name, version, date, age_days, bytes, licence, source, attribution } = set;
  const size = `${(bytes / 1e6).toFixed(1)} MB`;
  const line = `${name} ${version} of ${date}, ${counted(age_days, 'day')} old, ${size}, ${licence}, ${source}`;
  return attribution === undefined ? line : `${line}\n${attribution}`;
}

function clockText(clock: Report['clock']): string {
  if (clock === null) return 'synchronization state unknown on this host';
  if (!clock.is_synchronized) return 'not synchronized by this host: the current time may be wrong';
  return `synchronized, maximum error ${clock.max_error_seconds} s`;
}

export const checkCommand = defineCommand({
  name: 'check',
  synopsis: '[flags of serve]',
  summary: 'check settings, their files and Redis; exit 1 on any fault',
  flags: SERVE_FLAGS,
  usesState: true,
  reportsFaults: true,
  async run(line, { environment, print }) {
    const { settings, faults } = line;
    const inspection = await inspectSettings(line, environment);
    const signing = await signingReport(keyDirectory(settings, environment));
    const access = accessReport(keyStorePath(settings, environment));
    const ofRedis = inspection.redis?.problems.map(problem => `Redis: ${problem}`) ?? [];
    const problems = [signing.problem, access.problem, ...ofRedis].filter(problem => problem !== null);
    // A problem with a store may be found twice.
    const found = new Set([...faults, ...inspection.faults, ...problems].map(oneLine));
    const warning = [
      stateReport(stateDirectory(settings['state-dir'], environment)).warning,
      ...exposedFiles(line).map(exposedFileText),
      ...strayVariables(environment).map(strayVariableText),
    ];
    const lines = labelledLines(8, { fault: [...found], warning });
    print([...lines, ...(found.size === 0 ? ['no faults found'] : [])].join('\n'));
    return found.size === 0 ? 0 : 1;
  },
});

/**
 * Checks settings and their files as `serve` does, but opens no listeners. `faults` are everything that would prevent startup
 * or the use of configured files, one line each.
 */
async function inspectSettings(line: CommandLine<typeof SERVE_FLAGS>, environment: Environment) {
  const { settings } = line;
  const faults = [...conflictsOf(line)];
  const store = new DataStore(stateDirectory(settings['state-dir'], environment));
  const loaded = await loadInstalled(settings, store, { substitute: async () => null });
  faults.push(...[...loaded.configured.values()].flatMap(({ error }) => error?.faults ?? []));
  faults.push(...loaded.problems);
  const { 'data-keys': dataKeys } = settings;
  // A successor shares the Redis of the server that it takes over from, and serves without it like that one.
  const redis =
    settings.redis === null || environment[SUCCESSION] !== undefined
      ? null
      : await redisReport(settings.redis);
  const mayHaveShared = redis === null ? settings.redis !== null : redis.has_held_keys !== false;
  const checks = [
    () => checkCertificate(settings),
    () => checkAccess(settings, environment, mayHaveShared),
    () => dataKeys !== null && readKeySet(dataKeys),
  ];
  for (const check of checks) {
    try {
      await check();
    } catch (error) {
      faults.push(...messagesOf(error));
    }
  }
  return { ...loaded, redis, faults };
}

const WRITABLE_BY_ALL = 0o002;
const READABLE_BY_ALL = 0o004;
/** In a sticky directory such as `/tmp`, only a file's owner can remove it. */
const STICKY = 0o1000;

/** The mode of a file; 0 if there are no modes, or none can be read: reports on its contents give the reason. */
function modeOf(path: string): number {
  return process.platform !== 'win32' && existsSync(path) ? statSync(path).mode : 0;
}

const octal = (mode: number) => (mode & 0o7777).toString(8);

/** The state directory section of `doctor`. It warns if this user cannot write to it, or any user can, and thus add keys. */
export function stateReport(from: string) {
  const failure = writeFailure(from);
  if (failure !== null) {
    const effect = 'signing keys, API keys, usage and last good copies cannot be stored';
    return { from, warning: `${from} is not writable: ${failure}; ${effect}` };
  }
  const mode = modeOf(from);
  if ((mode & WRITABLE_BY_ALL) === 0) return { from, warning: null };
  const remedy =
    (mode & STICKY) === 0 ? `run 'chmod 700 ${from}'` : 'set --state-dir to a directory of its own';
  return { from, warning: `${from} is writable by every user (mode ${octal(mode)}); ${remedy}` };
}

/** Why this user cannot write to a directory, or create it; null if that is possible. */
function writeFailure(directory: string): string | null {
  try {
    let existing = directory; // or its nearest ancestor
    while (!fileExists(existing)) existing = dirname(existing);
    accessSync(existing, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return systemReason(error);
  }
}

/** The files with API keys, private keys or passwords that any user can read, as container platforms mount them. */
function exposedFiles({ settings, inFile, configPath }: CommandLine<typeof SERVE_FLAGS>): string[] {
  const paths = [settings['api-key-file'], settings['marketplace-keys'], settings['tls-key']];
  const hasSecrets = [...inFile].some(([name, texts]) => isSecret(name, texts));
  return [...paths, hasSecrets ? configPath : null]
    .filter(path => path !== null)
    .filter(path => (modeOf(path) & READABLE_BY_ALL) !== 0);
}

function exposedFileText(path: string): string {
  return `${path} contains secrets and is readable by every user (mode ${octal(modeOf(path))}); run 'chmod o-r ${path}'`;
}

/** How long to wait while a server is writing. */
const BUSY_MS = 1000;

/** The API keys section of `doctor`. `from`: the path of the key store. */
export function accessReport(from: string) {
  const none = { from, keys: 0, suspended: 0, has_held_keys: false, problem: null };
  try {
    if (!hasKeyStore(from)) return none;
    const store = new SqliteStore(from, { create: false, durable: true, busyMs: BUSY_MS });
    try {
      const keys = store.keys();
      const suspended = keys.filter(({ suspendedMs }) => suspendedMs !== null).length;
      return { ...none, keys: keys.length, suspended, has_held_keys: store.revision() > 0 };
    } finally {
      store.close();
    }
  } catch (error) {
    // May be a raw SQLite error: damage is not always detected when the file is opened.
    return { ...none, problem: asStoreError(subject(from), error).message };
  }
}

function accessText({ from, keys, suspended, has_held_keys, problem }: Report['access']): string {
  if (problem !== null) return problem;
  if (keys > 0) return `API keys: ${keys}, suspended: ${suspended}, in ${from}`;
  return `no API keys in ${from}${has_held_keys ? ' any more: a server rejects all requests without --open' : ''}`;
}

function redisText({ keys, problems }: NonNullable<Report['redis']>): string {
  return problems.length > 0 ? problems.join('\n') : `available, API keys: ${keys}`;
}

async function signingReport(store: KeyDirectory) {
  const none = { from: store.path, active: null, created: null, retired: 0, problem: null };
  try {
    const keys = await store.read();
    const active = activeKey(keys);
    if (active === undefined) return { ...none, retired: keys.length };
    const created = new Date(active.createdMs).toISOString();
    return { ...none, active: active.kid, created, retired: keys.length - 1 };
  } catch (error) {
    if (error instanceof KeyStoreError) return { ...none, problem: error.message };
    throw error;
  }
}

function signingText({ from, active, created, retired, problem }: Report['signing']): string {
  if (problem !== null) return problem;
  if (active === null) return `no active key in ${from}: a server creates one when it starts`;
  return `${active} created ${created}, ${retired} retired, in ${from}`;
}
