import { type Static, type TProperties, Type } from '@sinclair/typebox';
import { DEFAULT_OVERLAP, KeyName } from '../../access/administration.ts';
import { ROLES } from '../../access/key_format.ts';
import { nullable, objectSchema } from '../../common/json.ts';

const KeyRole = Type.Union(
  ROLES.map(role => Type.Literal(role)),
  { description: 'Its permissions: an operator may also read metrics and use this API.' },
);
const STATES = ['active', 'suspended', 'expired'] as const;
const Month = (description: string) => Type.String({ description, examples: ['2026-11'] });
const Instant = Type.String({ format: 'date-time' });

/** A stored key. */
export const Token = objectSchema('ApiToken', 'An API key, without the key itself.', {
  id: Type.String({ description: 'The public part of the key; rotation does not change it.' }),
  name: Type.String({ description: 'Who the key is for.' }),
  role: KeyRole,
  plan: Type.String({ description: 'Its plan.' }),
  state: Type.Union(
    STATES.map(state => Type.Literal(state)),
    { description: 'Requests are rejected unless it is active.' },
  ),
  created: Type.String({ format: 'date-time', description: 'When it was added, in UTC.' }),
  expires: nullable(Instant, 'When it expires, in UTC; null for never.'),
  former_expires: nullable(
    Instant,
    'Until when the key before the last rotation is also valid, in UTC; null if it is not.',
  ),
  last_used: nullable(Instant, 'Its last granted request, in UTC, to about a second; null before the first.'),
});

export const IssuedKey = objectSchema('IssuedKey', 'A new key.', {
  key: Type.String({
    description: 'The key. It is returned only in this response: the server stores its digest.',
  }),
  token: Token,
});

const ListedToken = objectSchema('ListedToken', 'An API key with its usage.', {
  ...Token.properties,
  requests: Type.Integer({ description: 'Its requests in that month.' }),
});

const MonthlyUsage = objectSchema('MonthlyUsage', 'The requests of a key in a month.', {
  month: Month('The month (UTC).'),
  id: Type.String({ description: 'The id of the key.' }),
  name: nullable(Type.String(), 'Its current name; null for a key from a file.'),
  plan: nullable(Type.String(), 'Its current plan; null for a key from a file.'),
  state: nullable(
    Type.String(),
    '`active`, `suspended`, `expired` or `removed`; null for a key from a file.',
  ),
  requests: Type.Integer({ description: 'Its requests in the month.' }),
});

const next_cursor = Type.Optional(
  Type.String({ description: 'Present if there are more rows: the `cursor` for continuing the list.' }),
);

export const TokenList = objectSchema('TokenList', 'API keys.', {
  month: Month('The month (UTC) whose requests are counted.'),
  tokens: Type.Array(ListedToken, { description: 'The keys, oldest first.' }),
  next_cursor,
});

export const UsageList = objectSchema('UsageList', 'The requests of all keys, including removed ones.', {
  usage: Type.Array(MonthlyUsage, { description: 'Oldest month first.' }),
  next_cursor,
});

const LogEntry = objectSchema('LogEntry', 'A change of an API key.', {
  time: Type.String({ format: 'date-time', description: 'When it was changed, in UTC.' }),
  action: Type.String({
    description:
      '`add`, `edit`, `rotate`, `expire`, `suspend`, `resume`, `remove` or `import`; `unreadable` if the entry is damaged.',
  }),
  id: Type.String({ description: 'The id of the key.' }),
  user: nullable(Type.String(), 'Who ran the command that changed it, and where; null for an operator.'),
  operator: nullable(Type.String(), "The operator's key: its id or position; null for a command."),
  values: Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()]), {
    description: 'The new values. Never a secret.',
  }),
});

export const Log = objectSchema('Log', 'The changes of API keys.', {
  log: Type.Array(LogEntry, { description: 'Oldest first.' }),
  next_cursor,
});

/** The schema of a body; members that are not listed are rejected. */
function bodySchema<Properties extends TProperties>(
  $id: string,
  description: string,
  properties: Properties,
  minProperties?: number,
) {
  const options = { $id, description, additionalProperties: false };
  return Type.Object(properties, minProperties === undefined ? options : { ...options, minProperties });
}

const name = Type.String({
  ...KeyName,
  description: 'Who the key is for: one line.',
  examples: ['mobile app'],
});
const role = Type.Optional(KeyRole);
const plan = Type.Optional(
  Type.String({
    minLength: 1,
    description: 'Its plan, which must be defined on the server.',
    examples: ['default'],
  }),
);
const Expires = Type.Union([Type.String(), Type.Null()], {
  description:
    'When it expires: a date (00:00 UTC), an instant in UTC, a duration from now in `s`, `m`, `h`, `d` or `w`, or `never` or ' +
    'null.',
  examples: ['90d', '2027-01-31', '2027-01-31T12:00:00Z', 'never'],
});

export const NewKey = bodySchema(
  'NewToken',
  'A key to add; by default a client key with the plan `default` that never expires.',
  { name, role, plan, expires: Type.Optional(Expires) },
);

export const TokenEdit = bodySchema(
  'TokenEdit',
  'The changes; at least one member.',
  { name: Type.Optional(name), role, plan },
  1,
);

export const TokenExpiry = bodySchema('TokenExpiry', 'When the key expires, by default now.', {
  expires: Type.Optional({ ...Expires, default: '0' }),
});

export const TokenRotation = bodySchema('TokenRotation', 'How to rotate a key.', {
  overlap: Type.Optional(
    Type.String({
      description: 'How long the old key stays valid: `12h`, `7d`, or `0`.',
      examples: [DEFAULT_OVERLAP],
      default: DEFAULT_OVERLAP,
    }),
  ),
});

export type Token = Static<typeof Token>;
