import { type Static, Type } from '@sinclair/typebox';
import { DEFAULT_OVERLAP, KeyName } from '../../access/administration.ts';
import { ROLES } from '../../access/key_format.ts';

const Name = Type.String({
  ...KeyName,
  description: 'Who the key is for: one line.',
  examples: ['mobile app'],
});
const KeyRole = Type.Union(
  ROLES.map(role => Type.Literal(role)),
  { description: 'Its permissions: an operator may also read metrics and use this API.' },
);
const PlanName = Type.String({
  minLength: 1,
  description: 'Its plan, which must be defined on the server.',
  examples: ['default'],
});
const Expires = Type.Union([Type.String(), Type.Null()], {
  description:
    'When it expires: a date (00:00 UTC), an instant in UTC, a duration from now in `s`, `m`, `h`, `d` or `w`, or `never` or ' +
    'null.',
  examples: ['90d', '2027-01-31', '2027-01-31T12:00:00Z', 'never'],
});

/** A stored key. */
export const Token = Type.Object(
  {
    id: Type.String({ description: 'The public part of the key; rotation does not change it.' }),
    name: Type.String({ description: 'Who the key is for.' }),
    role: KeyRole,
    plan: Type.String({ description: 'Its plan.' }),
    state: Type.Union(
      (['active', 'suspended', 'expired'] as const).map(state => Type.Literal(state)),
      { description: 'Requests are rejected unless it is active.' },
    ),
    created: Type.String({ format: 'date-time', description: 'When it was added, in UTC.' }),
    expires: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When it expires, in UTC; null for never.',
    }),
    last_used: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'Its last granted request, in UTC, to about a second; null before the first.',
    }),
  },
  { $id: 'ApiToken', description: 'An API key, without the key itself.' },
);

export const IssuedKey = Type.Object(
  {
    key: Type.String({
      description: 'The key. It is returned only in this response: the server stores its digest.',
    }),
    token: Token,
  },
  { $id: 'IssuedKey', description: 'A new key.' },
);

const NextCursor = Type.Optional(
  Type.String({ description: 'Present if there are more rows: the `cursor` for continuing the list.' }),
);

export const TokenList = Type.Object(
  {
    month: Type.String({
      description: 'The month (UTC) whose requests are counted.',
      examples: ['2026-11'],
    }),
    tokens: Type.Array(
      Type.Object(
        {
          ...Token.properties,
          requests: Type.Integer({ description: 'Its requests in that month.' }),
        },
        { $id: 'ListedToken', description: 'An API key with its usage.' },
      ),
      { description: 'The keys, oldest first.' },
    ),
    next_cursor: NextCursor,
  },
  { $id: 'TokenList', description: 'API keys.' },
);

export const UsageList = Type.Object(
  {
    usage: Type.Array(
      Type.Object(
        {
          month: Type.String({ description: 'The month (UTC).', examples: ['2026-11'] }),
          id: Type.String({ description: 'The id of the key.' }),
          name: Type.Union([Type.String(), Type.Null()], {
            description: 'Its current name; null for a key from a file.',
          }),
          plan: Type.Union([Type.String(), Type.Null()], {
            description: 'Its current plan; null for a key from a file.',
          }),
          state: Type.Union([Type.String(), Type.Null()], {
            description: '`active`, `suspended`, `expired` or `removed`; null for a key from a file.',
          }),
          requests: Type.Integer({ description: 'Its requests in the month.' }),
        },
        { $id: 'MonthlyUsage', description: 'The requests of a key in a month.' },
      ),
      { description: 'Oldest month first.' },
    ),
    next_cursor: NextCursor,
  },
  { $id: 'UsageList', description: 'The requests of all keys, including removed ones.' },
);

const EXACT = { additionalProperties: false };

export const NewKey = Type.Object(
  {
    name: Name,
    role: Type.Optional(KeyRole),
    plan: Type.Optional(PlanName),
    expires: Type.Optional(Expires),
  },
  {
    $id: 'NewToken',
    description: 'A key to add; by default a client key with the plan `default` that never expires.',
    ...EXACT,
  },
);

export const TokenEdit = Type.Object(
  { name: Type.Optional(Name), role: Type.Optional(KeyRole), plan: Type.Optional(PlanName) },
  { $id: 'TokenEdit', description: 'The changes; at least one member.', minProperties: 1, ...EXACT },
);

export const TokenExpiry = Type.Object(
  { expires: Type.Optional({ ...Expires, default: '0' }) },
  { $id: 'TokenExpiry', description: 'When the key expires, by default now.', ...EXACT },
);

export const TokenRotation = Type.Object(
  {
    overlap: Type.Optional(
      Type.String({
        description: 'How long the old key stays valid: `12h`, `7d`, or `0`.',
        examples: [DEFAULT_OVERLAP],
        default: DEFAULT_OVERLAP,
      }),
    ),
  },
  { $id: 'TokenRotation', description: 'How to rotate a key.', ...EXACT },
);

export type Token = Static<typeof Token>;
export type NewKey = Static<typeof NewKey>;
export type TokenEdit = Static<typeof TokenEdit>;
export type TokenExpiry = Static<typeof TokenExpiry>;
export type TokenRotation = Static<typeof TokenRotation>;
