import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../src/server/app.ts';
import { codeBlock } from '../support/documentation.ts';
import { freePort, startProxy, temporaryFolder } from '../support/process.ts';
import { expectNoDifferences, runs } from '../support/proof.ts';
import { testServer } from '../support/service.ts';

const QUESTIONS = 1000;
const CONNECTIONS = 32;

/** nginx as in `meridian help caching`, in front of a server. */
async function startNginx(folder: string, origin: string) {
  const url = `http://127.0.0.1:${freePort()}`;
  const site = codeBlock('src/cli/topics/caching.md', 'nginx', [
    ['/var/cache/nginx/meridian', join(folder, 'cache')],
    ['unix:/run/meridian/socket', origin],
    ['listen 80', `listen ${new URL(url).host}`],
  ]);
  mkdirSync(join(folder, 'cache'));
  const scratch = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    kind => `${kind}_temp_path ${join(folder, kind)};`,
  );
  const path = join(folder, 'nginx.conf');
  const head = `daemon off; master_process off; pid ${join(folder, 'pid')}; error_log stderr warn;\nevents { worker_connections 512; }\n`;
  writeFileSync(path, `${head}http { access_log off; ${scratch.join(' ')}\n${site}}\n`);
  return startProxy(['nginx', '-e', 'stderr', '-c', path], url);
}

test.skipIf(Bun.which('nginx') === null)(
  'through an nginx cache, each request reaches the server once (requires nginx)',
  async () => {
    using folder = temporaryFolder();
    const app = createApp(testServer());
    const arrivals = new Map<string, number>();
    using server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch(request) {
        const { pathname, search } = new URL(request.url);
        if (pathname.startsWith('/v1/'))
          arrivals.set(pathname + search, (arrivals.get(pathname + search) ?? 0) + 1);
        return app.handle(request);
      },
    });
    await using nginx = await startNginx(folder.path, `127.0.0.1:${server.port}`);
    const paths = Array.from(
      { length: QUESTIONS },
      (_, index) => `/v1/time/convert?unix=${index * 86_400}&tz=Europe/Paris`,
    );
    const requests = runs(20_000, 1_000_000);
    const differences: string[] = [];
    let sent = 0;
    async function send(): Promise<void> {
      while (sent < requests) {
        const index = sent++ % QUESTIONS;
        const response = await fetch(nginx.url + paths[index]);
        const { unix } = (await response.json()) as { unix: number };
        if (unix !== index * 86_400) differences.push(`${paths[index]}: ${unix}`);
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, send));
    for (const path of paths) {
      if (arrivals.get(path) !== 1) differences.push(`${path} arrived ${arrivals.get(path)} times`);
    }
    expect(arrivals.size).toBe(QUESTIONS);
    expectNoDifferences('requests through a cache of nginx', requests, differences, 1_000_000);
  },
  { timeout: 900_000 },
);
