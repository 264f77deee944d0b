import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createApp } from '../../src/server/app.ts';
import { codeBlock } from '../support/documentation.ts';
import { freePort, startProxy, temporaryFolder } from '../support/process.ts';
import { testServer } from '../support/service.ts';

const HOLIDAYS = '/v1/holidays?country=DE&year=2026';

test.skipIf(Bun.which('caddy') === null)(
  'the caddy configuration in meridian help caching is valid, and passes tags, conditions and codings through (requires caddy)',
  async () => {
    using folder = temporaryFolder();
    const app = createApp(testServer());
    using server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: request => app.handle(request) });
    const url = `http://127.0.0.1:${freePort()}`;
    const site = codeBlock('src/cli/topics/caching.md', 'caddyfile', [
      ['unix//run/meridian/socket', `127.0.0.1:${server.port}`],
      ['time.example.org', url],
    ]);
    const path = join(folder.path, 'Caddyfile');
    // Only its own settings for the test: no API for administration, and only errors in the log.
    writeFileSync(path, `{\n\tadmin off\n\tlog {\n\t\tlevel ERROR\n\t}\n}\n${site}`);
    const env = { XDG_DATA_HOME: folder.path, XDG_CONFIG_HOME: folder.path };
    const config = ['--config', path, '--adapter', 'caddyfile'];
    const validated = Bun.spawnSync(['caddy', 'validate', ...config], { env: { ...process.env, ...env } });
    expect([validated.exitCode, validated.stderr.toString()]).toEqual([0, expect.any(String)]);
    await using caddy = await startProxy(['caddy', 'run', ...config], url, env);
    const get = (headers: Record<string, string>) =>
      fetch(caddy.url + HOLIDAYS, { headers, decompress: false } as RequestInit);
    const direct = await app.handle(new Request(`http://localhost${HOLIDAYS}`));
    const body = await direct.text();
    for (const coding of ['identity', 'gzip']) {
      const first = await get({ 'Accept-Encoding': coding });
      expect(first.headers.get('Cache-Control')).toBe(direct.headers.get('Cache-Control'));
      expect(first.headers.get('Vary')).toBe('Accept-Encoding');
      const bytes = await first.bytes();
      expect(new TextDecoder().decode(coding === 'gzip' ? gunzipSync(bytes) : bytes)).toBe(body);
      const tag = first.headers.get('ETag')!;
      const again = await get({ 'Accept-Encoding': coding, 'If-None-Match': tag });
      expect([coding, again.status, await again.text(), again.headers.get('ETag')]).toEqual([
        coding,
        304,
        '',
        tag,
      ]);
    }
  },
);
