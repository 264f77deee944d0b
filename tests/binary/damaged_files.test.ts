import { afterAll, expect, test } from 'bun:test';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkCommand } from '../../src/cli/commands/doctor.ts';
import { BINARY, run } from '../support/process.ts';
import { expectNoDifferences, sample } from '../support/proof.ts';
import { damaged, damages, newFolder, type Row, readTable, SUBJECTS, type Subject } from './damaged_files.ts';

const hasOpenssl = Bun.which('openssl') !== null;
/** A proof takes ten minutes, during which all tests run. */
const TIMEOUT_MS = 1_800_000;
/** How many variants of a damage are tested with whole server lives, unless this is a proof. */
const LIVES = 2;
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}, TIMEOUT_MS);

/** Starts a server, and returns the outcome: `served`, `embedded`, `last-good` or `refused`. */
async function startedOutcome(args: readonly string[], whileRunning?: (pid: number) => Promise<void>) {
  const child = Bun.spawn([BINARY, 'serve', '--listen', '127.0.0.1:0', ...args], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const url = await listeningUrl(child.stdout);
  if (url === undefined) {
    const stderr = await new Response(child.stderr).text();
    // The error that `check` also reports, after log lines; not a crash.
    const outcome = `exit ${await child.exited}: ${stderr}`;
    expect(outcome).toMatch(/^exit [12]: (?:\{.*\n)*meridian: .+\n$/);
    // The file is the reason for the refusal, not the machine.
    expect(outcome).not.toContain('Cannot listen');
    return 'refused';
  }
  const response = await fetch(`${url}/readyz`, { tls: { rejectUnauthorized: false } });
  const degraded = /^\S+ degraded (?<detail>.*)$/m.exec(await response.text())?.groups?.['detail'];
  expect(response.status).toBe(200);
  // No request may fail because of the damage.
  const zone = await fetch(`${url}/v1/time/current?tz=America/New_York`, {
    tls: { rejectUnauthorized: false },
  });
  expect([200, 401]).toContain(zone.status);
  await whileRunning?.(child.pid);
  child.kill('SIGTERM');
  expect(await child.exited).toBe(0);
  if (degraded === undefined) return 'served';
  return degraded.includes('the last good copy') ? 'last-good' : 'embedded';
}

async function listeningUrl(stdout: ReadableStream<Uint8Array>): Promise<string | undefined> {
  let text = '';
  for await (const chunk of stdout) {
    text += new TextDecoder().decode(chunk);
    const url = /^meridian listening on (\S+)\n/m.exec(text)?.[1];
    if (url !== undefined) return url;
  }
  return undefined;
}

/** The outcomes of one variant of a damage, in three lives of a server. */
async function outcomes(folder: string, subject: Subject, contents: Uint8Array | undefined) {
  const start = await withState(folder, subject, async ({ args, path }) => {
    using _ = damaged(path, contents);
    const { exitCode } = await run(['check', ...args]);
    const outcome = await startedOutcome(args);
    expect([outcome, exitCode]).toEqual([outcome, outcome === 'served' ? 0 : 1]);
    return outcome;
  });
  return await withState(folder, subject, async ({ args, path, state }) => {
    using damage = new DisposableStack();
    let reload = '';
    const before = await startedOutcome(args, async pid => {
      damage.use(damaged(path, contents));
      const { exitCode, stdout } = await run(['reload', String(pid), '--state-dir', state]);
      const successor = /^process (\d+) has taken over/m.exec(stdout)?.[1];
      if (successor !== undefined) process.kill(Number(successor));
      reload = exitCode === 0 ? 'served' : 'kept';
    });
    expect(before).toBe('served');
    return { start, reload, boot: await startedOutcome(args) };
  });
}

/** Runs with a copy of the state directory, which may contain the subject. */
async function withState<Result>(
  folder: string,
  { args, path }: Subject,
  work: (copied: Subject & { state: string }) => Promise<Result>,
): Promise<Result> {
  const copy = newFolder();
  folders.push(copy);
  const [original, state] = [join(folder, 'state'), join(copy, 'state')];
  cpSync(original, state, { recursive: true });
  return await work({ args: [...args, '--state-dir', state], path: path.replace(original, state), state });
}

const AGREEING = [
  { start: 'served', reload: 'served', boot: 'served' },
  { start: 'embedded', reload: 'kept', boot: 'last-good' },
  { start: 'refused', reload: 'kept', boot: 'refused' },
];

const TABLE = Object.groupBy(readTable(), ({ file }) => file);

test('the table has every file', () => {
  expect(Object.keys(TABLE)).toEqual(Object.keys(SUBJECTS));
});

for (const [file, rows = []] of Object.entries(TABLE)) {
  const isSkipped = file.startsWith('tls-') && !hasOpenssl;
  const name = `${file}: damage has the outcomes of the table${file.startsWith('tls-') ? ' (requires openssl)' : ''}`;
  // The processes of a file run sequentially, and mostly wait.
  (isSkipped ? test.skip : test.concurrent)(
    name,
    async () => {
      const folder = newFolder();
      folders.push(folder);
      const subject = await SUBJECTS[file]!(folder);
      const differences: string[] = [];
      let lives = 0;
      for (const row of rows) {
        const found = await compare(row, folder, subject);
        lives += found.lives;
        differences.push(...found.differences);
      }
      expectNoDifferences(`outcomes of a damaged ${file}`, lives, differences);
    },
    TIMEOUT_MS,
  );
}

/**
 * Compares the outcomes of all variants of a damage with the table. `check` reads each; whole server lives are run for a
 * sample unless this is a proof.
 */
async function compare({ file, damage, ...expected }: Row, folder: string, subject: Subject) {
  const differences: string[] = [];
  const variants = [...damages(subject, damage).entries()];
  const allowed = expected.start === 'any' ? AGREEING : [expected];
  const expectAllowed = (label: string, isAllowed: boolean, found: unknown) => {
    if (!isAllowed) differences.push(`${file}, ${damage} ${label}: ${JSON.stringify(found)}`);
  };
  for (const [index, contents] of variants) {
    const isFaulty = await checkedFaulty(folder, subject, contents);
    const isAllowed = allowed.some(({ start }) => isFaulty === (start !== 'served'));
    expectAllowed(`${index}, check`, isAllowed, { isFaulty });
  }
  const lives = sample(variants, LIVES);
  for (const [index, contents] of lives) {
    const found = await outcomes(folder, subject, contents);
    expectAllowed(
      `${index}`,
      allowed.some(each => Bun.deepEquals(each, found)),
      found,
    );
  }
  return { lives: lives.length, differences };
}

/** Whether `check` finds a fault, in this process. */
function checkedFaulty(folder: string, subject: Subject, contents: Uint8Array | undefined): Promise<boolean> {
  return withState(folder, subject, async ({ args, path }) => {
    using _ = damaged(path, contents);
    const readConfig = (config: string) => readFileSync(config, 'utf8');
    const output = { print: () => {}, write: async () => {}, isTerminal: () => false, actAsOwner: () => {} };
    const exitCode = await checkCommand.run(args, { environment: {}, readConfig, ...output });
    expect([0, 1]).toContain(exitCode);
    return exitCode === 1;
  });
}
