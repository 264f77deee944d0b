import type { Static, TObject, TSchema } from '@sinclair/typebox';
import {
  type Authored,
  DEFAULT_OVERLAP,
  parseExpiry,
  parseKeyCursor,
  parseLogCursor,
  parseMonth,
  parseUsageCursor,
  type Row,
  type ServerKeys,
  USAGE_COLUMNS,
  writeKeyCursor,
  writeLogCursor,
  writeUsageCursor,
} from '../../access/administration.ts';
import type { KeyAction, KeyChanges } from '../../access/key_store.ts';
import { monthAt, monthIndexOf, monthOf } from '../../access/usage.ts';
import { messageOf, quoted, ServiceError, unreadable } from '../../common/errors.ts';
import { parseDuration } from '../../common/settings_text.ts';
import { csvLine } from '../../text/csv.ts';
import { asGiven, type Inputs, optional, parseWholeWithin, text, type Values, whole } from '../inputs.ts';
import type { Pieces } from '../sliced_body.ts';
import {
  IssuedKey,
  Log,
  NewKey,
  Token,
  TokenEdit,
  TokenExpiry,
  TokenList,
  TokenRotation,
  UsageList,
} from './schemas.ts';

/** A decoded request to an operation. */
interface OperationInput<Body, Declared extends Inputs> extends Authored {
  /** The key id in the path; '' if it has none. */
  readonly id: string;
  readonly body: Body;
  /** The values of the query parameters. */
  readonly query: Values<Declared>;
  readonly server: ServerKeys;
}

/** An operation of the operator API, and its description. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** May contain `:id`, the id of a key. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly inputs: Inputs;
  /** The schema of its body; absent if it has none. The body may be omitted if all its members may be. */
  readonly body?: TObject;
  /** An example of its body. */
  readonly example?: object;
  readonly status: 200 | 201 | 204;
  /** The schema of a JSON response, 'csv', or null without a body. */
  readonly payload: TSchema | 'csv' | null;
  readonly run: (input: OperationInput<unknown, Inputs>) => Promise<Pieces>;
}

/** Declares an operation whose handler receives a body typed by its schema, and the values of its inputs. */
function operation<Body extends TObject, Declared extends Inputs = Record<never, never>>(
  declared: Omit<Operation, 'inputs' | 'body' | 'status' | 'run'> & {
    /** 200 by default. */
    readonly status?: Operation['status'];
    readonly inputs?: Declared;
    readonly body?: Body;
    readonly run: (input: OperationInput<Static<Body>, Declared>) => Promise<Pieces>;
  },
): Operation {
  // Types are erased: the endpoint validates bodies against the schema, and decodes the inputs.
  return { inputs: {}, status: 200, ...declared } as unknown as Operation;
}

/** The maximum size of a request body, and the depth of an object whose members are not nested. */
export const BODY_LIMITS = { bytes: 16_384, depth: 4 };

const TOKENS = '/admin/v1/tokens';
const TOKEN = `${TOKENS}/:id`;
export const USAGE = '/admin/v1/usage';
export const LOG = '/admin/v1/log';

const PAGES =
  'If there are more rows, the response has `next_cursor`, which continues after its last row. Rows added or removed in the ' +
  'meantime never cause others to be skipped or repeated.';

/**
 * The default and maximum of `limit`: the usage of 10,000 keys in 25 months. Lists up to this length are complete, as in the
 * first version. A list is written only as fast as the client reads, so its length takes no memory.
 */
const MAX_LIMIT = 250_000;

/** A month, as `Month.index`. */
function month(description: string) {
  const schema = text(description, '2026-11', { pattern: '^\\d{4}-(0[1-9]|1[0-2])$' });
  return optional(schema, (label, name) => monthIndexOf(parsedAs(name, () => parseMonth(label))));
}

const onlyMonth = month('Only this month; the default is all months.');

/** The inputs of a list. */
function page(rows: string) {
  const limit = { ...whole(`Maximum number of ${rows}.`, 1000, MAX_LIMIT, 1), default: MAX_LIMIT };
  const cursor = '`next_cursor` of the previous response; the default is the beginning of the list.';
  return {
    limit: optional(limit, (given, name) => parseWholeWithin(given, name, 'rows', MAX_LIMIT, 1)),
    cursor: optional(text(cursor, '2026-11.0Kc3pTq9d'), asGiven),
  };
}

/** The operations of `meridian tokens`, over HTTP. */
export const OPERATIONS: readonly Operation[] = [
  operation({
    method: 'GET',
    path: TOKENS,
    operationId: 'listTokens',
    summary: 'All API keys, with their usage in a month',
    description: `The stored keys, oldest first; keys from files are not included. ${PAGES}`,
    inputs: {
      month: month('The month whose requests are counted; the default is the current month.'),
      ...page('keys'),
    },
    payload: TokenList,
    async run({ server, query: { month: index, cursor, limit }, nowMs }) {
      const month = index === null ? monthOf(nowMs) : monthAt(index);
      const after = cursor === null ? null : parsedAs('cursor', () => parseKeyCursor(cursor));
      const rows = server.keys.list(month.index, nowMs, after);
      return jsonPage({ month: month.label }, 'tokens', rows, limit, writeKeyCursor);
    },
  }),
  operation({
    method: 'POST',
    path: TOKENS,
    operationId: 'addToken',
    summary: 'Add an API key',
    description:
      'The response contains the key, which cannot be retrieved again. Servers accept it within a second.',
    body: NewKey,
    example: { name: 'mobile app', plan: 'default', expires: '90d' },
    status: 201,
    payload: IssuedKey,
    async run({ server, body, author, nowMs }) {
      const { name, role = 'client', plan = 'default' } = body;
      requirePlan(plan, server.planNames());
      const expiresMs = expiryOf(body.expires ?? 'never', nowMs);
      const terms = { name, role, plan, expiresMs };
      const { key, report } = await server.keys.add(terms, { author, nowMs });
      return json({ key, token: report });
    },
  }),
  operation({
    method: 'GET',
    path: TOKEN,
    operationId: 'getToken',
    summary: 'An API key',
    description: 'The properties of a stored key.',
    payload: Token,
    run: async ({ server, id, nowMs }) => json(await reportOf(server, id, nowMs)),
  }),
  operation({
    method: 'PATCH',
    path: TOKEN,
    operationId: 'editToken',
    summary: 'Change the name, role or plan of an API key',
    description: 'Members that are not given are unchanged.',
    body: TokenEdit,
    example: { plan: 'default' },
    payload: Token,
    async run(input) {
      const { body, server } = input;
      if (body.plan !== undefined) requirePlan(body.plan, server.planNames());
      return await change(input, 'edit', body);
    },
  }),
  operation({
    method: 'DELETE',
    path: TOKEN,
    operationId: 'removeToken',
    summary: 'Remove an API key',
    description: 'Requests with the key are rejected from then on; its usage remains in reports.',
    status: 204,
    payload: null,
    async run({ server, id, author, nowMs }) {
      if (!(await server.keys.remove(id, { author, nowMs }))) throw unknownKey(id);
      return [];
    },
  }),
  operation({
    method: 'POST',
    path: `${TOKEN}/rotate`,
    operationId: 'rotateToken',
    summary: 'Replace an API key with a new one',
    description:
      'The new key has the same id, plan and usage. The old one stays valid for `overlap`; a second rotation ends the overlap of ' +
      'the first. The response contains the key, which cannot be retrieved again.',
    body: TokenRotation,
    example: { overlap: '12h' },
    payload: IssuedKey,
    async run({ server, id, body, author, nowMs }) {
      const endMs = nowMs + parsedAs('overlap', () => parseDuration(body.overlap ?? DEFAULT_OVERLAP));
      const rotated = await server.keys.rotate(id, endMs, { author, nowMs });
      if (rotated === null) throw unknownKey(id);
      return json({ key: rotated.key, token: rotated.report });
    },
  }),
  operation({
    method: 'POST',
    path: `${TOKEN}/expire`,
    operationId: 'expireToken',
    summary: 'Set when an API key expires, by default now',
    description: 'Expired keys are not deleted; `{"expires": "never"}` makes one valid again.',
    body: TokenExpiry,
    example: { expires: '2027-01-31' },
    payload: Token,
    async run(input) {
      const { expires = '0' } = input.body;
      const expiresMs = expiryOf(expires ?? 'never', input.nowMs);
      return await change(input, 'expire', { expiresMs });
    },
  }),
  operation({
    method: 'POST',
    path: `${TOKEN}/suspend`,
    operationId: 'suspendToken',
    summary: 'Suspend an API key',
    description: 'Servers reject it within a second, with 403.',
    payload: Token,
    run: input => change(input, 'suspend', { suspendedMs: input.nowMs }),
  }),
  operation({
    method: 'POST',
    path: `${TOKEN}/resume`,
    operationId: 'resumeToken',
    summary: 'Make a suspended API key active again',
    description: 'Servers accept it within a second.',
    payload: Token,
    run: input => change(input, 'resume', { suspendedMs: null }),
  }),
  operation({
    method: 'GET',
    path: USAGE,
    operationId: 'listUsage',
    summary: 'Requests by API key and month',
    description: `Includes removed keys and keys from files. Usage is available for at least 25 months. ${PAGES}`,
    inputs: { month: onlyMonth, ...page('rows') },
    payload: UsageList,
    async run({ server, query: { month, cursor, limit }, nowMs }) {
      const after = cursor === null ? null : parsedAs('cursor', () => parseUsageCursor(cursor, month));
      const rows = server.keys.usage(month, nowMs, after);
      return jsonPage({}, 'usage', rows, limit, writeUsageCursor);
    },
  }),
  operation({
    method: 'GET',
    path: `${USAGE}.csv`,
    operationId: 'exportUsage',
    summary: 'Requests by API key and month, as CSV',
    description: 'In CSV (RFC 4180), with a column for each member; always complete.',
    inputs: { month: onlyMonth },
    payload: 'csv',
    run: async ({ server, query, nowMs }) => csvTable(USAGE_COLUMNS, server.keys.usage(query.month, nowMs)),
  }),
  operation({
    method: 'GET',
    path: LOG,
    operationId: 'listLog',
    summary: 'Changes of API keys',
    description: `By operators and commands, oldest first, including changes of removed keys. Available for 25 months. ${PAGES}`,
    inputs: page('entries'),
    payload: Log,
    async run({ server, query: { cursor, limit }, nowMs }) {
      const after = cursor === null ? null : parsedAs('cursor', () => parseLogCursor(cursor));
      return jsonPage({}, 'log', server.keys.log(nowMs, after), limit, writeLogCursor);
    },
  }),
];

/** Changes a key and returns it. */
async function change(
  { server, id, author, nowMs }: OperationInput<unknown, Inputs>,
  action: KeyAction,
  changes: KeyChanges,
): Promise<Pieces> {
  if (!(await server.keys.change(id, action, changes, { author, nowMs }))) throw unknownKey(id);
  return json(await reportOf(server, id, nowMs));
}

async function reportOf({ keys }: Pick<ServerKeys, 'keys'>, id: string, nowMs: number): Promise<Token> {
  const report = await keys.get(id, nowMs);
  if (report === null) throw unknownKey(id);
  return report;
}

function unknownKey(id: string): ServiceError {
  return new ServiceError('NOT_FOUND', `There is no API key ${quoted(id)}`);
}

/** Servers reject keys with an unknown plan. */
function requirePlan(plan: string, known: readonly string[]): void {
  if (known.includes(plan)) return;
  throw new ServiceError('INVALID_PARAMETER', `Cannot read 'plan': there is no plan ${quoted(plan)}`, {
    parameter: 'plan',
    valid_plans: known,
  });
}

function expiryOf(text: string, nowMs: number): number | null {
  return parsedAs('expires', () => parseExpiry(text))(nowMs);
}

/** The result of parsing a parameter or body member, which the message of an error names. */
function parsedAs<Value>(name: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    throw unreadable(name, messageOf(error));
  }
}

function json(value: object): Pieces {
  return [JSON.stringify(value)];
}

/** The JSON of an object with a list of at most `limit` rows, and with `next_cursor` if there are more. */
async function* jsonPage<Position>(
  head: object,
  name: string,
  batches: AsyncIterable<readonly Row<Position, object>[]>,
  limit: number | null,
  writeCursor: (position: Position) => string,
): AsyncGenerator<string> {
  yield JSON.stringify({ ...head, [name]: [] }).slice(0, -2);
  let last: Position | undefined;
  let count = 0;
  for await (const rows of batches) {
    for (const { position, report } of rows) {
      if (count === (limit ?? MAX_LIMIT)) {
        yield `],"next_cursor":${JSON.stringify(writeCursor(last!))}}`; // since `limit` is at least 1
        return;
      }
      yield `${count === 0 ? '' : ','}${JSON.stringify(report)}`;
      last = position;
      count += 1;
    }
  }
  yield ']}';
}

async function* csvTable<Column extends string>(
  columns: readonly Column[],
  batches: AsyncIterable<readonly Row<unknown, Readonly<Record<Column, string | number | null>>>[]>,
): AsyncGenerator<string> {
  yield csvLine(columns);
  for await (const rows of batches) {
    for (const { report } of rows) yield csvLine(columns.map(column => report[column]));
  }
}
