import type { TSchema } from '@sinclair/typebox';

/** A JSON Schema (2020-12) of the API description. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/**
 * A TypeBox schema for the API description. Schemas with an `$id` are gathered under it in `components`, and a reference
 * stands in their place; alternatives of constants become an `enum`, as readers of descriptions expect.
 */
export function publishSchema(schema: TSchema, components: Map<string, JsonSchema>): JsonSchema {
  // Through JSON, which leaves the symbols of TypeBox behind.
  return publishObject(JSON.parse(JSON.stringify(schema)), components);
}

function publishObject(schema: JsonSchema, components: Map<string, JsonSchema>): JsonSchema {
  const { $id, ...rest } = schema;
  const members = Object.entries(rest).map(([keyword, value]) => [keyword, publishValue(value, components)]);
  const plain = exact(withEnum(Object.fromEntries(members)));
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

function isConstant(schema: unknown): schema is { const: string } {
  return isObject(schema) && typeof schema['const'] === 'string';
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
