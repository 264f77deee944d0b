import { readFile } from 'node:fs/promises';
import { lastError, outputOf, ownCommand, startProgram } from '../programs.ts';
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
  const command = ownCommand(['data', 'verify', path, '--json', ...flags]);
  const child = startProgram(command, { timeout: TIMEOUT_MS, killSignal: 'SIGKILL' });
  let hasExceeded = false;
  const watch = setInterval(async () => {
    if ((await anonymousBytes(child.pid)) <= MAX_MEMORY_BYTES) return;
    hasExceeded = true;
    child.kill('SIGKILL');
  }, MEMORY_CHECK_MS);
  try {
    const { stdout, stderr } = await outputOf(child);
    if (hasExceeded) throw new Error(`its data takes more than ${MAX_MEMORY_BYTES / 1e6} MB of memory`);
    if (child.signalCode !== null) throw new Error(`its trial ended with ${child.signalCode}`);
    if (child.exitCode !== 0) throw new Error(lastError(stderr));
    return JSON.parse(stdout) as CanaryReport;
  } finally {
    clearInterval(watch);
  }
}

/** Resident anonymous memory; 0 if the system does not report it. */
async function anonymousBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}
