import { machineBusyMs, settled, threadTimes, timeBetween } from './cpu_time.ts';
import { median } from './median.ts';
import { startWrk } from './wrk.ts';

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

/** A spell that lost more than this share of a core to other processes is repeated. */
const MOST_DISTURBANCE = 0.08;
const ATTEMPTS = 4;

/**
 * Loads a server with `wrk` for some seconds; several paths are requested in turns. Retries while
 * other processes use the machine, and takes the quietest run. Throws if any response is not 2xx.
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
  subject: Subject,
  paths: readonly string[],
  seconds: number,
): Promise<{ spell: Spell; disturbance: number }> {
  await settled(subject.pid);
  const before = threadTimes(subject.pid);
  const busyBeforeMs = machineBusyMs();
  const beganMs = performance.now();
  const { requests, clientMs } = await startWrk(subject, paths, seconds).outcome;
  const elapsedMs = performance.now() - beganMs;
  const ranMs = timeBetween(before, threadTimes(subject.pid));
  const othersMs = machineBusyMs() - busyBeforeMs - ranMs - clientMs;
  return { spell: spellOf(requests, elapsedMs, ranMs), disturbance: othersMs / elapsedMs };
}

/** The spell of some requests in an elapsed time and a CPU time of the server. */
export function spellOf(requests: number, elapsedMs: number, ranMs: number): Spell {
  return {
    requestsPerSecond: (requests * 1000) / elapsedMs,
    cpuMicrosecondsPerRequest: (ranMs * 1000) / requests,
    serverShare: ranMs / elapsedMs,
  };
}

/** The median of each figure over some spells. */
export function medianSpell(spells: readonly Spell[]): Spell {
  return {
    requestsPerSecond: median(spells.map(spell => spell.requestsPerSecond)),
    cpuMicrosecondsPerRequest: median(spells.map(spell => spell.cpuMicrosecondsPerRequest)),
    serverShare: median(spells.map(spell => spell.serverShare)),
  };
}
