import type { TSchema } from '@sinclair/typebox';
import type { ParameterSchema } from '../parameters/input.ts';
import type { Context, Parameter } from './document.ts';

/** A JSON Schema (2020-12) of the API description. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/**
 * A TypeBox schema for the API description. Schemas with an `$id` are moved to `components` and replaced by a reference.
 * Adapted to client generators: an `enum` for alternative constants, a list of types for nullable values, and the width of
 * numbers, which many generators otherwise take to be 32 bits.
 */
export function publishSchema(schema: TSchema, components: Map<string, JsonSchema>): JsonSchema {
  // Through JSON, which drops TypeBox's symbols.
  return publishObject(JSON.parse(JSON.stringify(schema)), components);
}

function publishObject(schema: JsonSchema, components: Map<string, JsonSchema>): JsonSchema {
  const { $id, ...rest } = schema;
  const members = Object.entries(rest).map(([keyword, value]) => [keyword, publishValue(value, components)]);
  const plain = exact(withWidth(withNull(withEnum(Object.fromEntries(members)))));
  if (typeof $id !== 'string') return plain;
  components.set($id, plain);
  return { $ref: `#/components/schemas/${$id}` };
}

function publishValue(value: unknown, components: Map<string, JsonSchema>): unknown {
  if (Array.isArray(value)) return value.map(item => publishValue(item, components));
  return isObject(value) ? publishObject(value, components) : value;
}

/** Objects have exactly the listed members. */
function exact(schema: JsonSchema): JsonSchema {
  return isObject(schema['properties']) && schema['additionalProperties'] === undefined
    ? { ...schema, additionalProperties: false }
    : schema;
}

function withEnum(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || !anyOf.every(isConstant)) return schema;
  return { type: 'string', enum: anyOf.map(({ const: value }) => value), ...rest };
}

/** `type: [X, 'null']` for a union of a plain type and null. */
function withNull(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || anyOf[1].type !== 'null') return schema;
  const [{ type, ...keywords }] = anyOf;
  return typeof type === 'string' && type !== 'object'
    ? { type: [type, 'null'], ...keywords, ...rest }
    : schema;
}

const INT32_LIMIT = 2 ** 31;

function withWidth(schema: JsonSchema): JsonSchema {
  const [type] = [schema['type']].flat();
  if (type === 'number') return { ...schema, format: 'double' };
  if (type !== 'integer') return schema;
  const { minimum = -Infinity, maximum = Infinity } = schema as { minimum?: number; maximum?: number };
  return { ...schema, format: minimum >= -INT32_LIMIT && maximum < INT32_LIMIT ? 'int32' : 'int64' };
}

function isConstant(schema: unknown): schema is { const: string } {
  return isObject(schema) && typeof schema['const'] === 'string';
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Describes query parameters. */
export function describeParameters(
  schemas: Readonly<Record<string, ParameterSchema>>,
  required: readonly string[],
  context: Pick<Context, 'schemas'>,
): Parameter[] {
  return Object.entries(schemas).map(([name, schema]) => {
    const { description, ...rest } = publishSchema(schema, context.schemas);
    return {
      name,
      in: 'query',
      description: String(description),
      required: required.includes(name),
      example: schema.examples[0],
      schema: rest,
    };
  });
}
