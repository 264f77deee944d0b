import { createClient } from '@hey-api/openapi-ts';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { generate as orval } from 'orval';
import { type ApiDocument, type Operation, operationsOf } from '../../src/api/description/document.ts';

/** A client generator, with the source of a program that uses its output. */
export interface Generator {
  readonly name: string;
  /** Writes the client into a folder. */
  generate(document: ApiDocument, folder: string): Promise<void>;
  /** Lines that create `client`, with the server's URL in `baseUrl`. */
  readonly header: string;
  /** An expression that calls an operation and resolves to a {@link Called}. */
  call(call: ExampleCall): string;
}

/** The result of a client call. */
export interface Called {
  readonly status: number;
  readonly data: unknown;
}

/** A TypeScript configuration with strict checks. */
export const PROJECT = JSON.stringify({
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'esnext',
    module: 'esnext',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
    types: ['bun'],
    skipLibCheck: true,
  },
  include: ['**/*.ts'],
});
export const COMPILER = `${import.meta.dir}/../../node_modules/typescript/bin/tsc`;

/** Runs a program to its end while servers in this process respond; returns its output. */
export async function runProgram(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const child = Bun.spawn([process.execPath, ...command], {
    env: { ...process.env, ...environment },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [output, errors, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (exitCode !== 0) throw new Error(`${command.join(' ')} exited ${exitCode}: ${output}${errors}`);
  return output;
}

export const GENERATORS: readonly Generator[] = [
  {
    name: 'openapi-typescript',
    async generate(document, folder) {
      const types = await openapiTypescript(structuredClone(document) as never, { silent: true });
      await Bun.write(`${folder}/client.d.ts`, astToString(types));
    },
    header: `import createClient from 'openapi-fetch';
import type { paths } from './client.d.ts';
const client = createClient<paths>({ baseUrl });`,
    call: ({ method, path, query, body }) =>
      `client.${method}('${path}', { ${body === null ? `params: { query: ${query} }` : `body: ${body}`}, parseAs: ${parseAs(path)} }).then(({ response, data }) => ({ status: response.status, data }))`,
  },
  {
    name: 'hey-api',
    async generate(document, folder) {
      await createClient({
        input: structuredClone(document) as never,
        output: folder,
        logs: { level: 'silent' },
        plugins: ['@hey-api/client-fetch', '@hey-api/sdk', '@hey-api/typescript'],
      });
    },
    header: `import { client } from './client.gen.ts';
import * as sdk from './sdk.gen.ts';
client.setConfig({ baseUrl });`,
    call: ({ operation, path, query, body }) =>
      `sdk.${operation.operationId}({ ${body === null ? `query: ${query}` : `body: ${body}`}, parseAs: ${parseAs(path)} }).then(({ response, data }) => ({ status: response?.status, data }))`,
  },
  {
    name: 'orval',
    async generate(_, folder) {
      await orval(
        {
          input: { target: `${folder}/../openapi.json` },
          output: {
            target: `${folder}/client.ts`,
            client: 'fetch',
            baseUrl: { runtime: "process.env['BASE_URL']" },
          },
        },
        folder,
      );
    },
    header: `import * as client from './client.ts';`,
    call: ({ operation, query, body }) =>
      `client.${operation.operationId}(${body ?? query}).then(({ status, data }) => ({ status, data }))`,
  },
];

/** How clients that ignore the content type of a response parse it. */
function parseAs(path: string): string {
  return /\/clock$|^\/embed\/|\.\w+$/.test(path) ? "'text'" : "'json'";
}

/** The program that calls every operation with each of its examples and prints one line of JSON for each. */
export function program(document: ApiDocument, { header, call }: Generator): string {
  const calls = callsOf(document).map(
    example => `await show(${JSON.stringify(example.request)}, ${call(example)});`,
  );
  return `const baseUrl = process.env['BASE_URL'] ?? '';
${header}
async function show(request: string, called: Promise<{ status: number | undefined; data: unknown }>): Promise<void> {
  const { status, data } = await called;
  // Orval's client returns images as blobs.
  console.log(JSON.stringify({ request, status, data: data instanceof Blob ? await data.text() : data }));
}
${calls.join('\n')}
`;
}

/** A call of an operation: one of its examples, with the query or body as a typed literal. */
interface ExampleCall {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly request: string;
  readonly query: string;
  /** Null for GET. */
  readonly body: string | null;
}

/** The calls of all operations' successful examples. */
export function callsOf(document: ApiDocument): ExampleCall[] {
  return operationsOf(document).flatMap(({ method, path, operation }) => {
    const { content } = operation.responses[200] as { content: Record<string, Shown> };
    const examples = Object.values(content).flatMap(shown => [
      ...Object.values(shown.examples ?? {}),
      ...Object.values(shown['x-requests'] ?? {}),
    ]);
    return examples.map(({ 'x-request': request }) => {
      const query = JSON.stringify(typedQuery(operation, request));
      const { requestBody } = operation;
      const body = requestBody ? JSON.stringify(requestBody.content['application/json'].example) : null;
      return { method, path, operation, request, query, body };
    });
  });
}

type Shown = Readonly<Record<'examples' | 'x-requests', Record<string, { 'x-request': string }> | undefined>>;

/** The parameters of a request, with the types given in the description. */
function typedQuery({ parameters }: Operation, request: string): Record<string, unknown> {
  const query = new URL(request, 'http://localhost').searchParams;
  return Object.fromEntries(
    [...query].map(([name, text]) => {
      const type = parameters.find(parameter => parameter.name === name)?.schema['type'];
      return [name, type === 'string' ? text : JSON.parse(text.trim().replace(/^\+/, ''))];
    }),
  );
}
