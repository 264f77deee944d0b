import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../support/process.ts';

/** The median of some numbers. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The running time of each thread of a process in milliseconds, by thread id. */
type ThreadTimes = ReadonlyMap<string, number>;

/**
 * The running time of the threads of a process and its children so far, in milliseconds. Linux's `schedstat` includes network
 * interrupts, which `stat` may omit.
 */
export function threadTimes(pid: number): ThreadTimes {
  const times = new Map<string, number>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`;
    const schedstat = readIfPresent(`${folder}/schedstat`);
    if (schedstat === '') continue; // the thread has just ended
    times.set(thread, Number.parseInt(schedstat, 10) / 1e6);
    for (const child of readIfPresent(`${folder}/children`).split(' ').filter(Boolean)) {
      for (const [number, ranMs] of threadTimes(Number(child))) times.set(number, ranMs);
    }
  }
  return times;
}

/** The text of a file; '' if there is none, or if the thread that it describes ends while it is read. */
function readIfPresent(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

/** The running time of all threads between two measurements, in milliseconds. */
export function timeBetween(before: ThreadTimes, after: ThreadTimes): number {
  let ranMs = 0;
  for (const [thread, time] of after) ranMs += time - (before.get(thread) ?? 0);
  return ranMs;
}

/** Waits until a server is idle: a slow one still handles requests of disconnected clients. */
async function settled(pid: number, lookMs = 40): Promise<void> {
  let before = threadTimes(pid);
  for (let look = 0; look < MOST_LOOKS; look++) {
    await Bun.sleep(lookMs);
    const now = threadTimes(pid);
    if (timeBetween(before, now) < lookMs / 10) return;
    before = now;
  }
}

const MOST_LOOKS = 250;

/** A run of `wrk`. */
interface Wrk {
  readonly child: Bun.Subprocess;
  /** Resolves when it has ended, with the number of responses; rejects if any response is not 2xx. */
  readonly requests: Promise<number>;
}

/** The default number of a client's connections. */
export const CONNECTIONS = 32;

/** Starts `wrk` on a server for some seconds; several paths are requested in turns. */
function startWrk(
  { url, headers = {}, clientCores, connections = CONNECTIONS }: Subject,
  paths: readonly string[],
  seconds: number,
): Wrk {
  const folder = newFolder();
  const script = join(folder, 'paths.lua');
  writeFileSync(script, turnsScript(paths));
  const placed = clientCores === undefined ? [] : ['taskset', '-c', clientCores.join()];
  const threads = clientCores?.length ?? 1;
  const child = Bun.spawn(
    [
      ...placed,
      'wrk',
      ...[`-t${threads}`, `-c${connections}`, '--timeout', '30s', `-d${seconds}s`],
      ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
      ...(paths.length > 1 || paths[0]!.includes(INSTANT) ? ['-s', script] : []),
      `${url}${concretePath(paths[0]!)}`,
    ],
    { stdout: 'pipe', stderr: 'inherit' },
  );
  const requestsOf = async () => {
    const report = await new Response(child.stdout).text();
    await child.exited;
    const requests = /(\d+) requests in/.exec(report)?.[1];
    if (requests === undefined || /Non-2xx|Socket errors/.test(report))
      throw new Error(`${paths[0]}: ${report}`);
    return Number(requests);
  };
  return { child, requests: requestsOf() };
}

/** Placeholder in a path for an instant of this century in seconds since 1970, different in each request. */
export const INSTANT = '{instant}';
const CENTURY_BEGINS = 946_684_800;
const CENTURY_SECONDS = 3_000_000_000;

/** A path with an instant in place of {@link INSTANT}. */
export function concretePath(path: string): string {
  const instant = CENTURY_BEGINS + Math.floor(Math.random() * CENTURY_SECONDS);
  return path.replace(INSTANT, String(instant));
}

/** Formats the requests once and sends them in turns, except for those with an instant, which never repeat. */
function turnsScript(paths: readonly string[]): string {
  return `
local paths = { ${paths.map(path => `'${path}'`).join(', ')} }
local requests = {}
local turn = 0
-- The step is coprime with the length of the century: the instants repeat after three billion.
local instant = ${Math.floor(Math.random() * CENTURY_SECONDS)}
local function next_instant()
  instant = (instant + 1234567891) % ${CENTURY_SECONDS}
  return string.format('%.0f', ${CENTURY_BEGINS} + instant)
end
function init()
  for index, path in ipairs(paths) do
    local whole = wrk.format('GET', path)
    local from, to = whole:find('${INSTANT}', 1, true)
    requests[index] = from and { whole:sub(1, from - 1), whole:sub(to + 1) } or whole
  end
end
function request()
  turn = turn % #requests + 1
  local chosen = requests[turn]
  if type(chosen) == 'string' then return chosen end
  return chosen[1] .. next_instant() .. chosen[2]
end
`;
}

/** The result of one spell of load. */
export interface Spell {
  readonly requestsPerSecond: number;
  /** CPU time of the server's process per request, without the client's. */
  readonly cpuMicrosecondsPerRequest: number;
  /** The server's share of a core: near 1, the server was the bottleneck. */
  readonly serverShare: number;
}

/** A server under test. */
export interface Subject {
  readonly url: string;
  readonly pid: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The cores its client is pinned to, with a thread for each, so that scheduling is the same for all. */
  readonly clientCores?: readonly number[];
  /** The number of its client's connections. */
  readonly connections?: number;
}

/** Loads a server with `wrk` for some seconds; several paths are requested in turns. Throws if any response is not 2xx. */
export async function load(subject: Subject, paths: readonly string[], seconds: number): Promise<Spell> {
  await settled(subject.pid);
  const before = threadTimes(subject.pid);
  const beganMs = performance.now();
  const requests = await startWrk(subject, paths, seconds).requests;
  const elapsedMs = performance.now() - beganMs;
  return spellOf(requests, elapsedMs, timeBetween(before, threadTimes(subject.pid)));
}

/** The spell of some requests in an elapsed time and a CPU time of the server. */
function spellOf(requests: number, elapsedMs: number, ranMs: number): Spell {
  return {
    requestsPerSecond: (requests * 1000) / elapsedMs,
    cpuMicrosecondsPerRequest: (ranMs * 1000) / requests,
    serverShare: ranMs / elapsedMs,
  };
}

/** The median of each figure over some measurements. */
export function medians<Figures extends object>(measured: readonly Figures[]): Figures {
  const names = Object.keys(measured[0]!) as (keyof Figures)[];
  const medianOf = (name: keyof Figures) => median(measured.map(figures => Number(figures[name])));
  // Each member of `Figures` is a number.
  return Object.fromEntries(names.map(name => [name, medianOf(name)])) as Figures;
}

/** A server and the paths requested of it, in turns. */
export interface Target {
  readonly subject: Subject;
  readonly paths: readonly string[];
}

/**
 * How long one client works before the next one does. The speed of a shared machine changes within seconds, so that two
 * consecutive spells of one second each can differ by a third for equally fast servers.
 */
const TURN_MS = 50;
/** The responses that a halted client still awaits, 32 at most, are computed before the next one's turn. */
const LOOK_MS = 2;
/** Longer than any run: a client is stopped by a signal. */
const FOREVER_SECONDS = 3600;

/**
 * Loads servers with a `wrk` each, for `seconds` of its own running time; all but one of these clients are halted at any
 * time. The remaining noise affects all servers alike, and leaves their ratios unchanged.
 */
export async function loadInTurns(targets: readonly Target[], seconds: number): Promise<Spell[]> {
  const clients = targets.map(target => new HaltedClient(target));
  const turns = Math.ceil((seconds * 1000) / TURN_MS);
  try {
    for (let turn = 1; turn < turns; turn++) {
      // Every other round runs backwards, so that no server always follows a slow one.
      for (const client of turn % 2 === 0 ? clients : clients.toReversed()) await client.work();
    }
    const spells: Spell[] = [];
    for (const client of clients) spells.push(await client.finish());
    return spells;
  } finally {
    for (const client of clients) client.kill(); // after an error; a halted process would stay for ever
  }
}

/** A client that runs only in its turns. */
class HaltedClient {
  readonly #target: Target;
  #wrk: Wrk | undefined;
  #elapsedMs = 0;
  #ranMs = 0;

  constructor(target: Target) {
    this.#target = target;
  }

  /** Loads its server for a turn. */
  async work(): Promise<void> {
    await this.#measured(async () => {
      const { child } = this.#resume();
      await Bun.sleep(TURN_MS);
      child.kill('SIGSTOP');
    });
  }

  /** Runs the last turn and returns the totals. `wrk` takes up to a tenth of a second to stop, and keeps working meanwhile. */
  async finish(): Promise<Spell> {
    const responses = await this.#measured(async () => {
      const { child, requests } = this.#resume();
      await Bun.sleep(TURN_MS);
      child.kill('SIGINT');
      return await requests;
    });
    return spellOf(responses, this.#elapsedMs, this.#ranMs);
  }

  kill(): void {
    this.#wrk?.child.kill('SIGKILL');
  }

  #resume(): Wrk {
    this.#wrk?.child.kill('SIGCONT');
    this.#wrk ??= startWrk(this.#target.subject, this.#target.paths, FOREVER_SECONDS);
    return this.#wrk;
  }

  async #measured<Result>(turn: () => Promise<Result>): Promise<Result> {
    const { pid } = this.#target.subject;
    const before = threadTimes(pid);
    const beganMs = performance.now();
    const result = await turn();
    this.#elapsedMs += performance.now() - beganMs;
    await settled(pid, LOOK_MS);
    this.#ranMs += timeBetween(before, threadTimes(pid));
    return result;
  }
}
