import { test } from 'bun:test';
import { join } from 'node:path';
import { KeyStoreFile } from '../../src/access/key_store_file.ts';
import { RedisStore } from '../../src/access/redis/redis_store.ts';
import { describeAdministration } from '../../src/api/admin/description.ts';
import { administrationEndpoints } from '../../src/api/admin/endpoints.ts';
import type { ApiDocument, PathItem } from '../../src/api/description/document.ts';
import { createAdminApp } from '../../src/http/admin.ts';
import { keyAdministration } from '../../src/server/access.ts';
import { createEventLog } from '../../src/server/log.ts';
import { addKey, type Choices, control, NOW_MS, openStore } from '../access/control.ts';
import { newFolder } from '../support/process.ts';
import { REDIS_PROGRAM, startRedis } from '../support/redis.ts';
import { checkBy, type ParsedResponse, parsed, testServer } from '../support/service.ts';

/** The operator API over a folder's keys, with an operator key among them, and the server's log. */
export function administration(choices: Choices = {}, folder = newFolder(), redis: RedisStore | null = null) {
  const store = openStore(folder);
  const operator = addKey(store, 9, 'default', 'operator');
  store.close();
  const { access } = control(folder, choices);
  const lines: string[] = [];
  const log = createEventLog('info', 'json', line => lines.push(line));
  const file = new KeyStoreFile(join(folder, 'access.sqlite'), { index: 0, count: 1 });
  const serverKeys = keyAdministration(access, file, redis, log);
  const server = testServer({
    access,
    administration: serverKeys,
    now: () => NOW_MS,
  });
  const app = createAdminApp(server, {}, administrationEndpoints(server));

  /** Sends a request as the operator, or with other headers; validates the response against the description. */
  async function send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = { Authorization: `Bearer ${operator.key}` },
  ): Promise<ParsedResponse> {
    const type: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const isEncoded = typeof body === 'string' || body instanceof Uint8Array;
    const text = body === undefined ? null : isEncoded ? body : JSON.stringify(body);
    const init = { method, headers: { ...type, ...headers }, body: text };
    const response = await app.handle(new Request(`http://localhost${path}`, init));
    const content = parsed(await response.text(), response.headers);
    const described = method.toLowerCase() as keyof PathItem;
    const fault = check(templateOf(path), response.status, response.headers, content, described);
    if (fault !== null) throw new Error(`${method} ${path} is not as described: ${fault}`);
    return { status: response.status, headers: response.headers, body: content };
  }

  return {
    access,
    app,
    folder,
    operator,
    send,
    keys: serverKeys.keys,
    log,
    lines,
    /** The events of the log. */
    events: () => lines.map(line => JSON.parse(line)),
    async [Symbol.asyncDispose]() {
      file.close();
      await access.stop();
    },
  };
}

/** The operator API over keys in a file or in Redis. */
export type Administration = ReturnType<typeof administration>;

/** Runs a test with keys in a file and, if redis-server is installed, with keys in Redis. */
export function onEachStore(
  name: string,
  choices: Choices,
  run: (api: Administration, redis: RedisStore | null) => Promise<void>,
): void {
  test(`${name}, in the file`, async () => {
    await using api = administration(choices);
    await run(api, null);
  });
  test.skipIf(REDIS_PROGRAM === null)(`${name}, in Redis (requires redis-server)`, async () => {
    await using server = await startRedis();
    const redis = new RedisStore(server.url, 2000);
    await redis.connect();
    await using api = administration(choices, newFolder(), redis);
    await run(api, redis);
    redis.close();
  });
}

const document: ApiDocument = JSON.parse(JSON.stringify(describeAdministration()));
const check = checkBy(document);

/** The described path that a path is of. */
function templateOf(path: string): string {
  const { pathname } = new URL(path, 'http://localhost');
  return pathname in document.paths ? pathname : pathname.replace(/(\/tokens\/)[^/]+/, '$1{id}');
}
