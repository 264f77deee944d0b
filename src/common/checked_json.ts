import type { Static, TSchema } from '@sinclair/typebox';
import { Value, type ValueError } from '@sinclair/typebox/value';
import { messageOf, quoted } from './errors.ts';
import { parseJson } from './json.ts';
import { listed } from './words.ts';

/** Parses JSON and checks its schema. Throws an `Error` that names the invalid member. */
export function parseChecked<Schema extends TSchema>(
  schema: Schema,
  text: string,
  what: string,
): Static<Schema> {
  try {
    return checked(schema, parseJson(text));
  } catch (error) {
    throw new Error(`${what}: ${messageOf(error)}`);
  }
}

/** A value that matches a schema. Throws an `Error` that names the invalid member, and does not quote values. */
export function checked<Schema extends TSchema>(schema: Schema, value: unknown): Static<Schema> {
  if (Value.Check(schema, value)) return value;
  const { member, reason } = schemaFault(schema, value)!; // the check failed
  throw new Error(`${member === '' ? 'it' : quoted(member)} is malformed: ${reason}`);
}

/** Why a value does not match a schema. */
export interface SchemaFault {
  /** The path of the invalid member, such as `former/sha256`; '' for the value itself. */
  readonly member: string;
  /** `expected 'client' or 'operator'` */
  readonly reason: string;
  readonly error: ValueError;
}

/** The first fault of a value; undefined if it matches. The fault in a union is that of the variant which matches furthest. */
export function schemaFault(schema: TSchema, value: unknown): SchemaFault | undefined {
  const first = Value.Errors(schema, value).First();
  if (first === undefined) return undefined;
  const error = furthest(first);
  const member = error.path.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
  const choices = (error.schema['anyOf'] ?? []).map(({ const: only, type }: TSchema) =>
    only === undefined ? type : quoted(only),
  );
  const reason = choices.length > 0 ? `expected ${listed(choices, 'or')}` : error.message.toLowerCase();
  return { member, reason, error };
}

/** The error of a variant of a union that is about one of its members; otherwise the error of the union. */
function furthest(error: ValueError): ValueError {
  const depth = ({ path }: ValueError) => path.split('/').length;
  return error.errors
    .flatMap(variant => variant.First() ?? [])
    .map(furthest)
    .reduce((best, other) => (depth(other) > depth(best) ? other : best), error);
}
