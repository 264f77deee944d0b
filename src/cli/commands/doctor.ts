import { EMBEDDED_DATA } from '../../../data/manifests.ts';
import { counted } from '../../common/counted.ts';
import { visible } from '../../common/message_of.ts';
import type { LazyData } from '../../places/lazy_data.ts';
import { tokenStorePath } from '../../server/access.ts';
import { BUILD } from '../../server/build_info.ts';
import { packName } from '../../server/data_pack.ts';
import type { Setting } from '../../server/data_sets/data_set.ts';
import { readHostClock } from '../../server/host_clock.ts';
import { keyDirectory } from '../../server/signing_keys.ts';
import { type Environment, stateDirectory } from '../../server/state_directory.ts';
import { defineCommand } from '../command.ts';
import { DOCTOR_FLAGS, SERVE_FLAGS } from '../flags.ts';
import { holidaysReport, holidaysText } from '../holidays_report.ts';
import { inspectSettings } from '../inspection.ts';
import { type CommandLine, inspectCommandLine, type SettingSources, type SettingTexts } from '../settings.ts';
import { accessReport, accessText, signingReport, signingText, stateReport } from '../state_report.ts';
import { strayVariables, strayVariableText } from '../stray_variables.ts';
import { compareZones, comparisonText } from '../zones_report.ts';

export const doctorCommand = defineCommand({
  name: 'doctor',
  synopsis: '[flags]',
  summary: 'report on data, keys, settings and differences from this host; exit 1 on problems',
  flags: DOCTOR_FLAGS,
  usesState: true,
  reportsFaults: true,
  async run(line, context) {
    const report = await createReport(serverLine(line.given, context), context.environment);
    context.print(line.settings.json ? JSON.stringify(report, null, 2) : asText(report));
    const parts = [report.boundaries, report.ip, report.places, report.signing, report.access];
    const isSound = report.faults.length === 0 && parts.every(({ problem }) => problem === null);
    return isSound ? 0 : 1;
  },
});

const MS_PER_DAY = 86_400_000;

/** Its members are in snake case, since `--json` prints them. */
type Report = Awaited<ReturnType<typeof createReport>>;

/** The settings that a server would have with the flags given to `doctor`. */
function serverLine(given: SettingTexts, sources: SettingSources): CommandLine<typeof SERVE_FLAGS> {
  const flags = [...given].filter(([name]) => Object.hasOwn(SERVE_FLAGS, name));
  const args = flags.flatMap(([name, texts]) => texts.map(text => `--${name}=${text}`));
  return inspectCommandLine(SERVE_FLAGS, args, sources);
}

async function createReport(line: CommandLine<typeof SERVE_FLAGS>, environment: Environment) {
  const { settings } = line;
  const { data, files, packs, faults } = await inspectSettings(settings, environment);
  const { zones, holidays, schedules, boundaries, ip, gazetteer } = data;
  const sourceOf = (setting: Setting) =>
    files
      .get(setting)
      ?.map(({ path }) => path)
      .join(', ') ?? null;
  const compiledIn = (name: keyof typeof data) => packName(packs.get(name));
  await Promise.all([boundaries.load(), ip.load(), gazetteer.load()]);
  const nowMs = Date.now();
  const clock = readHostClock();
  return {
    meridian: BUILD,
    runtime: `Bun ${Bun.version}`,
    faults: [...line.faults, ...faults],
    zones: {
      version: zones.version,
      from: sourceOf('zoneinfo') ?? compiledIn('zones'),
      names: zones.names().length,
    },
    boundaries: dataReport('boundaries', boundaries, compiledIn('boundaries')),
    ip: dataReport('ip', ip, sourceOf('ip-db') ?? compiledIn('ip')),
    places: dataReport('places', gazetteer, compiledIn('gazetteer')),
    own_networks: sourceOf('ip-zones'),
    holidays: holidaysReport(holidays, sourceOf('calendar')),
    schedules: schedules.size === 0 ? null : { from: sourceOf('schedules'), names: [...schedules.keys()] },
    signing: await signingReport(keyDirectory(settings, environment)),
    access: accessReport(tokenStorePath(settings, environment)),
    state: stateReport(stateDirectory(settings['state-dir'], environment)),
    clock: clock && { is_synchronized: clock.isSynchronized, max_error_seconds: clock.maxErrorSeconds },
    embedded: EMBEDDED_DATA.map(set => ({
      ...set,
      age_days: Math.floor((nowMs - Date.parse(set.date)) / MS_PER_DAY),
    })),
    stray_variables: strayVariables(environment),
    comparisons: compareZones(zones, sourceOf('zoneinfo'), environment['TZDIR'], Math.floor(nowMs / 1000)),
  };
}

function asText(report: Report): string {
  const { meridian, zones, own_networks, schedules, state } = report;
  return [
    `meridian   ${meridian.version} (${meridian.commit}) on ${report.runtime}`,
    ...report.faults.map(fault => `fault      ${visible(fault)}`),
    `zones      tzdata ${zones.version}, ${zones.names} names, from ${zones.from}`,
    `boundaries ${dataText(report.boundaries)}`,
    `ip         ${dataText(report.ip)}`,
    `places     ${dataText(report.places)}`,
    ...(own_networks === null ? [] : [`networks   own, from ${own_networks}`]),
    holidaysText(report.holidays),
    ...(schedules === null ? [] : [`schedules  ${schedules.names.join(', ')} from ${schedules.from}`]),
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

function embeddedText(set: Report['embedded'][number]): string {
  const { name, version, date, age_days, bytes, licence, source, attribution } = set;
  const size = `${(bytes / 1e6).toFixed(1)} MB`;
  const line = `embedded   ${name} ${version} of ${date}, ${counted(age_days, 'day')} old, ${size}, ${licence}, ${source}`;
  return attribution === undefined ? line : `${line}\n           ${attribution}`;
}

function clockText(clock: Report['clock']): string {
  if (clock === null) return 'synchronization state unknown on this host';
  if (!clock.is_synchronized) return 'not synchronized by this host: the current time may be wrong';
  return `synchronized, maximum error ${clock.max_error_seconds} s`;
}
