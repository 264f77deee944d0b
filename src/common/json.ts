import {
  type TNull,
  type TObject,
  type TProperties,
  type TSchema,
  type TUnion,
  Type,
} from '@sinclair/typebox';
import { quoted } from './errors.ts';

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

/** Why a JSON text is rejected: `it is not JSON`. */
export class JsonError extends Error {
  /** Whether it is not JSON at all. */
  readonly isSyntax: boolean;

  constructor(message: string, isSyntax = false) {
    super(message);
    this.isSyntax = isSyntax;
  }
}

/** Limits for a JSON text, beyond which `JSON.parse` would take several milliseconds. */
export interface JsonLimits {
  /** The maximum nesting depth. */
  readonly depth: number;
  /** The maximum number of commas and colons outside strings, and the message for more of them. */
  readonly separators?: { readonly maximum: number; readonly fault: string };
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parses JSON in UTF-8 like {@link parseStrictJsonText}. */
export function parseStrictJson(bytes: Uint8Array, limits: JsonLimits): unknown {
  return parseStrictJsonText(decodeUtf8(bytes), limits);
}

/**
 * Parses JSON that is unambiguous (RFC 7493, I-JSON): no object has a member twice, and no string an unpaired surrogate. Throws a
 * JsonError.
 */
export function parseStrictJsonText(text: string, limits: JsonLimits): unknown {
  const ambiguity = scanJson(text, limits);
  const value = parseJson(text);
  if (ambiguity !== undefined) throw new JsonError(ambiguity);
  return value;
}

/** Decodes UTF-8. Throws a JsonError if it is invalid. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new JsonError('it is not UTF-8', true);
  }
}

/** Parses JSON. Throws a JsonError, which does not quote the text, since it may be secret. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new JsonError('it is not JSON', true);
  }
}

const [QUOTE, COMMA, COLON, BACKSLASH] = [34, 44, 58, 92];
const [LETTER_D, LETTER_U] = [100, 117];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [91, 93, 123, 125];

const ESCAPED_SURROGATE = /\\ud[89a-f]/iy;
const ESCAPED_PAIR = /\\ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}/iy;

/**
 * Why a text is ambiguous; undefined if it is not. Reads each character at most twice, even in a text that is not JSON. Throws a
 * JsonError beyond a limit.
 */
function scanJson(text: string, limits: JsonLimits): string | undefined {
  const maxSeparators = limits.separators?.maximum ?? Number.POSITIVE_INFINITY;
  const namesAt: (Set<string> | undefined)[] = []; // by depth, of the objects around the position
  let [depth, separators, start, end] = [0, 0, -1, 0]; // the quotes of the string that may be a member's name
  let isInString = false;
  let ambiguity: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      if (isInString) end = at;
      else start = at;
      isInString = !isInString;
    } else if (isInString) {
      if (code !== BACKSLASH) continue;
      // The letters first: a regular expression for each backslash would take several times as long.
      const mayBeSurrogate =
        text.charCodeAt(at + 1) === LETTER_U && (text.charCodeAt(at + 2) | 32) === LETTER_D;
      if (mayBeSurrogate && ambiguity === undefined) {
        if (startsAt(text, at, ESCAPED_PAIR)) at += 6;
        else if (startsAt(text, at, ESCAPED_SURROGATE))
          ambiguity = 'it has an unpaired surrogate in a string';
      }
      at++;
    } else if (code === COMMA || code === COLON) {
      if (++separators > maxSeparators) throw new JsonError(limits.separators!.fault);
      if (code === COMMA || start < 0) continue;
      const string = text.slice(start, end + 1);
      start = -1; // a string is a name once, however many colons follow
      const name = string.includes('\\') ? String(parseJson(string)) : string.slice(1, -1);
      const names = namesAt[depth];
      if (names?.has(name)) ambiguity ??= `it has the member ${quoted(name)} twice`;
      if (names === undefined) namesAt[depth] = new Set([name]);
      else names.add(name);
    } else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      namesAt[++depth] = undefined;
      if (depth > limits.depth) throw new JsonError(`it is nested deeper than ${limits.depth} levels`);
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth = Math.max(0, depth - 1);
  }
  return ambiguity;
}

function startsAt(text: string, at: number, sticky: RegExp): boolean {
  sticky.lastIndex = at;
  return sticky.test(text);
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
