import { readdirSync, readFileSync } from 'node:fs';

/** For how many milliseconds each thread of a process has run, by its number. */
export type ThreadTimes = ReadonlyMap<string, number>;

/**
 * For how many milliseconds the threads of a process and its children have run so far. Linux's `schedstat` counts the
 * interrupts for the network in, as `stat` may not.
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

/** For how many milliseconds all threads ran between two looks at them. */
export function timeBetween(before: ThreadTimes, after: ThreadTimes): number {
  let ranMs = 0;
  for (const [thread, time] of after) ranMs += time - (before.get(thread) ?? 0);
  return ranMs;
}

/** Waits until a server is idle: a slow one still handles requests whose clients are gone. */
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

/** How long all cores together have been busy so far. */
export function machineBusyMs(): number {
  const [user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8')
    .slice('cpu'.length)
    .trim()
    .split(/\s+/)
    .map(Number);
  return (user! + nice! + system! + irq! + softirq!) * MS_PER_TICK;
}

const MS_PER_TICK = 10;
