import { readFile } from 'node:fs/promises';
import { ownCommand } from '../succession.ts';
import type { CanaryReport } from './canary.ts';

/** Limit for anonymous memory; the mapped executable is shared. A bundle with boundaries takes about 110 MB. */
const MAX_MEMORY_BYTES = 200e6;
const MEMORY_CHECK_MS = 20;
const TIMEOUT_MS = 300_000;

/**
 * Tests a bundle with `meridian data verify` in a separate process, which is killed if it takes too much memory or time.
 * `flags` are the flags of the data in use. Rejects with the reason if the bundle must not be used.
 */
export async function tryInProcess(path: string, flags: readonly string[]): Promise<CanaryReport> {
  const child = Bun.spawn(ownCommand(['data', 'verify', path, '--json', ...flags]), {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  let hasExceeded = false;
  const watch = setInterval(async () => {
    if ((await anonymousBytes(child.pid)) <= MAX_MEMORY_BYTES) return;
    hasExceeded = true;
    child.kill('SIGKILL');
  }, MEMORY_CHECK_MS);
  try {
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    if (hasExceeded) throw new Error(`its data takes more than ${MAX_MEMORY_BYTES / 1e6} MB of memory`);
    if (child.signalCode !== null) throw new Error(`its trial ended with ${child.signalCode}`);
    if (child.exitCode !== 0) throw new Error(reasonIn(stderr));
    return JSON.parse(stdout) as CanaryReport;
  } finally {
    clearInterval(watch);
  }
}

/** The last error that a command printed. */
export function reasonIn(stderr: string): string {
  const [last = ''] = stderr.trimEnd().split('\n').slice(-1);
  return last.replace(/^(?:<\d>)?meridian: /, '') || 'its trial failed without a message';
}

/** Resident anonymous memory; 0 if the system does not report it. */
async function anonymousBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}
