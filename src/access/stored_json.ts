/** Keys and log entries as JSON in stores and transfer files, which other programs may have written. */
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { checked } from '../common/checked_json.ts';
import { ROLES } from './key_format.ts';
import { LOGGED_VALUES, type LogEntry, type LogPosition } from './key_store.ts';

/** An instant within the range of dates. */
export const EpochMs = Type.Integer({ minimum: -8.64e15, maximum: 8.64e15 });
export const EpochMsOrNull = Type.Union([EpochMs, Type.Null()]);
export const Digest = Type.String({ pattern: '^[0-9a-f]{64}$' });
export const KeyRole = Type.Union(ROLES.map(role => Type.Literal(role)));

const TextOrNull = Type.Union([Type.String(), Type.Null()]);

/** An entry of the log apart from its position. */
const LoggedChange = Type.Object({
  action: Type.String({ minLength: 1 }),
  id: Type.String({ minLength: 1 }),
  user: TextOrNull,
  operator: TextOrNull,
  values: Type.Object(Object.fromEntries(LOGGED_VALUES.map(name => [name, Type.Optional(TextOrNull)]))),
});

/** The entry at a position; one that is `unreadable` if the text is not an entry. Drops members that are not known. */
export function readLogEntry({ timeMs, serial }: LogPosition, text: string): LogEntry {
  try {
    const change = checked(LoggedChange, Value.Clean(LoggedChange, JSON.parse(text)));
    return { ...(change as LogEntry), timeMs, serial };
  } catch {
    return { timeMs, serial, action: 'unreadable', id: '', user: null, operator: null, values: {} };
  }
}
