import { expect, test } from 'bun:test';
import { join } from 'node:path';

test('a message to a worker whose channel is closed before it has exited is dropped', async () => {
  const program = join(import.meta.dir, 'disconnecting_worker.ts');
  const child = Bun.spawn([process.execPath, program], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect([stdout, stderr, await child.exited]).toEqual(['SIGKILL\n', '', 0]);
});
