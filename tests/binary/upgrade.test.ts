import { afterEach, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { billOfMaterials } from '../../data/bill_of_materials.ts';
import { bundledPackages } from '../../data/licenses/bundled_packages.ts';
import { EMBEDDED_DATA } from '../../data/manifests.ts';
import { type Clients, startClients } from '../support/clients.ts';
import { hasOpenssl, selfSigned } from '../support/openssl.ts';
import {
  BINARY,
  childrenOf,
  expectFailures,
  given,
  newFolder,
  pausedFile,
  run,
  socketsOf,
  startServer,
  until,
} from '../support/process.ts';
import { IS_PROOF, runs } from '../support/proof.ts';

const ROOT = join(import.meta.dir, '../..');
const BUILD = { version: '1.2.3', commit: 'abc', epochSeconds: 0, toolchainSha256: 'def' };
const MOST_MEGABYTES = 160;

/**
 * The same files in a second place. A link to the folder would not do: the names of the parts of a program are made of
 * the paths of its files, from the folder where it is built.
 */
function linkTree(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkTree(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else linkSync(source, target);
  }
}

/** Builds the executable from a copy of the sources in a folder; returns its SHA-256. */
async function buildIn(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  for (const name of ['src', 'data', 'package.json', 'tsconfig.json', 'bun.lock', 'LICENSE']) {
    if (existsSync(join(ROOT, name))) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
  linkTree(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const build = Bun.spawn([process.execPath, 'data/build.ts'], {
    cwd: folder,
    stdout: 'ignore',
    stderr: 'inherit',
  });
  expect(await build.exited).toBe(0);
  return new Bun.CryptoHasher('sha256')
    .update(await Bun.file(join(folder, 'dist/meridian')).bytes())
    .digest('hex');
}

test('the same sources give the same bytes, wherever they are', async () => {
  const folder = mkdtempSync(join(ROOT, 'dist/same-'));
  const first = await buildIn(join(folder, 'here'));
  expect(await buildIn(join(folder, 'over/there'))).toBe(first);
});

test(`the executable has at most ${MOST_MEGABYTES} MB`, () => {
  expect(Bun.file(BINARY).size / 1e6).toBeLessThanOrEqual(MOST_MEGABYTES);
});

test('the bill of materials lists every package and data set inside, with licence and digest', async () => {
  const { bomFormat, components } = JSON.parse(await billOfMaterials(BUILD));
  expect(bomFormat).toBe('CycloneDX');
  const packages = await bundledPackages();
  expect(packages.map(({ name }) => name)).toContain('elysia');
  for (const { name, version } of [...packages, ...EMBEDDED_DATA]) {
    const found = components.filter(
      (part: { name: string; version: string }) => part.name === name && part.version === version,
    );
    expect(found).toHaveLength(1);
    expect(found[0].licenses).toHaveLength(1);
    expect(found[0].hashes[0].content).toMatch(/^([0-9a-f]{64}|[0-9a-f]{128})$/);
  }
});

test('licenses prints the licence of every package and data set inside', async () => {
  const { exitCode, stdout } = await run(['licenses']);
  expect(exitCode).toBe(0);
  for (const { name, version, licenceText } of await bundledPackages()) {
    expect(stdout).toContain(`${name} ${version}: `);
    expect(stdout).toContain(licenceText);
  }
  for (const { attribution } of EMBEDDED_DATA) expect(stdout).toContain(attribution ?? '');
});

const UPGRADES = runs(2, 10);
/** Responses between an upgrade and a reload: more than 500,000 in a proof, over the two kinds of servers with two workers. */
const RESPONSES = runs(300, 12_500);

/** The serving process, which after an upgrade is not a child of the test. */
let serving: number | null = null;
afterEach(() => {
  try {
    if (serving !== null) process.kill(serving, 'SIGKILL');
  } catch {
    // The test has already stopped it.
  }
  serving = null;
});

/** A report as an older version writes it. */
function reportOf(pid: number): string {
  const result = { started: 0, finished: 0, failures: [], pending: [], failedUpgrades: 0, upgradeError: '' };
  return JSON.stringify({ pid, ...result });
}

/** Opens connections, and waits until the server has accepted them and responded. */
function connections(url: string, count: number): Promise<Socket[]> {
  const { hostname, port } = new URL(url);
  const open = () =>
    new Promise<Socket>((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
      socket.once('data', () => resolve(socket));
      socket.once('error', reject);
    });
  return Promise.all(Array.from({ length: count }, open));
}

/** Runs a program as process 1 of another namespace, like a container. */
const NEW_NAMESPACE = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'];
const hasNamespaces = Bun.which('unshare') !== null && Bun.spawnSync([...NEW_NAMESPACE, 'true']).success;

function controlFilesIn(state: string): string[] {
  return readdirSync(state).filter(name => name.endsWith('.json'));
}

/** Runs `meridian upgrade` without a signature. */
async function upgrade(state: string, program: string) {
  const outcome = await run(['upgrade', program, '--unsigned', '--state-dir', state]);
  const successor = /^process (\d+) has taken over from process \d+$/m.exec(outcome.stdout)?.[1];
  if (successor !== undefined) serving = Number(successor);
  return outcome;
}

/** Clients with persistent connections, and one that opens a new one for each request. */
function clientsOf(urls: readonly string[]): Clients[] {
  return urls.flatMap(url => [startClients(url, 3, Number.POSITIVE_INFINITY), startClients(url, 1, 1)]);
}

async function awaitResponses(clients: readonly Clients[], count: number): Promise<void> {
  const each = Math.ceil(count / clients.length);
  const received = Promise.all(clients.map(client => client.receive(each)));
  const ended = clients.map(async client => {
    await client.ended;
    throw new Error('clients cannot connect');
  });
  await Promise.race([received, ...ended]);
}

/** Returns the number of responses. */
async function expectNothingLost(clients: readonly Clients[]): Promise<number> {
  let total = 0;
  for (const client of clients) {
    const { lost, refused, responses } = await client.stop();
    total += responses;
    expect({ lost, refused }).toEqual({ lost: 0, refused: 0 });
  }
  return total;
}

describe.skipIf(process.platform !== 'linux' || !hasOpenssl)('an upgrade (requires Linux, openssl)', () => {
  /** Writes a program whose check succeeds, and which then does something else. */
  const programThat = (folder: string, does: string) => {
    const path = join(folder, 'program');
    writeFileSync(path, `#!/bin/sh\n${does}\n`, { mode: 0o755 });
    return path;
  };
  const CHECKS = '[ "$1" = check ] && exit\n';

  for (const workers of [1, 2]) {
    for (const scheme of ['http', 'https']) {
      test(`or a reload of ${workers} workers loses no request over ${scheme} and a unix socket`, async () => {
        const folder = newFolder();
        const socket = join(folder, 'socket');
        const { cert, key } = selfSigned(folder, 'upgraded');
        const tls = scheme === 'https' ? ['--tls-cert', cert, '--tls-key', key] : [];
        const config = join(folder, 'meridian.toml');
        writeFileSync(config, 'max-bulk = 100\n');
        const flags = ['--config', config, '--workers', String(workers), '--state-dir', folder, ...tls];
        using server = await startServer([...flags, '--listen', `unix:${socket}`]);
        serving = server.child.pid;
        const clients = clientsOf([server.url, `unix:${socket}`]);
        for (let round = 0; round < UPGRADES; round++) {
          await awaitResponses(clients, RESPONSES);
          const before = serving;
          expect(await upgrade(folder, BINARY)).toMatchObject({ exitCode: 0, stderr: '' });
          expect(serving).not.toBe(before);
          await awaitResponses(clients, RESPONSES);
          // A new certificate in the same files, and a changed setting.
          selfSigned(folder, 'upgraded');
          writeFileSync(config, `max-bulk = ${101 + round}\n`);
          const reloaded = await run(['reload', String(serving), '--state-dir', folder]);
          expect(reloaded).toMatchObject({ exitCode: 0, stdout: 'reloaded\n', stderr: '' });
        }
        await awaitResponses(clients, RESPONSES);
        const total = await expectNothingLost(clients);
        if (IS_PROOF)
          console.log(
            `proof: ${UPGRADES} upgrades and reloads of ${workers} workers, ${scheme}: ${total} responses, 0 lost`,
          );
        const tooMany = `${server.url}/v1/time/current?tz=${Array(102 + UPGRADES).fill('UTC')}`;
        const response = await fetch(tooMany, { tls: { rejectUnauthorized: false } });
        expect(await response.text()).toContain(`${100 + UPGRADES}`);
      });
    }
  }

  test('triggered by a reload of settings that require it loses no request', async () => {
    const folder = newFolder();
    const config = join(folder, 'meridian.toml');
    writeFileSync(config, 'max-bulk = 100\n');
    using server = await startServer(['--config', config, '--state-dir', folder]);
    serving = server.child.pid;
    const clients = clientsOf([server.url]);
    const reload = async () => {
      await awaitResponses(clients, 100);
      return run(['reload', String(serving), '--state-dir', folder]);
    };
    writeFileSync(config, 'max-bulk = 101\nworkers = 2\nretain-keys = 3\n');
    const { exitCode, stdout } = await reload();
    const pattern = /^reloaded\nprocess (\d+) has taken over to apply workers, retain-keys\n$/;
    const [, successor] = pattern.exec(stdout)!;
    expect({ exitCode, isOther: Number(successor) !== serving }).toEqual({ exitCode: 0, isOther: true });
    serving = Number(successor);
    // The process that is replaced still answers on connections that it has accepted.
    await until(async () =>
      (await (await fetch(`${server.url}/metrics`)).text()).includes('meridian_workers 2\n'),
    );
    // An error found only when a process starts: the server keeps running.
    writeFileSync(
      config,
      `max-bulk = 102\nworkers = 2\nretain-keys = 3\ntls-cert = '${config}'\ntls-key = '${config}'\n`,
    );
    const failed = await reload();
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain(`Process ${serving} has not handed over: its check failed`);
    await awaitResponses(clients, 100);
    await expectNothingLost(clients);
  });

  const BAD_PROGRAMS = {
    'finds a fault in the settings': [
      '[ "$1" = check ] && echo no good >&2\nexit 1',
      'its check failed: no good',
    ],
    'ends before it is ready': [`${CHECKS}exit 3`, 'it exited with 3, see the log'],
    'may not be executed': [null, 'Cannot run /program: permission denied (EACCES)'],
    'is no program': [undefined, 'Cannot run /program: it is not an executable for this system (ENOEXEC)'],
    'is killed': ['kill -KILL $$', 'its check failed: /program ended with SIGKILL'],
  } as const;

  for (const [fault, [script, reason]] of Object.entries(BAD_PROGRAMS)) {
    test(`to a file that ${fault} is rolled back without a lost request`, async () => {
      const folder = newFolder();
      const program = programThat(folder, script ?? '');
      if (script === null) chmodSync(program, 0o644);
      if (script === undefined) truncateSync(program);
      using server = await startServer(['--state-dir', folder]);
      const clients = clientsOf([server.url]);
      await awaitResponses(clients, 100);
      const { exitCode, stderr } = await upgrade(folder, program);
      expect(exitCode).toBe(1);
      expect(stderr.replace(folder, '')).toContain(reason);
      expect(serving).toBeNull();
      await awaitResponses(clients, 100);
      await expectNothingLost(clients);
    });
  }

  for (const workers of [1, 2]) {
    test(`to a process with ${workers} workers that is stopped while it loads data is rolled back`, async () => {
      const folder = newFolder();
      const at = (name: string) => join(folder, name);
      const [started, calendar] = [at('started'), at('calendar')];
      // Its check would read the calendar too.
      const program = programThat(folder, `${CHECKS}echo $$ > ${started}\nexec ${BINARY} "$@"`);
      writeFileSync(calendar, '2026-12-24 holiday\n');
      const flags = ['--workers', String(workers), '--calendar', calendar, '--state-dir', folder];
      using server = await startServer(flags);
      const paused = pausedFile(calendar);
      const upgrading = upgrade(folder, program);
      const { resume } = await paused;
      process.kill(Number(readFileSync(started, 'utf8')), 'SIGTERM');
      await resume('2026-12-24 holiday\n');
      expect(await upgrading).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('it exited with 0, see the log'),
      });
      expect(serving).toBeNull();
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    });
  }

  test('is abandoned if the server is stopped before its successor is ready', async () => {
    const folder = newFolder();
    const started = join(folder, 'started');
    const script = `echo $$ > ${started}.new\nmv ${started}.new ${started}\nexec sleep 600`;
    const program = programThat(folder, CHECKS + script);
    using server = await startServer(['--state-dir', folder]);
    const upgrading = run(['upgrade', program, '--unsigned', '--state-dir', folder]);
    await until(() => existsSync(started));
    const successor = Number(readFileSync(started, 'utf8'));
    expect(await server.stop()).toBe(0);
    expect(await upgrading).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('this process was stopped before it was ready'),
    });
    expect(existsSync(`/proc/${successor}`)).toBe(false);
  });

  test('stops the previous process', async () => {
    const folder = newFolder();
    using server = await startServer(['--state-dir', folder]);
    // As if it were of an older version, whose `upgrade` waits for the successor's report there.
    const older = join(folder, 'reload.json');
    writeFileSync(older, reportOf(server.child.pid));
    expect((await upgrade(folder, BINARY)).stdout).toBe(
      `process ${serving} has taken over from process ${server.child.pid}\n`,
    );
    expect(await server.child.exited).toBe(0);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect(JSON.parse(readFileSync(older, 'utf8'))).toMatchObject({ pid: serving });
    process.kill(serving!);
    await until(() => controlFilesIn(folder).length === 0);
    await expectFailures([
      [['upgrade', BINARY, '--unsigned', '--state-dir', folder], 1, 'No server is running'],
    ]);
  });

  test('replaces every server with the state directory, and leaves no file of theirs behind', async () => {
    const folder = newFolder();
    const state = ['--state-dir', folder];
    using first = await startServer(state);
    using second = await startServer(state);
    const pids = [first, second].map(({ child }) => child.pid);
    for (const pid of pids) expect((await run(['reload', String(pid), ...state])).stdout).toBe('reloaded\n');
    const { stdout } = await run(['upgrade', BINARY, '--unsigned', ...state]);
    const pairs = [...stdout.matchAll(/^process (\d+) has taken over from process (\d+)$/gm)];
    const [successors, replaced] = [1, 2].map(at => pairs.map(pair => Number(pair[at])));
    try {
      expect(new Set(replaced)).toEqual(new Set(pids));
      expect(await Promise.all([first.child.exited, second.child.exited])).toEqual([0, 0]);
      for (const { url } of [first, second]) expect((await fetch(`${url}/healthz`)).status).toBe(200);
      const named = controlFilesIn(folder).map(name => Number(/^server-(\d+)-/.exec(name)?.[1]));
      expect(new Set(named)).toEqual(new Set(successors));
    } finally {
      for (const pid of successors!) process.kill(pid, 'SIGKILL');
    }
    // A server removes those of killed ones.
    using last = await startServer(state);
    expect(controlFilesIn(folder)).toEqual([expect.stringMatching(RegExp(`^server-${last.child.pid}-`))]);
    expect(await last.stop()).toBe(0);
    expect(controlFilesIn(folder)).toEqual([]);
  });

  test('succeeds for each of two commands at a time', async () => {
    const folder = newFolder();
    using _ = await startServer(['--state-dir', folder]);
    const outcomes = await Promise.all([upgrade(folder, BINARY), upgrade(folder, BINARY)]);
    expect(outcomes.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual([
      { exitCode: 0, stderr: '' },
      { exitCode: 0, stderr: '' },
    ]);
  });

  test('names each server that does not hand over, and replaces the others', async () => {
    const folder = newFolder();
    const [state, calendar] = [['--state-dir', folder], join(folder, 'calendar')];
    writeFileSync(calendar, '2026-12-24 holiday\n');
    using damaged = await startServer(state);
    const [report] = controlFilesIn(folder);
    using faulty = await startServer([...state, '--calendar', calendar]);
    using good = await startServer(state);
    writeFileSync(join(folder, report!), '{');
    writeFileSync(calendar, 'nonsense\n');
    const { exitCode, stdout, stderr } = await upgrade(folder, BINARY);
    expect({ exitCode, stdout }).toEqual({
      exitCode: 1,
      stdout: `process ${serving} has taken over from process ${good.child.pid}\n`,
    });
    const reasonOf = ({ child }: typeof good) => {
      const prefix = `meridian: Process ${child.pid} has not handed over: `;
      return stderr
        .split('\n')
        .find(line => line.startsWith(prefix))
        ?.slice(prefix.length);
    };
    expect(reasonOf(damaged)).toBe(`${join(folder, report!)}: it is not JSON`);
    expect(reasonOf(faulty)).toContain('its check failed');
    expect(controlFilesIn(folder).filter(name => name.startsWith('upgrade'))).toEqual([]);
    for (const { url } of [damaged, faulty, good]) expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  given(hasNamespaces, 'unshare --pid')('leaves servers in other pid namespaces alone', async () => {
    const folder = newFolder();
    const state = ['--state-dir', folder];
    using first = await startServer(state, {}, NEW_NAMESPACE);
    using second = await startServer(state, {}, NEW_NAMESPACE); // both are process 1
    using own = await startServer(state);
    const named = controlFilesIn(folder).filter(name => name.startsWith('server-1-'));
    expect(named).toHaveLength(2);
    expect((await upgrade(folder, BINARY)).stdout).toBe(
      `process ${serving} has taken over from process ${own.child.pid}\n`,
    );
    for (const { url } of [first, second, own]) expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  test('controls a server of an older version, whose report is in reload.json', async () => {
    const folder = newFolder();
    const [report, next] = [join(folder, 'reload.json'), join(folder, 'next')];
    const script = `trap 'mv ${next} ${report}' USR2; echo; while :; do sleep 0.02; done`;
    const server = Bun.spawn(['sh', '-c', script], { stdout: 'pipe' });
    await server.stdout.getReader().read();
    writeFileSync(report, reportOf(server.pid));
    writeFileSync(next, reportOf(process.pid));
    try {
      expect(await run(['upgrade', BINARY, '--unsigned', '--state-dir', folder])).toMatchObject({
        exitCode: 0,
        stdout: `process ${process.pid} has taken over from process ${server.pid}\n`,
      });
    } finally {
      server.kill('SIGKILL');
    }
    expect(controlFilesIn(folder)).toEqual(['reload.json']);
  });

  test('signals only a server that is running', async () => {
    const other = Bun.spawn(['sleep', '60']);
    for (const name of ['reload.json', `server-${other.pid}-1.json`]) {
      const folder = newFolder();
      writeFileSync(join(folder, name), reportOf(other.pid));
      // Another process with the id of a server that wrote its report an hour ago.
      utimesSync(join(folder, name), Date.now() / 1000 - 3600, Date.now() / 1000 - 3600);
      const flags = ['--state-dir', folder];
      await expectFailures([
        [['upgrade', BINARY, '--unsigned', ...flags], 1, 'No server is running'],
        [['reload', `${other.pid}`, ...flags], 1, 'is not a server with the state directory'],
      ]);
    }
    expect([other.exitCode, other.signalCode]).toEqual([null, null]);
    other.kill();
  });

  for (const index of [0, 1]) {
    for (const [end, signal] of Object.entries({ resumes: 'SIGCONT', 'is killed': 'SIGKILL' } as const)) {
      test(`spreads connections over all workers, also if previous worker ${index + 1} is late and then ${end}`, async () => {
        const folder = newFolder();
        const config = join(folder, 'meridian.toml');
        writeFileSync(config, 'workers = 2\n');
        using server = await startServer(['--config', config, '--state-dir', folder]);
        const previous = childrenOf(server.child.pid).sort((one, other) => one - other);
        const [late, other] = [previous[index]!, previous[1 - index]!];
        process.kill(late, 'SIGSTOP');
        writeFileSync(config, 'workers = 4\n');
        expect(await upgrade(folder, BINARY)).toMatchObject({ exitCode: 0, stderr: '' });
        await until(() => !existsSync(`/proc/${other}`));
        const clients = await connections(server.url, 16); // to which the late worker would not respond
        process.kill(late, signal);
        expect(await server.child.exited).toBe(0);
        const workers = childrenOf(serving!);
        const before = workers.map(socketsOf);
        clients.push(...(await connections(server.url, 64)));
        const accepted = workers.map((pid, at) => socketsOf(pid) - before[at]!);
        for (const client of clients) client.destroy();
        expect(accepted).toHaveLength(4);
        expect(Math.min(...accepted)).toBeGreaterThan(0);
      });
    }
  }

  test('to an executable that is in no release is rejected', async () => {
    const folder = newFolder();
    await expectFailures([[['upgrade', '/bin/true', '--state-dir', folder], 2, '--public-key']]);
  });
});
