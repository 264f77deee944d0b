import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What one spell of load came to. */
export interface Spell {
  readonly requestsPerSecond: number;
  /** Time of the server's process on all cores, for one request: free of what the client takes. */
  readonly cpuMicrosecondsPerRequest: number;
  /** How much of a core the server took: near 1, it was the server that set the pace. */
  readonly serverShare: number;
}

/** A server under test. */
export interface Subject {
  readonly url: string;
  readonly pid: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The cores that its client keeps to, with a thread for each: what the scheduler does is then the same for all. */
  readonly clientCores?: readonly number[];
}

/** Of each thread of the client. */
const CONNECTIONS = 32;

/** A spell that lost more than this part of a core to anything else is done again. */
const MOST_DISTURBANCE = 0.08;
const ATTEMPTS = 4;

/**
 * Loads a server with `wrk` for some seconds; several paths are asked in turns. Where something else
 * keeps the machine busy it tries again, and takes the quietest spell. Throws where any answer is not 2xx.
 */
export async function load(
  subject: Subject,
  paths: readonly string[],
  seconds: number,
  attempts = ATTEMPTS,
): Promise<Spell> {
  let quietest: { readonly spell: Spell; readonly disturbance: number } | undefined;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const outcome = await loadOnce(subject, paths, seconds);
    if (quietest === undefined || outcome.disturbance < quietest.disturbance) quietest = outcome;
    if (quietest.disturbance < MOST_DISTURBANCE) break;
  }
  return quietest!.spell;
}

async function loadOnce(
  { url, pid, headers = {}, clientCores }: Subject,
  paths: readonly string[],
  seconds: number,
): Promise<{ spell: Spell; disturbance: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'meridian-load-'));
  const script = join(folder, 'paths.lua');
  writeFileSync(script, turnsScript(paths));
  await settled(pid);
  const before = threadTimes(pid);
  const busyBeforeMs = machineBusyMs();
  const beganMs = performance.now();
  const { report, clientMs } = await wrk(
    [
      `-d${seconds}s`,
      ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
      ...(paths.length > 1 ? ['-s', script] : []),
      `${url}${paths[0]}`,
    ],
    clientCores,
  );
  const elapsedMs = performance.now() - beganMs;
  const ranMs = timeBetween(before, threadTimes(pid));
  const othersMs = machineBusyMs() - busyBeforeMs - ranMs - clientMs;
  rmSync(folder, { recursive: true });
  if (/Non-2xx|Socket errors/.test(report)) throw new Error(`${paths[0]}: ${report}`);
  const requests = Number(/(\d+) requests in/.exec(report)?.[1]);
  const spell: Spell = {
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(report)?.[1]),
    cpuMicrosecondsPerRequest: (ranMs * 1000) / requests,
    serverShare: ranMs / elapsedMs,
  };
  return { spell, disturbance: othersMs / elapsedMs };
}

/** Runs `wrk`: what it reports, and its own time on a core. */
async function wrk(
  args: readonly string[],
  cores: readonly number[] | undefined,
): Promise<{ report: string; clientMs: number }> {
  const placed = cores === undefined ? [] : ['taskset', '-c', cores.join()];
  const threads = cores?.length ?? 1;
  const child = Bun.spawn(
    [...placed, 'wrk', `-t${threads}`, `-c${threads * CONNECTIONS}`, '--timeout', '30s', ...args],
    {
      stdout: 'pipe',
      stderr: 'inherit',
    },
  );
  const report = await new Response(child.stdout).text();
  await child.exited;
  return { report, clientMs: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000 };
}

/** How long all cores together have been busy so far. */
function machineBusyMs(): number {
  const [user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8')
    .slice('cpu'.length)
    .trim()
    .split(/\s+/)
    .map(Number);
  return (user! + nice! + system! + irq! + softirq!) * MS_PER_TICK;
}

const MS_PER_TICK = 10;

/** Makes the requests once and hands them out in turns. */
function turnsScript(paths: readonly string[]): string {
  return `
local paths = { ${paths.map(path => `'${path}'`).join(', ')} }
local requests = {}
local turn = 0
function init()
  for index, path in ipairs(paths) do requests[index] = wrk.format('GET', path) end
end
function request()
  turn = turn % #requests + 1
  return requests[turn]
end
`;
}

/** Waits until a server has nothing left to do: a slow one still answers requests whose callers are gone. */
async function settled(pid: number): Promise<void> {
  let before = threadTimes(pid);
  for (let look = 0; look < MOST_LOOKS; look++) {
    await Bun.sleep(LOOK_MS);
    const now = threadTimes(pid);
    if (timeBetween(before, now) < LOOK_MS / 10) return;
    before = now;
  }
}

const LOOK_MS = 40;
const MOST_LOOKS = 250;

/**
 * For how many milliseconds the threads of a process and its children, by number, have run so far. Linux's
 * `schedstat` counts the interrupts for the network in, as `stat` may not.
 */
function threadTimes(pid: number): Map<string, number> {
  const times = new Map<string, number>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`;
    times.set(thread, Number.parseInt(readFileSync(`${folder}/schedstat`, 'utf8'), 10) / 1e6);
    for (const child of readFileSync(`${folder}/children`, 'utf8').split(' ').filter(Boolean)) {
      for (const [number, ranMs] of threadTimes(Number(child))) times.set(number, ranMs);
    }
  }
  return times;
}

/** For how many milliseconds all threads ran between two looks at them. */
function timeBetween(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): number {
  let ranMs = 0;
  for (const [thread, time] of after) ranMs += time - (before.get(thread) ?? 0);
  return ranMs;
}

/** The middle of some numbers. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The middle of each figure of some spells. */
export function medianSpell(spells: readonly Spell[]): Spell {
  return {
    requestsPerSecond: median(spells.map(spell => spell.requestsPerSecond)),
    cpuMicrosecondsPerRequest: median(spells.map(spell => spell.cpuMicrosecondsPerRequest)),
    serverShare: median(spells.map(spell => spell.serverShare)),
  };
}
