import {
  DEFAULT_OVERLAP,
  instantText,
  type KeyChange,
  parseExpiry,
  parseTokenCursor,
  parseUsageCursor,
  type Row,
  type ServerKeys,
  USAGE_COLUMNS,
  writeTokenCursor,
  writeUsageCursor,
} from '../../access/administration.ts';
import type { TokenChanges } from '../../access/key_store.ts';
import { monthAt, monthLabelled, monthOf } from '../../access/month.ts';
import { messageOf, quoted, ServiceError, unreadable } from '../../common/errors.ts';
import { utcText } from '../../common/iso_text.ts';
import { parseDuration } from '../../common/settings_text.ts';
import { csvLine } from '../../text/csv.ts';
import { type Operation, type OperationInput, operation, type Pieces } from './operation.ts';
import {
  IssuedKey,
  NewToken,
  Token,
  TokenEdit,
  TokenExpiry,
  TokenList,
  TokenRotation,
  UsageList,
} from './schemas.ts';

const TOKENS = '/admin/v1/tokens';
const TOKEN = `${TOKENS}/:id`;
const USAGE = '/admin/v1/usage';

const ONLY_MONTH = 'Only this month; the default is all months.';
const PAGES =
  'If there are more rows, the response has `next_cursor`, which continues after its last row. Rows added or removed in the ' +
  'meantime never cause others to be skipped or repeated.';

/** The pagination parameters of a list. */
function pageParameters(rows: string) {
  return {
    limit: `Maximum number of ${rows}.`,
    cursor: '`next_cursor` of the previous response; the default is the beginning of the list.',
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
    parameters: {
      month: 'The month whose requests are counted; the default is the current month.',
      ...pageParameters('keys'),
    },
    status: 200,
    response: 'The keys.',
    payload: TokenList,
    async run({ keys, month: label, cursor, limit, nowMs }) {
      const month = label === null ? monthOf(nowMs) : monthAt(monthLabelled(label));
      const after = cursor === null ? null : decoded('cursor', () => parseTokenCursor(cursor));
      const rows = keys.keys.list(month.index, nowMs, after);
      return jsonPage({ month: month.label }, 'tokens', rows, limit, writeTokenCursor);
    },
  }),
  operation({
    method: 'POST',
    path: TOKENS,
    operationId: 'addToken',
    summary: 'Add an API key',
    description:
      'The response contains the key, which cannot be retrieved again. Servers accept it within a second.',
    body: NewToken,
    example: { name: 'mobile app', plan: 'default', expires: '90d' },
    status: 201,
    response: 'The new key.',
    payload: IssuedKey,
    async run({ keys, body, nowMs, record }) {
      const { name, role = 'client', plan = 'default' } = body;
      requirePlan(plan, keys.planNames());
      const expiresMs = expiryOf(body.expires ?? 'never', nowMs);
      const { key, report } = await keys.keys.add({ name, role, plan, expiresMs }, nowMs);
      record({ action: 'add', id: report.id, values: { name, role, plan, expires: instantText(expiresMs) } });
      return json({ key, token: report });
    },
  }),
  operation({
    method: 'GET',
    path: TOKEN,
    operationId: 'getToken',
    summary: 'An API key',
    description: 'The properties of a stored key.',
    status: 200,
    response: 'The key.',
    payload: Token,
    run: async ({ keys, id, nowMs }) => json(await reportOf(keys, id, nowMs)),
  }),
  operation({
    method: 'PATCH',
    path: TOKEN,
    operationId: 'editToken',
    summary: 'Change the name, role or plan of an API key',
    description: 'Members that are not given are unchanged.',
    body: TokenEdit,
    example: { plan: 'default' },
    status: 200,
    response: 'The key after the change.',
    payload: Token,
    async run(input) {
      const { body, keys } = input;
      if (body.plan !== undefined) requirePlan(body.plan, keys.planNames());
      return await change(input, 'edit', body, { ...body });
    },
  }),
  operation({
    method: 'DELETE',
    path: TOKEN,
    operationId: 'removeToken',
    summary: 'Remove an API key',
    description: 'Requests with the key are rejected from then on; its usage remains in reports.',
    status: 204,
    response: 'The key is removed.',
    payload: null,
    async run({ keys, id, nowMs, record }) {
      if (!(await keys.keys.remove(id, nowMs))) throw unknownKey(id);
      record({ action: 'remove', id, values: {} });
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
    status: 200,
    response: 'The new key.',
    payload: IssuedKey,
    async run({ keys, id, body, nowMs, record }) {
      const endMs = nowMs + decoded('overlap', () => parseDuration(body.overlap ?? DEFAULT_OVERLAP));
      // Read before the rotation, which does not change it: if reading failed afterwards, the new key would be lost.
      const token = await reportOf(keys, id, nowMs);
      const key = await keys.keys.rotate(id, endMs);
      if (key === null) throw unknownKey(id);
      record({ action: 'rotate', id, values: { former_expires: utcText(endMs) } });
      return json({ key, token });
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
    status: 200,
    response: 'The key after the change.',
    payload: Token,
    async run(input) {
      const { expires = '0' } = input.body;
      const expiresMs = expiryOf(expires ?? 'never', input.nowMs);
      return await change(input, 'expire', { expiresMs }, { expires: instantText(expiresMs) });
    },
  }),
  operation({
    method: 'POST',
    path: `${TOKEN}/suspend`,
    operationId: 'suspendToken',
    summary: 'Suspend an API key',
    description: 'Servers reject it within a second, with 403.',
    status: 200,
    response: 'The key after the change.',
    payload: Token,
    run: input => change(input, 'suspend', { suspendedMs: input.nowMs }, {}),
  }),
  operation({
    method: 'POST',
    path: `${TOKEN}/resume`,
    operationId: 'resumeToken',
    summary: 'Make a suspended API key active again',
    description: 'Servers accept it within a second.',
    status: 200,
    response: 'The key after the change.',
    payload: Token,
    run: input => change(input, 'resume', { suspendedMs: null }, {}),
  }),
  operation({
    method: 'GET',
    path: USAGE,
    operationId: 'listUsage',
    summary: 'Requests by API key and month',
    description: `Includes removed keys and keys from files. Usage is available for at least 25 months. ${PAGES}`,
    parameters: { month: ONLY_MONTH, ...pageParameters('rows') },
    status: 200,
    response: 'The usage.',
    payload: UsageList,
    async run({ keys, month: label, cursor, limit, nowMs }) {
      const month = label === null ? null : monthLabelled(label);
      const after = cursor === null ? null : decoded('cursor', () => parseUsageCursor(cursor, month));
      const rows = keys.keys.usage(month, nowMs, after);
      return jsonPage({}, 'usage', rows, limit, writeUsageCursor);
    },
  }),
  operation({
    method: 'GET',
    path: `${USAGE}.csv`,
    operationId: 'exportUsage',
    summary: 'Requests by API key and month, as CSV',
    description: 'In CSV (RFC 4180), with a column for each member; always complete.',
    parameters: { month: ONLY_MONTH },
    status: 200,
    response: 'The usage.',
    payload: 'csv',
    async run({ keys, month, nowMs }) {
      const rows = keys.keys.usage(month === null ? null : monthLabelled(month), nowMs);
      return csvTable(USAGE_COLUMNS, rows);
    },
  }),
];

/** Changes a key, logs the change, and returns the key. */
async function change(
  { keys, id, nowMs, record }: OperationInput<unknown>,
  action: KeyChange['action'],
  changes: TokenChanges,
  values: KeyChange['values'],
): Promise<Pieces> {
  if (!(await keys.keys.change(id, changes))) throw unknownKey(id);
  record({ action, id, values });
  return json(await reportOf(keys, id, nowMs));
}

async function reportOf({ keys }: ServerKeys, id: string, nowMs: number): Promise<Token> {
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
  return decoded('expires', () => parseExpiry(text))(nowMs);
}

/** The result of parsing a parameter or body member. */
function decoded<Value>(name: string, parse: () => Value): Value {
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
  limit: number,
  writeCursor: (position: Position) => string,
): AsyncGenerator<string> {
  const members = Object.entries(head).map(
    ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)},`,
  );
  yield `{${members.join('')}"${name}":[`;
  let last: Position | undefined;
  let count = 0;
  for await (const rows of batches) {
    for (const { position, report } of rows) {
      if (count === limit) {
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
