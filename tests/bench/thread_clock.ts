import { libc } from '../../src/server/system_calls.ts';

/** `CLOCK_THREAD_CPUTIME_ID` of Linux. */
const THREAD_CPU_TIME = 3;

const timespec = new BigInt64Array(2);

/**
 * The CPU time of this thread so far in milliseconds: waiting for other processes is not included, so that a busy machine does
 * not matter. Linux only.
 */
export function threadMs(): number {
  if (libc()?.clock_gettime(THREAD_CPU_TIME, timespec) !== 0)
    throw new Error('There is no clock of the CPU time of a thread here');
  return Number(timespec[0]) * 1e3 + Number(timespec[1]) / 1e6;
}

/** The longest time for which other tasks waited for this thread, in milliseconds of its CPU time. */
export async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = threadMs();
  const turn = () => {
    const now = threadMs();
    longest = Math.max(longest, now - last);
    last = now;
  };
  let timer = setImmediate(function next() {
    turn();
    timer = setImmediate(next);
  });
  await work();
  clearImmediate(timer);
  turn();
  return longest;
}
