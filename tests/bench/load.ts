import { machineBusyMs, settled, threadTimes, timeBetween } from './cpu_time.ts';
import { median } from './median.ts';
import { startWrk } from './wrk.ts';

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
  /** How many connections its client has. */
  readonly connections?: number;
}

/** A spell that lost more than this part of a core to anything else is done again. */
const MOST_DISTURBANCE = 0.08;
const ATTEMPTS = 4;

/**
 * Loads a server with `wrk` for some seconds; several paths are requested in turns. If something else
 * uses the machine, it tries again and takes the quietest run. Throws if any response is not 2xx.
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

/** What some requests came to that took so long, and as much of the server's time. */
export function spellOf(requests: number, elapsedMs: number, ranMs: number): Spell {
  return {
    requestsPerSecond: (requests * 1000) / elapsedMs,
    cpuMicrosecondsPerRequest: (ranMs * 1000) / requests,
    serverShare: ranMs / elapsedMs,
  };
}

/** The middle of each figure of some spells. */
export function medianSpell(spells: readonly Spell[]): Spell {
  return {
    requestsPerSecond: median(spells.map(spell => spell.requestsPerSecond)),
    cpuMicrosecondsPerRequest: median(spells.map(spell => spell.cpuMicrosecondsPerRequest)),
    serverShare: median(spells.map(spell => spell.serverShare)),
  };
}
