/**
 * `make bench`: how fast each route is, held against a bare Elysia server in the same run.
 * All is measured in short spells that take turns, so that a noisy machine is noisy to all alike; medians are shown.
 * `--rounds N` and `--seconds N` make it longer, `--only TEXT` chooses scenarios by name, with those that they are held
 * against. Wants `wrk`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { run, startServer } from '../binary/process.ts';
import { load, median, type Spell, type Subject } from './load.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { measureStart } from './start.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
});
if (Bun.which('wrk') === null) throw new Error('wrk is wanted: apt-get install wrk');

const scenarios = SCENARIOS.filter(scenario =>
  SCENARIOS.some(chosen => chosen.name.includes(values.only) && isNeeded(scenario, chosen)),
);

/** Whether a scenario is the chosen one, or what that is held against, or what this in turn. */
function isNeeded(scenario: Scenario, chosen: Scenario): boolean {
  if (scenario === chosen) return true;
  const against = SCENARIOS.find(({ name }) => name === chosen.against);
  return against !== undefined && isNeeded(scenario, against);
}

using meridian = await startServer();
const subject: Subject = { url: meridian.url, pid: meridian.child.pid };
const folder = mkdtempSync(join(tmpdir(), 'meridian-bench-'));
const keyed = await startKeyed(folder);
const bare = await startPeer(
  'bare.ts',
  scenarios.map(({ path }) => meridian.url + path),
);
const oneSignature = await startPeer('one_signature.ts');

/** Starts meridian with a key whose plan has limits that no load reaches. */
async function startKeyed(state: string): Promise<Subject & { kill: () => void }> {
  const plans = join(state, 'plans.toml');
  writeFileSync(
    plans,
    '[plans.default]\nrequests_per_second = 1_000_000\nrequests_per_month = 1_000_000_000_000\n',
  );
  const env = { MERIDIAN_STATE_DIR: state };
  const { stdout } = await run(['tokens', 'add', '--name', 'bench'], { env });
  const { url, child } = await startServer(['--plans', plans], env);
  const headers = { Authorization: `Bearer ${stdout.trim()}` };
  return { url, pid: child.pid, headers, kill: () => child.kill() };
}

/** Starts a server that meridian is held against. */
async function startPeer(
  program: string,
  args: readonly string[] = [],
): Promise<Subject & { kill: () => void }> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, program), ...args], { stdout: 'pipe' });
  const { value } = await child.stdout.getReader().read();
  const url = /listening on (\S+)/.exec(new TextDecoder().decode(value))![1]!;
  return { url, pid: child.pid, kill: () => child.kill() };
}

/** The server and path that a scenario is held against, or null where it is another scenario. */
function opponent({ against, path }: Scenario): { subject: Subject; path: string } | null {
  if (against === 'one signature') return { subject: oneSignature, path: path.replace('&sign=true', '') };
  if (against !== 'json' && against !== 'bytes') return null;
  return { subject: bare, path: `/${against}${path}` };
}

const spells = new Map<string, Spell[]>();
function note(key: string, spell: Spell): void {
  spells.set(key, [...(spells.get(key) ?? []), spell]);
}

const seconds = Number(values.seconds);
for (let round = -1; round < Number(values.rounds); round++) {
  for (const scenario of scenarios) {
    const other = opponent(scenario);
    const ours = await load(scenario.keyed ? keyed : subject, scenario.path, seconds);
    const theirs = other === null ? null : await load(other.subject, other.path, seconds);
    if (round < 0) continue; // the first round warms up
    note(scenario.name, ours);
    if (theirs !== null) note(`against ${scenario.name}`, theirs);
  }
}
bare.kill();
keyed.kill();
rmSync(folder, { recursive: true });
oneSignature.kill();

const columns = ['requests/s', 'µs CPU', 'against', 'ratio req/s', 'ratio CPU', 'wanted', 'payloads/s'];
console.log(`\nBun ${Bun.version}, ${cpus()[0]?.model}, ${cpus().length} cores, ${values.rounds} rounds`);
console.log(['scenario'.padEnd(26), ...columns.map(column => column.padStart(13))].join(''));
for (const scenario of scenarios) {
  const ours = spells.get(scenario.name)!;
  const isBare = opponent(scenario) !== null;
  const theirs = spells.get(isBare ? `against ${scenario.name}` : scenario.against) ?? [];
  const rate = (list: readonly Spell[]) => median(list.map(spell => spell.requestsPerSecond));
  const cpu = (list: readonly Spell[]) => median(list.map(spell => spell.cpuMicrosecondsPerRequest));
  const cells = [
    rate(ours).toFixed(0),
    cpu(ours).toFixed(1),
    scenario.against,
    (rate(ours) / rate(theirs)).toFixed(2),
    (cpu(theirs) / cpu(ours)).toFixed(2),
    scenario.wanted.toFixed(2),
    scenario.payloads === undefined ? '' : (rate(ours) * scenario.payloads).toFixed(0),
  ];
  console.log([scenario.name.padEnd(26), ...cells.map(cell => cell.padStart(13))].join(''));
}
console.log(`\n${await measureStart()}`);
Bun.spawnSync([process.execPath, join(import.meta.dir, 'lookups.ts')], {
  stdout: 'inherit',
  stderr: 'inherit',
});
