import type { DataSetManifest } from '../../../data/manifest.ts';
import { EMBEDDED_DATA } from '../../../data/manifests.ts';
import { counted } from '../../common/counted.ts';
import type { HostClock } from '../../http/snapshot.ts';
import type { LazyData } from '../../places/lazy_data.ts';
import { tokenStorePath } from '../../server/access.ts';
import { BUILD } from '../../server/build_info.ts';
import { loadData } from '../../server/data_sets.ts';
import { readHostClock } from '../../server/host_clock.ts';
import { keyDirectory } from '../../server/signing_keys.ts';
import { type Environment, stateDirectory } from '../../server/state_directory.ts';
import type { KeyDirectory } from '../../signing/key_directory.ts';
import { KeyStoreError } from '../../signing/key_store.ts';
import { activeKey } from '../../signing/signing_key.ts';
import { accessReport, accessText } from '../access_report.ts';
import { defineCommand } from '../command.ts';
import { DOCTOR_FLAGS, type SettingsOf } from '../flags.ts';
import { holidaysReport, holidaysText } from '../holidays_report.ts';
import { stateReport } from '../state_report.ts';
import { strayVariables, strayVariableText } from '../stray_variables.ts';
import { compareZones, comparisonText } from '../zones_report.ts';

export const doctorCommand = defineCommand({
  name: 'doctor',
  synopsis: '[flags]',
  summary: 'report embedded data, its age and differences from this host; exit 1 if broken',
  flags: DOCTOR_FLAGS,
  async run({ settings }, { environment, print }) {
    const report = await createReport(settings, environment);
    print(settings.json ? JSON.stringify(report, null, 2) : asText(report));
    const parts = [report.boundaries, report.ip, report.signing, report.access];
    return parts.every(({ problem }) => problem === null) ? 0 : 1;
  },
});

/** Its members, in snake case, are those of `--json`. */
type Report = Awaited<ReturnType<typeof createReport>>;

async function createReport(settings: SettingsOf<typeof DOCTOR_FLAGS>, environment: Environment) {
  const { zones, holidays, boundaries, ip } = await loadData(settings);
  await Promise.all([boundaries.load(), ip.load()]);
  const nowMs = Date.now();
  return {
    meridian: BUILD,
    runtime: `Bun ${Bun.version}`,
    zones: { version: zones.version, from: settings.zoneinfo ?? 'embedded', names: zones.names().length },
    boundaries: dataReport('boundaries', boundaries, 'embedded'),
    ip: dataReport('ip', ip, settings['ip-db'] ?? 'embedded'),
    own_networks: settings['ip-zones'],
    holidays: holidaysReport(holidays, settings.calendar),
    signing: await signingReport(keyDirectory(settings, environment)),
    access: accessReport(tokenStorePath(settings, environment)),
    state: stateReport(stateDirectory(settings['state-dir'], environment)),
    clock: clockReport(readHostClock()),
    embedded: EMBEDDED_DATA.map(set => ({ ...set, age_days: daysSince(set.date, nowMs) })),
    stray_variables: strayVariables(environment),
    comparisons: compareZones(zones, settings.zoneinfo, environment['TZDIR'], Math.floor(nowMs / 1000)),
  };
}

function asText(report: Report): string {
  const { meridian, zones, own_networks, state } = report;
  return [
    `meridian   ${meridian.version} (${meridian.commit}) on ${report.runtime}`,
    `zones      tzdata ${zones.version}, ${zones.names} names, from ${zones.from}`,
    `boundaries ${dataText(report.boundaries)}`,
    `ip         ${dataText(report.ip)}`,
    ...(own_networks === null ? [] : [`networks   own, from ${own_networks}`]),
    holidaysText(report.holidays),
    `signing    ${signingText(report.signing)}`,
    `access     ${accessText(report.access)}`,
    ...(state.warning === null ? [] : [`warning    ${state.warning}`]),
    ...report.stray_variables.map(stray => `warning    ${strayVariableText(stray)}`),
    `clock      ${clockText(report.clock)}`,
    ...report.embedded.map(embeddedText),
    ...report.comparisons.map(comparisonText),
  ].join('\n');
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

function daysSince(date: string, nowMs: number): number {
  return Math.floor((nowMs - Date.parse(date)) / 86_400_000);
}

function embeddedText(set: DataSetManifest & { readonly age_days: number }): string {
  const { name, version, date, age_days, bytes, licence, source, attribution } = set;
  const size = `${(bytes / 1e6).toFixed(1)} MB`;
  const line = `embedded   ${name} ${version} of ${date}, ${counted(age_days, 'day')} old, ${size}, ${licence}, ${source}`;
  return attribution === undefined ? line : `${line}\n           ${attribution}`;
}

function clockReport(clock: HostClock | null) {
  return clock && { is_synchronized: clock.isSynchronized, max_error_seconds: clock.maxErrorSeconds };
}

function clockText(clock: ReturnType<typeof clockReport>): string {
  if (clock === null) return 'synchronization state unknown on this host';
  if (!clock.is_synchronized) return 'not synchronized by this host: the current time may be wrong';
  return `synchronized, maximum error ${clock.max_error_seconds} s`;
}

async function signingReport(store: KeyDirectory) {
  const none = { from: store.path, active: null, created: null, retired: 0, problem: null };
  try {
    const keys = await store.load();
    const active = activeKey(keys);
    if (active === undefined) return { ...none, retired: keys.length };
    const created = new Date(active.createdMs).toISOString();
    return { ...none, active: active.kid, created, retired: keys.length - 1 };
  } catch (error) {
    if (error instanceof KeyStoreError) return { ...none, problem: error.message };
    throw error;
  }
}

function signingText(report: Awaited<ReturnType<typeof signingReport>>): string {
  const { from, active, created, retired, problem } = report;
  if (problem !== null) return problem;
  if (active === null) return `no active key in ${from}: a server creates one when it starts`;
  return `${active} of ${created}, ${retired} retired, in ${from}`;
}
