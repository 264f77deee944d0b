import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import type { RedisStore } from '../../src/access/redis/redis_store.ts';
import { KeyStoreFile } from '../../src/access/sqlite_store.ts';
import { describeAdministration } from '../../src/api/admin/description.ts';
import { administrationEndpoints } from '../../src/api/admin/endpoints.ts';
import { createAdminApp } from '../../src/http/admin.ts';
import { keyAdministration } from '../../src/server/access.ts';
import { createEventLog } from '../../src/server/log.ts';
import { addKey, type Choices, control, NOW_MS, openStore } from '../access/control.ts';
import { testServer } from '../support/service.ts';

/** The operator API over a folder's keys, with an operator key among them, and the server's log. */
export function administration(folder: string, choices: Choices = {}, redis: RedisStore | null = null) {
  const store = openStore(folder);
  const operator = addKey(store, 9, 'default', 'operator');
  store.close();
  const { access } = control(folder, choices);
  const lines: string[] = [];
  const log = createEventLog('info', 'json', line => lines.push(line));
  const file = new KeyStoreFile(join(folder, 'access.sqlite'), { index: 0, count: 1 });
  const server = testServer({
    access,
    administration: keyAdministration(access, file, redis, log),
    now: () => NOW_MS,
  });
  const app = createAdminApp(server, {}, administrationEndpoints(server));

  /** Sends a request as the operator, or with other headers; validates the response against the description. */
  async function send(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(headers ?? { Authorization: `Bearer ${operator.key}` }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const response = await app.handle(request);
    const text = await response.text();
    const isJson = response.headers.get('Content-Type')?.startsWith('application/json') && text !== '';
    const content = isJson ? JSON.parse(text) : text;
    const fault = faultOf(method, path, response, content);
    if (fault !== null) throw new Error(`${method} ${path} is not as described: ${fault}`);
    // biome-ignore lint/suspicious/noExplicitAny: tests reach into bodies of every shape.
    return { status: response.status, headers: response.headers, body: content as any };
  }

  return {
    access,
    app,
    operator,
    send,
    lines,
    /** The events of the log. */
    events: () => lines.map(line => JSON.parse(line)),
    async close() {
      file.close();
      await access.stop();
    },
  };
}

const DOCUMENT = JSON.parse(JSON.stringify(describeAdministration()));
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
ajv.addSchema({ $id: 'api', ...DOCUMENT });

/** How a response differs from its description, or null. */
function faultOf(method: string, path: string, response: Response, body: unknown): string | null {
  const pathname = new URL(path, 'http://localhost').pathname;
  const template = Object.keys(DOCUMENT.paths).find(known =>
    new RegExp(`^${known.replaceAll('.', '\\.').replace('{id}', '[^/]+')}$`).test(pathname),
  );
  const operation = template && DOCUMENT.paths[template][method.toLowerCase()];
  if (!operation) return null;
  const described = operation.responses[response.status];
  if (described === undefined) return `status ${response.status}`;
  const pointer =
    described.$ref ??
    `#${escaped('paths', template, method.toLowerCase(), 'responses', String(response.status))}`;
  const { content, headers } = described.$ref
    ? DOCUMENT.components.responses[described.$ref.split('/').at(-1)]
    : described;
  const names = new Set(Object.keys(headers).map(name => name.toLowerCase()));
  const unknown = [...response.headers.keys()].filter(name => name !== 'content-type' && !names.has(name));
  if (unknown.length > 0) return `headers ${unknown}`;
  if (content === undefined)
    return body === '' && !response.headers.has('Content-Type') ? null : 'it has content';
  const mediaType = response.headers.get('Content-Type')!.replace(/;.*/, '');
  if (!(mediaType in content)) return mediaType;
  const validate = ajv.compile({ $ref: `api${pointer}${escaped('content', mediaType, 'schema')}` });
  return validate(body) ? null : ajv.errorsText(validate.errors);
}

function escaped(...keys: string[]): string {
  return keys.map(key => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
