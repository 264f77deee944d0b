import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import type { DataSetManifest } from '../../../data/manifest.ts';
import { MS_PER_DAY } from '../../common/civil.ts';
import { cut, messageOf, UsageError, visible } from '../../common/errors.ts';
import { utcText } from '../../common/iso_text.ts';
import { requireDate } from '../../common/settings_text.ts';
import { boundedList, counted } from '../../common/words.ts';
import { openBundle } from '../../server/bundles/bundle_file.ts';
import {
  buildBundle,
  fromFile,
  parseKeySet,
  parsePrivateKey,
  signBundle,
} from '../../server/bundles/bundle_keys.ts';
import { type CanaryReport, tryBundle } from '../../server/bundles/canary.ts';
import { DataStore } from '../../server/bundles/data_store.ts';
import { install, verifiedKeys } from '../../server/bundles/install.ts';
import { tryInProcess } from '../../server/bundles/trial.ts';
import { COMPILED_NAMES } from '../../server/data_sets.ts';
import { type LoadedData, loadInstalled } from '../../server/load_data.ts';
import { embeddedPack, type Pack, packName } from '../../server/packs.ts';
import { stateDirectory } from '../../server/state_directory.ts';
import { type ActionInput, defineActions } from '../command.ts';
import {
  argumentsFor,
  DATA_URL,
  INSTALL_SETTINGS,
  optional,
  parseCount,
  parseText,
  repeatable,
  type SettingsOf,
  single,
  toggle,
} from '../flags.ts';
import { EFFECT, labelledLines } from '../report.ts';
import { unknownName } from '../settings.ts';

const FLAGS = {
  sets: repeatable('NAME', 'a data set, such as tzdata', parseText, { fallbackText: 'all' }),
  sequence: single('N', 'sequence number', null, parseCount),
  after: optional('FILE', 'the previous bundle, from which number and key successions continue'),
  date: single('DATE', 'date of the --zoneinfo or --ip-db data', null, requireDate),
  key: optional('FILE', 'an Ed25519 private key, in PEM', { secret: 'file' }),
  successors: optional('FILE', 'public keys that replace the current ones, in JSON'),
  downgrade: toggle('accept a lower sequence number'),
  'if-newer': toggle('do nothing unless the sequence number is higher'),
  'max-changes': single('N', 'maximum zones whose current offset changes', 5, text => parseCount(text, 0)),
  'accept-changes': toggle('accept any number of such zones'),
  json: toggle('print JSON'),
  'data-url': { ...DATA_URL, help: 'the bundle, if no file is given' },
  ...INSTALL_SETTINGS,
} as const;

type Input = ActionInput<SettingsOf<typeof FLAGS>>;

export const dataCommand = defineActions({
  name: 'data',
  summary: 'data bundles: newer zones, boundaries, holidays without a new executable',
  flags: FLAGS,
  usesState: true,
  actions: {
    status: { flags: ['json'], run: printStatus },
    build: { operand: 'FILE', flags: ['sets', 'sequence', 'after', 'date'], run: build },
    sign: { operand: 'FILE', flags: ['key', 'successors'], run: sign },
    verify: { operand: 'FILE', flags: ['json'], run: verify },
    install: {
      operand: '[FILE]',
      flags: ['data-url', 'downgrade', 'if-newer', 'max-changes', 'accept-changes'],
      run: installFrom,
    },
    rollback: { run: rollback },
    pin: { operand: 'N', run: pin },
  },
});

function storeOf({ settings, context }: Input): DataStore {
  return new DataStore(stateDirectory(settings['state-dir'], context.environment));
}

/** The data in use. Unusable configured files are ignored here; `check` and `doctor` report them. */
function dataInUse(input: Input) {
  return loadInstalled(input.settings, storeOf(input), { substitute: async () => null });
}

async function printStatus(input: Input): Promise<void> {
  const { print } = input.context;
  const index = await storeOf(input).read();
  const loaded = await dataInUse(input);
  const sets = setsInUse(loaded);
  const { current, generations, pinned } = index;
  const bundles = generations.map(({ digest, sequence, installed }) => {
    return { sequence, installed, digest, is_current: digest === current };
  });
  const { bundle, problems } = loaded;
  const status = { in_use: packName(bundle?.manifest), problems, sets, bundles, pinned };
  if (input.settings.json) return print(JSON.stringify(status, null, 2));
  const inUse = sets.map(({ name, version, date, age_days, from, licence }) => {
    const age = `${counted(age_days, 'day')} old`;
    return [name, [`${version} of ${date}, ${age}, ${from}, ${licence}`]] as const;
  });
  const lines = [
    ...labelledLines(10, { problem: problems }),
    ...labelledLines(16, Object.fromEntries(inUse)),
    ...bundles.map(
      one => `bundle ${one.sequence} installed ${one.installed}${one.is_current ? ', in use' : ''}`,
    ),
    ...(pinned === null ? [] : [`pinned to bundle ${pinned}`]),
  ];
  print(lines.join('\n'));
}

function setsInUse({ packs, configured }: LoadedData) {
  return [...packs].map(([set, { manifest, sequence }]) => {
    const { name, version, date, licence, sha256 } = manifest;
    const files = isReplaced(set) ? configured.get(set)?.used?.files : undefined;
    const age_days = Math.floor((Date.now() - Date.parse(date)) / MS_PER_DAY);
    const replaced_by = files?.map(({ path }) => path) ?? null;
    return { name, version, date, licence, sha256, age_days, from: packName({ sequence }), replaced_by };
  });
}

async function build(input: Input): Promise<void> {
  const { settings, operand, context } = input;
  const before = settings.after === null ? null : await openBundle(realpathSync(settings.after));
  const sequence = settings.sequence ?? (before === null ? null : before.manifest.sequence + 1);
  if (sequence === null) throw new UsageError('data build requires --sequence N, or --after FILE');
  const packs = await packsToBuild(await dataInUse(input), settings);
  await buildBundle(operand, packs, sequence, before?.head.signatures.successions ?? []);
  const names = packs.map(({ manifest }) => `${manifest.name} ${manifest.version}`);
  context.print(`${operand}: bundle ${sequence} of ${names.join(', ')}, not signed`);
}

async function sign({ settings, operand, context }: Input): Promise<void> {
  if (settings.key === null)
    throw new UsageError('data sign requires --key FILE, an Ed25519 private key in PEM');
  const bundle = await openBundle(realpathSync(operand));
  const key = fromFile(settings.key, parsePrivateKey);
  const { successors: path } = settings;
  const successors = path === null ? null : fromFile(path, text => parseKeySet(text, 'The keys'));
  const publicKey = await signBundle(bundle, key, successors);
  context.print(`${operand}: bundle ${bundle.manifest.sequence} is signed by ${publicKey}`);
}

function keyText({ settings }: Input): string | null {
  const path = settings['data-keys'];
  return path === null ? null : fromFile(path, text => text);
}

async function verify(input: Input): Promise<void> {
  const { settings, operand, context } = input;
  const report = await verifiedReport(input).catch(error => {
    throw new Error(`Cannot use ${operand}: ${messageOf(error)}`);
  });
  context.print(settings.json ? JSON.stringify(report) : `${reportText(report)}\nno faults found`);
}

async function verifiedReport(input: Input): Promise<CanaryReport> {
  const index = await storeOf(input).read();
  const bundle = await openBundle(realpathSync(input.operand));
  verifiedKeys(bundle, index, keyText(input));
  await bundle.verifyPayloads();
  return tryBundle(bundle, input.settings, await dataInUse(input), Math.floor(Date.now() / 1000));
}

async function installFrom(input: Input): Promise<void> {
  const { settings, given, context } = input;
  const source = input.operand || settings['data-url'];
  if (source === null) throw new UsageError('data install takes a file or an https URL, or --data-url');
  const result = await install(source, storeOf(input), {
    keyText: keyText(input),
    allowsDowngrade: settings.downgrade,
    onlyNewer: settings['if-newer'],
    async tryOut(path) {
      const report = await tryInProcess(path, argumentsFor(INSTALL_SETTINGS, given));
      const { changedNow } = report;
      const { 'max-changes': limit, 'accept-changes': accepts } = settings;
      if (accepts || changedNow.length <= limit) return report;
      const changes = `it changes the current offset of ${counted(changedNow.length, 'zone')}, more than ${limit}`;
      throw new Error(`${changes}: ${boundedList(changedNow)}; --accept-changes allows it`);
    },
  });
  if (result.kind === 'unchanged') return context.print(`nothing installed: ${result.reason}`);
  context.print(`bundle ${result.report.sequence} is installed; ${EFFECT}\n${reportText(result.report)}`);
}

function reportText({ sequence, sets, changedZones, changedNow, addedZones }: CanaryReport): string {
  const effects = sets.map(({ name, version, date, licence, replaces }) => {
    const effect = replaces === null ? 'older than the embedded data, not used' : `replaces ${replaces}`;
    return [name, [`${version} of ${date}, ${effect}, ${licence}`]] as const;
  });
  const changed = changedZones.map(({ zone, sinceEpochSeconds: from }) => {
    const since = from === null ? 'from the beginning' : `since ${utcText(from * 1000)}`;
    return `${zone} ${since}${changedNow.includes(zone) ? ', at present' : ''}`;
  });
  const lines = labelledLines(16, { ...Object.fromEntries(effects), changed, added: addedZones });
  return [`bundle ${sequence}`, ...lines].join('\n');
}

async function rollback(input: Input): Promise<void> {
  const former = await storeOf(input).rollback();
  const what = former === null ? 'the data of the executable' : `bundle ${former.sequence}`;
  input.context.print(`rolled back to ${what}; ${EFFECT}`);
}

async function pin(input: Input): Promise<void> {
  const { operand, context } = input;
  if (operand !== 'off' && !/^[1-9][0-9]{0,14}$/.test(operand))
    throw new UsageError(`data pin takes a sequence number or 'off', not '${operand}'`);
  const sequence = operand === 'off' ? null : Number(operand);
  await storeOf(input).pin(sequence);
  context.print(sequence === null ? 'not pinned' : `pinned to bundle ${sequence}: no other can be installed`);
}

/**
 * The packs of a new bundle, from the data in use; configured zones and IP data replace the compiled ones. `sets`: empty for
 * all. `date`: that of configured data.
 */
async function packsToBuild(
  loaded: LoadedData,
  { sets, date }: Pick<Input['settings'], 'sets' | 'date'>,
): Promise<Pack[]> {
  const names = sets.flatMap(text => text.split(','));
  const unknown = names.find(name => !COMPILED_NAMES.includes(name));
  if (unknown !== undefined) throw unknownName(`data set '${unknown}'`, unknown, COMPILED_NAMES);
  const packs: Pack[] = [];
  for (const [set, pack] of loaded.packs) {
    const { name } = pack.manifest;
    if (names.length > 0 && !names.includes(name)) continue;
    packs.push((isReplaced(set) ? await configuredPack(set, loaded, date) : null) ?? pack);
  }
  return packs;
}

/** Whether configured files replace a set instead of extending it. */
function isReplaced(set: string): set is 'zones' | 'ip' {
  return set === 'zones' || set === 'ip';
}

/** The pack of configured zones or IP data; null if there are none. */
async function configuredPack(set: 'zones' | 'ip', { data, configured }: LoadedData, given: string | null) {
  const [file, second] = configured.get(set)?.used?.files ?? [];
  if (file === undefined) return null;
  if (second !== undefined) throw new UsageError('A bundle has one IP database: give --ip-db once');
  const { version, date } = set === 'zones' ? await releaseOfZones(data) : releaseOfIp(data);
  const dated = given ?? date;
  if (dated === null) throw new UsageError(`The date of ${file.path} is not known: give --date YYYY-MM-DD`);
  const manifest: DataSetManifest = {
    name: set === 'zones' ? 'tzdata' : 'ip',
    version: cut(visible(version), 80),
    date: dated,
    source: set === 'zones' ? 'IANA Time Zone Database, https://www.iana.org/time-zones' : 'of the operator',
    licence: set === 'zones' ? 'public domain' : 'of its publisher',
    sha256: createHash('sha256').update(file.contents).digest('hex'),
    bytes: file.contents.length,
  };
  return embeddedPack(manifest, () => file.contents);
}

async function releaseOfZones({ zones: { version }, releases }: LoadedData['data']) {
  await releases.load();
  const known = releases.get().releases.find(release => release.version === version);
  return { version, date: known?.released ?? null };
}

function releaseOfIp({ ip }: LoadedData['data']) {
  const release = ip.get().release;
  return { version: release?.name ?? 'unknown', date: release?.date ?? null };
}
