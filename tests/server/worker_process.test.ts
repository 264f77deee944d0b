import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { outputOf, ownCommand } from '../../src/server/programs.ts';
import { newFolder } from '../support/process.ts';

/** Runs a supervisor to its end: its stdout, stderr and exit code. */
async function runSupervisor(...mode: readonly string[]): Promise<[string, string, number]> {
  const command = [process.execPath, join(import.meta.dir, 'supervised_worker.ts'), ...mode];
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const { stdout, stderr } = await outputOf(child);
  return [stdout, stderr, await child.exited];
}

test('a message to a worker whose channel is closed before it has exited is dropped', async () => {
  expect(await runSupervisor('disconnecting')).toEqual(['SIGKILL\n', '', 0]);
});

test('the silence of a worker counts from its readiness, however long it starts', async () => {
  expect(await runSupervisor('starting')).toEqual(['starting: 0\nready: more\n', '', 0]);
});

test('workers that do not become ready are killed and replaced, and do not block a reload', async () => {
  const hanging = ['worker does not become ready', 'worker died'];
  const expected = ['worker died', ...hanging, 'reloaded: 0 failures', ...hanging, 'worker replaced'];
  const [stdout, ...others] = await runSupervisor('hanging', newFolder());
  expect([stdout.split('\n'), ...others]).toEqual([[...expected, 'backed off: true', ''], '', 0]);
});

test('a command line of this program starts the executable, or the sources with Bun', () => {
  const program = process.execPath;
  expect(ownCommand(['check'], '/$bunfs/root/meridian', 'linux')).toEqual(['/proc/self/exe', 'check']);
  expect(ownCommand(['check'], '/$bunfs/root/meridian', 'darwin')).toEqual([program, 'check']);
  expect(ownCommand(['check'], 'B:\\~BUN\\root\\meridian.exe', 'win32')).toEqual([program, 'check']);
  expect(ownCommand(['check'], '/src/main.ts', 'linux')).toEqual([program, '/src/main.ts', 'check']);
});
