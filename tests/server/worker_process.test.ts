import { expect, test } from 'bun:test';
import { join } from 'node:path';

/** Runs a supervisor to its end: its stdout, stderr and exit code. */
async function runSupervisor(name: string): Promise<[string, string, number]> {
  const program = join(import.meta.dir, name);
  const child = Bun.spawn([process.execPath, program], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return [stdout, stderr, await child.exited];
}

test('a message to a worker whose channel is closed before it has exited is dropped', async () => {
  expect(await runSupervisor('disconnecting_worker.ts')).toEqual(['SIGKILL\n', '', 0]);
});

test('the silence of a worker counts from its readiness, however long it starts', async () => {
  expect(await runSupervisor('starting_worker.ts')).toEqual(['starting: 0\nready: more\n', '', 0]);
});
