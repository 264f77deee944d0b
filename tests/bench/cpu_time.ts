import { readdirSync, readFileSync } from 'node:fs';

/** The running time of each thread of a process in milliseconds, by thread id. */
export type ThreadTimes = ReadonlyMap<string, number>;

/**
 * The running time of the threads of a process and its children so far, in milliseconds. Linux's `schedstat` includes network
 * interrupts, which `stat` may omit.
 */
export function threadTimes(pid: number): ThreadTimes {
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

/** The running time of all threads between two measurements, in milliseconds. */
export function timeBetween(before: ThreadTimes, after: ThreadTimes): number {
  let ranMs = 0;
  for (const [thread, time] of after) ranMs += time - (before.get(thread) ?? 0);
  return ranMs;
}

/** Waits until a server is idle: a slow one still handles requests of disconnected clients. */
export async function settled(pid: number, lookMs = 40): Promise<void> {
  let before = threadTimes(pid);
  for (let look = 0; look < MOST_LOOKS; look++) {
    await Bun.sleep(lookMs);
    const now = threadTimes(pid);
    if (timeBetween(before, now) < lookMs / 10) return;
    before = now;
  }
}

const MOST_LOOKS = 250;

/** The total busy time of all cores so far. */
export function machineBusyMs(): number {
  const [user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8')
    .slice('cpu'.length)
    .trim()
    .split(/\s+/)
    .map(Number);
  return (user! + nice! + system! + irq! + softirq!) * MS_PER_TICK;
}

const MS_PER_TICK = 10;
