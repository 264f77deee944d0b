import { expect } from 'bun:test';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { startClients } from '../support/clients.ts';
import { selfSigned } from '../support/openssl.ts';
import { expectFailures, newFolder, requiring, startServer } from '../support/process.ts';

const folder = newFolder();
const withOpenssl = requiring('openssl');

/** The name in the certificate presented to a new connection. */
function shownName(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.end();
    });
    socket.on('error', reject);
  });
}

withOpenssl(
  'SIGHUP loads a changed certificate under load and rejects one that does not match its key',
  async () => {
    const [one, two] = [selfSigned(folder, 'one'), selfSigned(folder, 'two')];
    const shown = { cert: join(folder, 'shown.crt'), key: join(folder, 'shown.key') };
    copyFileSync(one.cert, shown.cert);
    copyFileSync(one.key, shown.key);
    using server = await startServer(['--tls-cert', shown.cert, '--tls-key', shown.key]);
    expect(server.url).toStartWith('https://');
    const clients = startClients(server.url, 4, Number.POSITIVE_INFINITY);
    await clients.receive(20);
    expect(await shownName(server.url)).toBe('one');

    copyFileSync(two.cert, shown.cert); // its key is still missing
    server.child.kill('SIGHUP');
    expect(await server.events.next('reload failed')).toMatchObject({ what: 'certificate', level: 'error' });
    expect(await shownName(server.url)).toBe('one');

    copyFileSync(two.key, shown.key);
    server.child.kill('SIGHUP');
    expect(await server.events.next('reloaded', 'certificate')).toMatchObject({ what: 'certificate' });
    await clients.receive(200);
    expect(await shownName(server.url)).toBe('two');
    expect(await shownName(server.url)).toBe('two');
    server.child.kill('SIGTERM');
    expect(await clients.ended).toMatchObject({ lost: 0, refused: 0 });
    expect(await server.child.exited).toBe(0);
  },
);

withOpenssl('the admin address remains without TLS when the certificate changes', async () => {
  const [one, two] = [selfSigned(folder, 'one'), selfSigned(folder, 'two')];
  const tls = ['--tls-cert', one.cert, '--tls-key', one.key];
  using server = await startServer([...tls, '--admin-listen', '127.0.0.1:0']);
  copyFileSync(two.cert, one.cert);
  copyFileSync(two.key, one.key);
  server.child.kill('SIGHUP');
  await server.events.next('reloaded', 'certificate');
  expect(await shownName(server.url)).toBe('two');
  expect((await fetch(`${server.adminUrl}/healthz`)).status).toBe(200);
});

withOpenssl('an unusable certificate prevents startup, with one line', async () => {
  const [one, two] = [selfSigned(folder, 'one'), selfSigned(folder, 'two')];
  const junk = join(folder, 'junk.pem');
  writeFileSync(junk, 'junk');
  const serve = ['serve', '--listen', '127.0.0.1:0', '--tls-cert'];
  await expectFailures([
    [[...serve, one.cert], 2, '--tls-key'],
    [[...serve, one.cert, '--tls-key', two.key], 1, two.key],
    [[...serve, junk, '--tls-key', two.key], 1, junk],
    [[...serve, one.cert, '--tls-key', '/nonexistent'], 1, '/nonexistent'],
  ]);
});
