import { expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BINARY, run } from '../support/process.ts';

const hasPrograms = ['strace', 'systemd-analyze'].every(program => Bun.which(program) !== null);

/** The system calls of a set such as `@system-service`, including nested sets. */
function callsOf(name: string): string[] {
  if (!name.startsWith('@')) return [name];
  const { stdout } = Bun.spawnSync(['systemd-analyze', '--no-pager', 'syscall-filter', name]);
  const lines = stdout.toString().split('\n').slice(1);
  return lines
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('#'))
    .flatMap(callsOf);
}

/** The system calls that a unit allows: its filters applied in order, each adding or removing calls. */
function allowedBy(unit: string): Set<string> {
  const allowed = new Set(callsOf('@default'));
  for (const [, not, names] of unit.matchAll(/^SystemCallFilter=(~?)(.*)$/gm)) {
    for (const call of names!.split(' ').flatMap(callsOf)) {
      if (not === '~') allowed.delete(call);
      else allowed.add(call);
    }
  }
  return allowed;
}

/** Resolves when a text appears in a stream. */
async function heard(stream: ReadableStream<Uint8Array>, words: string): Promise<void> {
  let text = '';
  for await (const chunk of stream) {
    text += new TextDecoder().decode(chunk);
    if (text.includes(words)) return;
  }
  throw new Error(`'${words}' did not appear in: ${text}`);
}

test.skipIf(process.platform !== 'linux' || !hasPrograms)(
  'the unit allows every system call that a server makes (requires Linux, strace, systemd)',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'meridian-'));
    const socket = join(folder, 'socket');
    const flags = ['--listen', `unix:${socket}`, '--listen', '127.0.0.1:0', '--workers', '2'];
    const { stdout: unit } = await run(['systemd-unit', ...flags]);
    const traced = Bun.spawn(
      ['strace', '-ff', '-qq', '-o', join(folder, 'calls'), BINARY, 'serve', ...flags, '--state-dir', folder],
      { stdout: 'pipe', stderr: 'pipe', stdin: 'ignore', env: {} },
    );
    await heard(traced.stdout, 'meridian listening');
    for (const path of [
      '/v1/time/current?lat=1&lon=2&sign=true',
      '/v1/timezone?ip=8.8.8.8',
      '/metrics',
      '/docs',
    ]) {
      expect((await fetch(`http://localhost${path}`, { unix: socket })).status).toBe(200);
    }
    // strace does not forward signals: the server is its child.
    const children = readFileSync(`/proc/${traced.pid}/task/${traced.pid}/children`, 'utf8');
    const server = Number(children.trim());
    process.kill(server, 'SIGHUP');
    await heard(traced.stderr, 'reloaded');
    process.kill(server, 'SIGTERM');
    await traced.exited;

    const made = readdirSync(folder)
      .filter(name => name.startsWith('calls.'))
      .flatMap(name => [...readFileSync(join(folder, name), 'latin1').matchAll(/^(\w+)\(/gm)])
      .map(([, call]) => call!);
    const allowed = allowedBy(unit);
    expect(allowed.has('read') && !allowed.has('reboot') && !allowed.has('mount')).toBe(true);
    expect(new Set(made).size).toBeGreaterThan(40);
    expect([...new Set(made)].filter(call => !allowed.has(call))).toEqual([]);
    rmSync(folder, { recursive: true });
  },
  60_000,
);
