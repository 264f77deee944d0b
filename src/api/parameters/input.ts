import { type TInteger, type TNumber, type TSchema, type TString, Type } from '@sinclair/typebox';
import { quoted, quotedSigned, unreadable } from '../../common/errors.ts';
import type { Query } from '../../http/query.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import type { DataSets } from '../../operations/served_data.ts';
import type { IpAddress } from '../../places/ip_address.ts';

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
  /** The client's address; reading it restricts the values to this request. */
  clientAddress(): IpAddress | undefined;
  /** Restricts the values to this request. */
  preventCaching(): void;
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
    decode(query, context) {
      const text = query.get(name);
      if (text === undefined) throw unreadable(name, `it is missing: give ${usage}`);
      return parse(text, name, context);
    },
  });
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

/** Parses one of at least two words. */
export function parseChoice<Choice extends string>(
  text: string,
  parameter: string,
  choices: readonly Choice[],
): Choice {
  const known = choices.find(name => name === text);
  if (known !== undefined) return known;
  const names = choices.map(quoted);
  throw unreadable(parameter, `${quoted(text)} is not ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`);
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

export const CountryText = text('ISO 3166-1 alpha-2 country code.', 'DE', { pattern: '^[A-Za-z]{2}$' });

export const FormatText = text('strftime pattern; adds `formatted`.', '%A, %d %B %Y', { maxLength: 256 });

const WHOLE = /^[ +-]?[0-9]+$/;
const DECIMAL = /^ ?[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)$/;

/** Parses a whole number; a leading space is an unescaped `+`. Those above 2⁵³ are inexact, but out of every range anyway. */
export function parseWholeNumber(text: string, parameter: string, unit: string): number {
  if (WHOLE.test(text)) return Number(text) + 0; // not -0
  throw unreadable(parameter, `${quotedSigned(text)} is not a whole number of ${unit}`);
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
