declare const encoded: unique symbol;
declare const members: unique symbol;

/**
 * The JSON text of a `Value`. The type exists at compile time only: it ties what a route sends to its schema. Its second
 * property makes a text with further members unassignable.
 */
export type Json<Value> = string & {
  readonly [encoded]: Value;
  readonly [members]: Value extends unknown ? keyof Value : never;
};

export function encode<Value>(value: Value): Json<Value> {
  return JSON.stringify(value) as Json<Value>;
}

/** Appends members to the JSON text of an object that has at least one. */
export function withMembers<Base extends object, Members extends object>(
  json: Json<Base>,
  members: Members,
): Json<Base & Members> {
  const more = JSON.stringify(members);
  return (more === '{}' ? json : `${json.slice(0, -1)},${more.slice(1)}`) as Json<Base & Members>;
}

/** Appends one member, whose value is encoded already. */
export function withMember<Base extends object, Name extends string, Value>(
  json: Json<Base>,
  name: Name,
  value: Json<Value>,
): Json<Base & Readonly<Record<Name, Value>>> {
  return `${json.slice(0, -1)},"${name}":${value}}` as Json<Base & Readonly<Record<Name, Value>>>;
}

/** The JSON text of an object with one member, whose value is encoded already. */
export function jsonObject<Name extends string, Value>(
  name: Name,
  value: Json<Value>,
): Json<Readonly<Record<Name, Value>>> {
  return `{"${name}":${value}}` as Json<Readonly<Record<Name, Value>>>;
}

export function jsonArray<Item>(items: readonly Json<Item>[]): Json<Item[]> {
  if (items.length === 0) return '[]' as Json<Item[]>;
  // Brackets around the joined text would copy it once more.
  const pieces: string[] = items.slice();
  pieces[0] = `[${pieces[0]}`;
  pieces[pieces.length - 1] += ']';
  return pieces.join(',') as Json<Item[]>;
}
