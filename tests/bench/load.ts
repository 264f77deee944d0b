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
}

const CONNECTIONS = 32;

/** A spell in which the server waited longer than this for a core was disturbed, and is done again. */
const MOST_WAITING_SHARE = 0.08;
const ATTEMPTS = 3;

/**
 * Loads a server with `wrk` for some seconds from one thread; several paths are asked in turns. Throws where any
 * answer is not 2xx.
 */
export async function load(subject: Subject, paths: readonly string[], seconds: number): Promise<Spell> {
  let quietest: { readonly spell: Spell; readonly waitingShare: number } | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const outcome = await loadOnce(subject, paths, seconds);
    if (quietest === undefined || outcome.waitingShare < quietest.waitingShare) quietest = outcome;
    if (quietest.waitingShare < MOST_WAITING_SHARE) break;
  }
  return quietest!.spell;
}

async function loadOnce(
  { url, pid, headers = {} }: Subject,
  paths: readonly string[],
  seconds: number,
): Promise<{ spell: Spell; waitingShare: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'meridian-load-'));
  const script = join(folder, 'paths.lua');
  writeFileSync(script, turnsScript(paths));
  await settled(pid);
  const before = threadTimes(pid);
  const beganMs = performance.now();
  const report = await wrk([
    `-d${seconds}s`,
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    ...(paths.length > 1 ? ['-s', script] : []),
    `${url}${paths[0]}`,
  ]);
  const elapsedMs = performance.now() - beganMs;
  const { ranMs, waitedMs } = timeBetween(before, threadTimes(pid));
  rmSync(folder, { recursive: true });
  if (/Non-2xx|Socket errors/.test(report)) throw new Error(`${paths[0]}: ${report}`);
  const requests = Number(/(\d+) requests in/.exec(report)?.[1]);
  const spell: Spell = {
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(report)?.[1]),
    cpuMicrosecondsPerRequest: (ranMs * 1000) / requests,
    serverShare: ranMs / elapsedMs,
  };
  return { spell, waitingShare: waitedMs / elapsedMs };
}

async function wrk(args: readonly string[]): Promise<string> {
  const child = Bun.spawn(['wrk', '-t1', `-c${CONNECTIONS}`, '--timeout', '30s', ...args], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  return await new Response(child.stdout).text();
}

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
    if (timeBetween(before, now).ranMs < LOOK_MS / 10) return;
    before = now;
  }
}

const LOOK_MS = 40;
const MOST_LOOKS = 250;

/** What a thread has had of the cores so far, as Linux's `schedstat` has it: interrupts for the network included. */
interface ThreadTime {
  readonly ranMs: number;
  /** Ready to run, but another had the core. */
  readonly waitedMs: number;
}

/** The time of all threads of a process and its children, by number. */
function threadTimes(pid: number): Map<string, ThreadTime> {
  const times = new Map<string, ThreadTime>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`;
    const [ran, waited] = readFileSync(`${folder}/schedstat`, 'utf8').split(' ').map(Number);
    times.set(thread, { ranMs: ran! / 1e6, waitedMs: waited! / 1e6 });
    for (const child of readFileSync(`${folder}/children`, 'utf8').split(' ').filter(Boolean)) {
      for (const [number, time] of threadTimes(Number(child))) times.set(number, time);
    }
  }
  return times;
}

/** What came to pass between two looks at the threads of a process. */
function timeBetween(before: Map<string, ThreadTime>, after: Map<string, ThreadTime>): ThreadTime {
  let [ranMs, waitedMs] = [0, 0];
  for (const [thread, time] of after) {
    ranMs += time.ranMs - (before.get(thread)?.ranMs ?? 0);
    waitedMs += time.waitedMs - (before.get(thread)?.waitedMs ?? 0);
  }
  return { ranMs, waitedMs };
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
