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
