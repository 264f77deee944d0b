import {
  type TNull,
  type TObject,
  type TProperties,
  type TSchema,
  type TUnion,
  Type,
} from '@sinclair/typebox';

declare const encoded: unique symbol;
declare const members: unique symbol;
declare const elements: unique symbol;

/**
 * The JSON text of a `Value`. The type exists only at compile time, to check what a route sends against its schema. Because of
 * its second property, a text with additional members is not assignable.
 */
export type Json<Value> = string & {
  readonly [encoded]: Value;
  readonly [members]: Value extends unknown ? keyof Value : never;
};

/** The JSON text of one or more elements of an array, separated by commas. */
export type JsonElements<Item> = string & { readonly [elements]: Item };

export function encode<Value>(value: Value): Json<Value> {
  return JSON.stringify(value) as Json<Value>;
}

/** The elements of an array, which must have at least one. */
export function encodeElements<Item>(items: readonly Item[]): JsonElements<Item> {
  return JSON.stringify(items).slice(1, -1) as JsonElements<Item>;
}

/** Appends members to the JSON text of an object that has at least one. */
export function withMembers<Base extends object, Members extends object>(
  json: Json<Base>,
  members: Members,
): Json<Base & Members> {
  return joinObjects(json, encode(members));
}

/** The JSON text of an object with the members of two; the first has at least one, and they have none in common. */
export function joinObjects<Base extends object, Members extends object>(
  json: Json<Base>,
  members: Json<Members>,
): Json<Base & Members> {
  const more: string = members;
  return (more === '{}' ? json : `${json.slice(0, -1)},${more.slice(1)}`) as Json<Base & Members>;
}

/** Appends one member, whose value is already encoded. */
export function withMember<Base extends object, Name extends string, Value>(
  json: Json<Base>,
  name: Name,
  value: Json<Value>,
): Json<Base & Readonly<Record<Name, Value>>> {
  return `${json.slice(0, -1)},"${name}":${value}}` as Json<Base & Readonly<Record<Name, Value>>>;
}

/** The JSON text of an object with one member, whose value is already encoded. */
export function jsonObject<Name extends string, Value>(
  name: Name,
  value: Json<Value>,
): Json<Readonly<Record<Name, Value>>> {
  return `{"${name}":${value}}` as Json<Readonly<Record<Name, Value>>>;
}

/** The JSON text of an array, from single elements or groups of them. */
export function jsonArray<Item>(items: readonly (Json<Item> | JsonElements<Item>)[]): Json<Item[]> {
  if (items.length === 0) return '[]' as Json<Item[]>;
  // Adding brackets to the joined text would copy it again.
  const pieces: string[] = items.slice();
  pieces[0] = `[${pieces[0]}`;
  pieces[pieces.length - 1] += ']';
  return pieces.join(',') as Json<Item[]>;
}

const [QUOTE, COMMA, BACKSLASH] = [34, 44, 92];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [91, 93, 123, 125];

/**
 * The nesting depth of JSON and the number of commas outside strings, whether it is valid or not; stops when either exceeds its
 * maximum. For hundreds of thousands of brackets or short values, `JSON.parse` takes several milliseconds, and this half of one.
 */
export function measureJson(
  text: string,
  maxDepth: number,
  maxCommas = Number.POSITIVE_INFINITY,
): { readonly depth: number; readonly commas: number } {
  let [depth, deepest, commas] = [0, 0, 0];
  let isInString = false;
  for (let at = 0; at < text.length && deepest <= maxDepth && commas <= maxCommas; at++) {
    const code = text.charCodeAt(at);
    if (isInString && code === BACKSLASH) at++;
    else if (code === QUOTE) isInString = !isInString;
    else if (isInString) continue;
    else if (code === COMMA) commas++;
    else if (code === OPEN_BRACKET || code === OPEN_BRACE) deepest = Math.max(deepest, ++depth);
    else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth--;
  }
  return { depth: deepest, commas };
}

/** Whether a JSON value is an object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The schema of an object that API descriptions list under a name. */
export function objectSchema<Properties extends TProperties>(
  $id: string,
  description: string,
  properties: Properties,
): TObject<Properties> {
  return Type.Object(properties, { $id, description });
}

/** The schema of a value that can be null. */
export function nullable<Schema extends TSchema>(
  schema: Schema,
  description: string,
): TUnion<[Schema, TNull]> {
  return Type.Union([schema, Type.Null()], { description });
}
