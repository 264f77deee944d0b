import type { Static, TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { messageOf, quoted, visible } from './errors.ts';

/** Parses JSON and checks its schema. Throws an `Error` that names the invalid member. */
export function parseChecked<Schema extends TSchema>(
  schema: Schema,
  text: string,
  what: string,
): Static<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`${what} is not JSON: ${visible(messageOf(error))}`);
  }
  if (Value.Check(schema, value)) return value;
  const { path, message } = Value.Errors(schema, value).First()!; // the check failed
  throw new Error(`${what}: ${path === '' ? 'it' : quoted(path.slice(1))} is malformed: ${message}`);
}
