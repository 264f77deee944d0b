import { type TInteger, type TNumber, type TSchema, type TString, Type } from '@sinclair/typebox';
import { quoted, quotedSigned, unreadable } from '../common/errors.ts';
import { listed } from '../common/words.ts';
import type { KnownParameters, Query } from '../http/query.ts';
import type { Snapshot } from '../http/snapshot.ts';
import { type DataSets, withRequired, ZONES } from '../operations/served_data.ts';
import type { IpAddress } from '../places/ip_address.ts';

/** The published schema of a query parameter. Every parameter is described and has an example. */
export type ParameterSchema = TSchema & {
  readonly description: string;
  readonly examples: readonly [unknown, ...unknown[]];
};

/** What decoding a parameter can use besides the query. */
export interface DecodeContext {
  readonly snapshot: Snapshot;
  /** The current time, in milliseconds since 1970-01-01T00:00:00Z; only for errors, since decoded values are cached. */
  readonly nowMs: number;
  /** Whether the response has `details`, for which values have to contain more. */
  readonly wantsDetails: boolean;
  /** The client's address; only for values that are {@link Input.isPerRequest}. */
  clientAddress(): IpAddress | undefined;
}

/** One value that a route receives, decoded from one query parameter or from several, such as the selectors of a target. */
export interface Input<Value, Selected = unknown> {
  /** The parameters by name, in the order in which errors in them are reported. */
  readonly parameters: Readonly<Record<string, ParameterSchema>>;
  /** Those of them that are always required. */
  readonly required?: readonly string[];
  /** Undocumented parameters, which are only known in order to be rejected. */
  readonly hidden?: readonly string[];
  /** The data sets that {@link decode} can read. A route with an input that reads zones accepts `tzdata`. */
  readonly reads?: DataSets;
  /** The value if a query has none of the parameters, as most queries; the other methods are then not called. */
  readonly absent?: Value;
  /** Selects among alternatives, for all inputs before the first is decoded. Throws `AMBIGUOUS_TARGET` for several. */
  select?(query: Query): Selected;
  /** The data sets that a query reads; with the decoded `value`, those of which it consists, without failed entries of a list. */
  readsIn?(query: Query, selected: Selected, snapshot: Snapshot, value?: Value): DataSets;
  /** Whether a value depends on the request itself, such as the client's address; the response then has no entity tag. */
  isPerRequest?(selected: Selected, value: Value): boolean;
  /** Decodes the value; if that takes long, in slices, between which other requests are served. Throws ServiceError. */
  decode(query: Query, context: DecodeContext, selected: Selected): Value | Promise<Value>;
}

/** Creates the input that a route declares under a name; an input with a single parameter uses the name for it, too. */
export type InputFactory<Value> = (name: string) => Input<Value>;

export type Inputs = Readonly<Record<string, InputFactory<unknown>>>;

export type Values<Declared extends Inputs> = {
  readonly [Name in keyof Declared]: Declared[Name] extends InputFactory<infer Value> ? Value : never;
};

/** Parses the text of one query parameter. Throws ServiceError. */
type Parse<Value> = (text: string, name: string, context: DecodeContext) => Value;

/** An optional input of one query parameter: null if it was not supplied. `reads` are the data sets that `parse` reads. */
export function optional<Value>(
  schema: ParameterSchema,
  parse: Parse<Value>,
  reads: DataSets = 0,
): InputFactory<Value | null> {
  return name => ({
    parameters: { [name]: schema },
    reads,
    absent: null,
    decode: (query, context) => parsedValue(query, name, text => parse(text, name, context)),
  });
}

/** The parser of texts that are used as given. */
export const asGiven = (text: string): string => text;

/** The value of a parameter; null if it was not supplied. Throws ServiceError. */
export function parsedValue<Value>(
  query: Query,
  name: string,
  parse: (text: string, name: string) => Value,
): Value | null {
  const text = query.get(name);
  return text === undefined ? null : parse(text, name);
}

/** A required input of one query parameter; `usage` follows `give` in the error for a missing one. */
export function required<Value>(
  schema: ParameterSchema,
  usage: string,
  parse: Parse<Value>,
): InputFactory<Value> {
  return name => ({
    parameters: { [name]: schema },
    required: [name],
    decode: (query, context) => parse(requiredText(query, name, usage), name, context),
  });
}

/** The text of a required parameter; `usage` follows `give` in the error for a missing one. */
export function requiredText(query: Query, name: string, usage: string): string {
  const text = query.get(name);
  if (text === undefined) throw unreadable(name, `it is missing: give ${usage}`);
  return text;
}

/** An input of several query parameters with names of their own. `readsOf`: the data sets that supplied parameters read. */
export function group<Value, Selected>({
  readsOf,
  ...input
}: Input<Value, Selected> & { readonly readsOf?: Readonly<Record<string, DataSets>> }): InputFactory<Value> {
  if (readsOf === undefined) return () => input;
  const reads = Object.entries(readsOf);
  return () => ({
    ...input,
    reads: reads.reduce((sets, [, read]) => sets | read, 0),
    readsIn: query => reads.reduce((sets, [name, read]) => (query.has(name) ? sets | read : sets), 0),
  });
}

/** The schema of a non-empty text. */
export function text(
  description: string,
  example: string,
  limits: { readonly pattern?: string; readonly maxLength?: number } = {},
): TString & ParameterSchema {
  return Type.String({ description, examples: [example], minLength: 1, ...limits }) as TString &
    ParameterSchema;
}

/** The schema of a whole number. */
export function whole(
  description: string,
  example: number,
  maximum: number,
  minimum = -maximum,
): TInteger & ParameterSchema {
  return Type.Integer({ description, examples: [example], minimum, maximum }) as TInteger & ParameterSchema;
}

/** The schema of decimal degrees from -`limit` to `limit`. */
export function degrees(description: string, example: number, limit: number): TNumber & ParameterSchema {
  return Type.Number({ description, examples: [example], minimum: -limit, maximum: limit }) as TNumber &
    ParameterSchema;
}

/** The schema of one of several words. */
export function choice(
  choices: readonly string[],
  description: string,
  example = choices[0]!,
): ParameterSchema {
  return Type.String({ description, enum: [...choices], examples: [example] }) as unknown as ParameterSchema;
}

/** Parses one of at least two words. Throws `INVALID_PARAMETER`. */
export function parseChoice<Choice extends string>(
  text: string,
  parameter: string,
  choices: readonly Choice[],
): Choice {
  const known = choices.find(name => name === text);
  if (known !== undefined) return known;
  throw unreadable(parameter, `${quoted(text)} is not ${listed(choices.map(quoted), 'or')}`);
}

/** A boolean parameter: true when its value is exactly `true`. */
export function flag(description: string): InputFactory<boolean> {
  return name => ({
    parameters: { [name]: flagSchema(description) },
    absent: false,
    decode: query => query.flag(name),
  });
}

export function flagSchema(description: string): ParameterSchema {
  return Type.Boolean({
    description: `${description} On when exactly \`true\`.`,
    examples: [true],
  }) as unknown as ParameterSchema;
}

/** A parameter that is rejected with a reason when it is `true`. */
export function rejectedFlag(reason: string): InputFactory<null> {
  return rejected(reason, (query, name) => query.flag(name));
}

/** A parameter that is rejected with a reason, regardless of its value. */
export function rejectedParameter(reason: string): InputFactory<null> {
  return rejected(reason, (query, name) => query.get(name) !== undefined);
}

function rejected(reason: string, isRejected: (query: Query, name: string) => boolean): InputFactory<null> {
  return name => ({
    parameters: {},
    hidden: [name],
    absent: null,
    decode(query) {
      if (isRejected(query, name)) throw unreadable(name, reason);
      return null;
    },
  });
}

const WHOLE = /^[ +-]?[0-9]+$/;
const DECIMAL = /^ ?[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)$/;

/** Parses a whole number; a leading space is an unescaped `+`. Those above 2⁵³ are inexact, but out of every range anyway. */
export function parseWholeNumber(text: string, parameter: string, unit: string): number {
  if (WHOLE.test(text)) return Number(text) + 0; // not -0
  throw unreadable(parameter, `${quotedSigned(text)} is not a whole number of ${unit}`);
}

/** Parses a whole number in a range, both ends inclusive. */
export function parseWholeWithin(
  text: string,
  parameter: string,
  unit: string,
  maximum: number,
  minimum: number,
): number {
  const number = parseWholeNumber(text, parameter, unit);
  if (number >= minimum && number <= maximum) return number;
  throw unreadable(parameter, `${quotedSigned(text)} is not between ${minimum} and ${maximum}`);
}

/** An optional whole number of a unit in a range, both ends inclusive. */
export function wholeWithin(
  description: string,
  unit: string,
  example: number,
  maximum: number,
  minimum = 1,
): InputFactory<number | null> {
  return optional(whole(description, example, maximum, minimum), (text, name) =>
    parseWholeWithin(text, name, unit, maximum, minimum),
  );
}

/** Parses plain decimal degrees from -`limit` to `limit`. */
export function parseDegrees(text: string, parameter: string, limit: number): number {
  if (!DECIMAL.test(text))
    throw unreadable(parameter, `${quotedSigned(text)} is not a number of decimal degrees`);
  const degrees = Number(text);
  if (Math.abs(degrees) > limit) {
    throw unreadable(parameter, `${quotedSigned(text)} is not between -${limit} and ${limit} degrees`);
  }
  return degrees;
}

type Parameters = Readonly<Record<string, ParameterSchema>>;

/** Replaces the selection of an input if the query has none of its parameters, so its value is known. */
const ABSENT = Symbol('absent');

/** What each input has selected in a query, before any is decoded. */
export type Selections = readonly unknown[];

/** The decoded values of inputs by name. */
export type DecodedValues = Readonly<Record<string, unknown>>;

/** The bit of the parameters common to all routes. */
const COMMON = 1 << 31;

/** The inputs of a route or another endpoint, whose handler receives their values by name. */
export class InputSet {
  /** The documented parameters by name, in the order in which errors in them are reported. */
  readonly parameters: Parameters;
  /** Those that are always required. */
  readonly required: readonly string[];
  /** The parameters that are not ignored, with the bit of their input. */
  readonly known: KnownParameters;
  readonly #names: readonly string[];
  readonly #inputs: readonly Input<unknown>[];
  /** The bits of inputs that are decoded for every query. */
  readonly #alwaysDecoded: number;
  /** The values for a query without parameters; those of inputs that are always decoded are replaced. */
  readonly #absentValues: DecodedValues;

  /** `ofZones` are added if an input reads zones; `common` are documented after the others. */
  constructor(path: string, declared: Inputs, common: Parameters, ofZones: Inputs = {}) {
    const own = inputsOf(declared);
    const readsZones = Object.values(own).some(({ reads = 0 }) => (reads & ZONES) !== 0);
    const byName = readsZones ? { ...own, ...inputsOf(ofZones) } : own;
    this.#names = Object.keys(byName);
    this.#inputs = Object.values(byName);
    this.parameters = uniqueParameters([...this.#inputs.map(input => input.parameters), common], path);
    this.required = this.#inputs.flatMap(({ required }) => required ?? []);
    // A bit for each input, and one for all common parameters. From the 32nd input on, inputs share bits: if one of them is
    // supplied, the other is decoded needlessly.
    const bits = new Map<string, number>();
    let alwaysDecoded = 0;
    for (const [index, input] of this.#inputs.entries()) {
      const bit = 1 << index;
      if (!('absent' in input)) alwaysDecoded |= bit;
      for (const name of [...Object.keys(input.parameters), ...(input.hidden ?? [])]) bits.set(name, bit);
    }
    for (const name of Object.keys(common)) if (!bits.has(name)) bits.set(name, COMMON);
    this.#alwaysDecoded = alwaysDecoded;
    this.#absentValues = Object.fromEntries(
      this.#inputs.map(({ absent }, index) => [this.#names[index], absent]),
    );
    this.known = new Map([...bits].map(([name, bits]) => [name, { name, bits }]));
  }

  /** Whether a query has any of the common parameters. */
  hasCommon(query: Query): boolean {
    return (query.bits & COMMON) !== 0;
  }

  /** What each input selects in a query. Throws ServiceError for ambiguous parameters. */
  select(query: Query): Selections {
    const supplied = query.bits | this.#alwaysDecoded;
    const selected: unknown[] = [];
    for (let index = 0; index < this.#inputs.length; index++)
      selected.push((supplied >> index) & 1 ? this.#inputs[index]!.select?.(query) : ABSENT);
    return selected;
  }

  /** The data sets that a query reads; with its decoded values, those that they consist of. */
  readsIn(query: Query, selected: Selections, snapshot: Snapshot, values?: DecodedValues): DataSets {
    let sets = 0;
    for (let index = 0; index < this.#inputs.length; index++) {
      if (selected[index] === ABSENT) continue;
      const input = this.#inputs[index]!;
      const value = values?.[this.#names[index]!];
      sets |= input.readsIn?.(query, selected[index], snapshot, value) ?? input.reads ?? 0;
    }
    return withRequired(sets, snapshot);
  }

  /** Whether a decoded value depends on the request itself, not only on its query and data. */
  isPerRequest(selected: Selections, values: DecodedValues): boolean {
    return this.#inputs.some(
      (input, index) =>
        selected[index] !== ABSENT &&
        input.isPerRequest?.(selected[index], values[this.#names[index]!]) === true,
    );
  }

  /**
   * Decodes a query into values by name, one after another, so that the first error is the one reported; returns a promise if that
   * takes long. Throws ServiceError.
   */
  decode(query: Query, selected: Selections, context: DecodeContext): DecodedValues | Promise<DecodedValues> {
    return this.#decodeFrom(0, query, selected, context, { ...this.#absentValues });
  }

  #decodeFrom(
    first: number,
    query: Query,
    selected: Selections,
    context: DecodeContext,
    values: Record<string, unknown>,
  ): DecodedValues | Promise<DecodedValues> {
    for (let index = first; index < this.#inputs.length; index++) {
      if (selected[index] === ABSENT) continue;
      const name = this.#names[index]!;
      const value = this.#inputs[index]!.decode(query, context, selected[index]);
      if (value instanceof Promise) return this.#decodeAfter(value, index, query, selected, context, values);
      values[name] = value;
    }
    return values;
  }

  async #decodeAfter(
    value: Promise<unknown>,
    index: number,
    query: Query,
    selected: Selections,
    context: DecodeContext,
    values: Record<string, unknown>,
  ): Promise<DecodedValues> {
    values[this.#names[index]!] = await value;
    return this.#decodeFrom(index + 1, query, selected, context, values);
  }
}

function inputsOf(declared: Inputs): Readonly<Record<string, Input<unknown>>> {
  return Object.fromEntries(Object.entries(declared).map(([name, make]) => [name, make(name)]));
}

/** The parameters of all inputs; no two of them may have the same name. */
function uniqueParameters(groups: readonly Parameters[], path: string): Parameters {
  const parameters: Record<string, ParameterSchema> = {};
  for (const group of groups) {
    for (const name in group) {
      if (name in parameters) throw new Error(`${path} declares ${quoted(name)} twice`);
      parameters[name] = group[name]!;
    }
  }
  return parameters;
}
