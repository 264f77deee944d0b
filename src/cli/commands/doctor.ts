import type { DataSetManifest } from '../../../data/manifest.ts';
import { EMBEDDED_DATA } from '../../../data/manifests.ts';
import { counted } from '../../common/counted.ts';
import { UsageError } from '../../common/usage_error.ts';
import type { HostClock } from '../../http/snapshot.ts';
import type { LazyData } from '../../places/lazy_data.ts';
import { tokenStorePath } from '../../server/access.ts';
import { loadHolidays, loadZones } from '../../server/data.ts';
import { readHostClock } from '../../server/host_clock.ts';
import { openPlaces } from '../../server/places.ts';
import { keyDirectory } from '../../server/signing_keys.ts';
import { stateDirectory } from '../../server/state_directory.ts';
import type { KeyDirectory } from '../../signing/key_directory.ts';
import { KeyStoreError } from '../../signing/key_store.ts';
import { activeKey } from '../../signing/signing_key.ts';
import { type AccessReport, accessReport, accessText } from '../access_report.ts';
import type { Command } from '../command.ts';
import { DOCTOR_FLAGS } from '../flags.ts';
import { type HolidaysReport, holidaysReport, holidaysText } from '../holidays_report.ts';
import { readCommandLine } from '../settings.ts';
import { type StateReport, stateReport } from '../state_report.ts';
import { type StrayVariable, strayVariables, strayVariableText } from '../stray_variables.ts';
import { BUILD } from '../version.ts';
import { type Comparison, compareZones, comparisonText } from '../zones_report.ts';

export const doctorCommand: Command = {
  name: 'doctor',
  synopsis: '[flags]',
  summary: 'say what is inside, how fresh it is, and what differs here; exit 1 if any is broken',
  flags: DOCTOR_FLAGS,
  async run(args, context) {
    const { settings, operands } = readCommandLine(DOCTOR_FLAGS, args, context);
    if (operands.length > 0)
      throw new UsageError(`'${operands[0]}' is not understood: doctor takes flags only`);
    const zones = loadZones(settings.zoneinfo);
    const places = await openPlaces(settings, zones);
    await Promise.all([places.boundaries.load(), places.ip.load()]);
    const nowMs = Date.now();
    const report = {
      meridian: BUILD,
      runtime: `Bun ${Bun.version}`,
      zones: { version: zones.version, from: settings.zoneinfo ?? 'embedded', names: zones.names().length },
      boundaries: dataReport('boundaries', places.boundaries, 'embedded'),
      ip: dataReport('ip', places.ip, settings['ip-db'] ?? 'embedded'),
      own_networks: settings['ip-zones'],
      holidays: holidaysReport(loadHolidays(settings.calendar), settings.calendar),
      signing: await signingReport(keyDirectory(settings, context)),
      access: accessReport(tokenStorePath(settings, context)),
      state: stateReport(stateDirectory(settings['state-dir'], context.environment)),
      clock: clockReport(readHostClock()),
      embedded: EMBEDDED_DATA.map(set => ({ ...set, age_days: daysSince(set.date, nowMs) })),
      stray_variables: strayVariables(context.environment),
      comparisons: compareZones(
        zones,
        settings.zoneinfo,
        context.environment['TZDIR'],
        Math.floor(nowMs / 1000),
      ),
    };
    context.print(settings.json ? JSON.stringify(report, null, 2) : asText(report));
    const parts = [report.boundaries, report.ip, report.signing, report.access];
    return parts.every(({ problem }) => problem === null) ? 0 : 1;
  },
};

/** What a set of data came to when it was read. */
interface DataReport {
  readonly version: string;
  readonly from: string;
  readonly problem: string | null;
}

function dataReport(name: string, { version, state }: LazyData<unknown>, from: string): DataReport {
  const embedded = EMBEDDED_DATA.find(set => set.name === name);
  return {
    version: from === 'embedded' && embedded !== undefined ? embedded.version : version,
    from,
    problem: state.kind === 'broken' ? state.problem : null,
  };
}

function dataText({ version, from, problem }: DataReport): string {
  return `${from === 'embedded' ? from : `${version}, from ${from}`}, ${problem ?? 'checked'}`;
}

/** An embedded set of data, and how old its upstream's release is. */
interface AgedDataSet extends DataSetManifest {
  readonly age_days: number;
}

function daysSince(date: string, nowMs: number): number {
  return Math.floor((nowMs - Date.parse(date)) / 86_400_000);
}

function embeddedText(set: AgedDataSet): string {
  const { name, version, date, age_days, bytes, licence, source, attribution } = set;
  const size = `${(bytes / 1e6).toFixed(1)} MB`;
  const line = `embedded   ${name} ${version} of ${date}, ${counted(age_days, 'day')} old, ${size}, ${licence}, ${source}`;
  return attribution === undefined ? line : `${line}\n           ${attribution}`;
}

interface ClockReport {
  readonly is_synchronized: boolean;
  readonly max_error_seconds: number;
}

function clockReport(clock: HostClock | null): ClockReport | null {
  return clock && { is_synchronized: clock.isSynchronized, max_error_seconds: clock.maxErrorSeconds };
}

function clockText(clock: ClockReport | null): string {
  if (clock === null) return 'the host does not tell of it';
  if (!clock.is_synchronized)
    return 'the host does not synchronise it: answers about the present may be wrong';
  return `synchronised, right to ${clock.max_error_seconds} s`;
}

interface SigningReport {
  readonly from: string;
  readonly active: string | null;
  readonly created: string | null;
  readonly retired: number;
  readonly problem: string | null;
}

async function signingReport(store: KeyDirectory): Promise<SigningReport> {
  const none = { from: store.path, active: null, created: null, retired: 0 };
  try {
    const keys = await store.load();
    const active = activeKey(keys);
    if (active === undefined) return { ...none, retired: keys.length, problem: null };
    const created = new Date(active.createdMs).toISOString();
    return { ...none, active: active.kid, created, retired: keys.length - 1, problem: null };
  } catch (error) {
    if (error instanceof KeyStoreError) return { ...none, problem: error.message };
    throw error;
  }
}

function signingText({ from, active, created, retired, problem }: SigningReport): string {
  if (problem !== null) return problem;
  if (active === null) return `no active key in ${from}: a server makes one at its start`;
  return `${active} of ${created}, ${retired} retired, in ${from}`;
}

function asText(report: {
  meridian: typeof BUILD;
  runtime: string;
  zones: { version: string; from: string; names: number };
  boundaries: DataReport;
  ip: DataReport;
  own_networks: string | null;
  holidays: HolidaysReport;
  signing: SigningReport;
  access: AccessReport;
  state: StateReport;
  clock: ClockReport | null;
  embedded: readonly AgedDataSet[];
  stray_variables: readonly StrayVariable[];
  comparisons: readonly Comparison[];
}): string {
  const { meridian, runtime, zones, boundaries, ip, own_networks, holidays, signing, access } = report;
  const { state, stray_variables } = report;
  return [
    `meridian   ${meridian.version} (${meridian.commit}) on ${runtime}`,
    `zones      tzdata ${zones.version}, ${zones.names} names, from ${zones.from}`,
    `boundaries ${dataText(boundaries)}`,
    `ip         ${dataText(ip)}`,
    ...(own_networks === null ? [] : [`networks   own ones, from ${own_networks}`]),
    holidaysText(holidays),
    `signing    ${signingText(signing)}`,
    `access     ${accessText(access)}`,
    ...(state.warning === null ? [] : [`warning    ${state.warning}`]),
    ...stray_variables.map(stray => `warning    ${strayVariableText(stray)}`),
    `clock      ${clockText(report.clock)}`,
    ...report.embedded.map(embeddedText),
    ...report.comparisons.map(comparisonText),
  ].join('\n');
}
