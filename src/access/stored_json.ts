/** Keys and log entries as JSON in stores and transfer files, which other programs may have written. */
import { Type } from '@sinclair/typebox';
import { checked } from '../common/checked_json.ts';
import { ROLES } from './key_format.ts';
import { KEY_ACTIONS, LOGGED_VALUES, type LogEntry, type LogPosition } from './key_store.ts';

/** An instant within the range of dates. */
export const EpochMs = Type.Integer({ minimum: -8.64e15, maximum: 8.64e15 });
export const EpochMsOrNull = Type.Union([EpochMs, Type.Null()]);
export const Digest = Type.String({ pattern: '^[0-9a-f]{64}$' });
export const KeyRole = Type.Union(ROLES.map(role => Type.Literal(role)));

const TextOrNull = Type.Union([Type.String(), Type.Null()]);

/** An entry of the log apart from its position. */
const LoggedChange = Type.Object({
  action: Type.Union(KEY_ACTIONS.map(action => Type.Literal(action))),
  id: Type.String({ minLength: 1 }),
  user: TextOrNull,
  operator: TextOrNull,
  values: Type.Object(Object.fromEntries(LOGGED_VALUES.map(name => [name, Type.Optional(TextOrNull)]))),
});

/** The entry at a position, with its known members; one that is `unreadable` if the text is not an entry. */
export function readLogEntry({ timeMs, serial }: LogPosition, text: string): LogEntry {
  try {
    const { action, id, user, operator, values } = checked(LoggedChange, JSON.parse(text));
    const known = LOGGED_VALUES.flatMap(name => (values[name] === undefined ? [] : [[name, values[name]]]));
    return { timeMs, serial, action, id, user, operator, values: Object.fromEntries(known) };
  } catch {
    return { timeMs, serial, action: 'unreadable', id: '', user: null, operator: null, values: {} };
  }
}
