import type { TSchema } from '@sinclair/typebox';
import { unreadable } from '../../common/errors.ts';
import type { Query } from '../../http/query.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import type { IpAddress } from '../../places/ip_address.ts';
import type { LazyData } from '../../places/lazy_data.ts';

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

/**
 * One value that a route receives, decoded from one query parameter or from several that belong together, such as the
 * selectors of a target.
 */
export interface Input<Value, Selected = unknown> {
  /** The parameters by name, in the order in which errors in them are reported. */
  readonly parameters: Readonly<Record<string, ParameterSchema>>;
  /** Those of them that are always required. */
  readonly required?: readonly string[];
  /** Undocumented parameters, which are only known in order to be rejected. */
  readonly hidden?: readonly string[];
  /** Whether the value depends on time zones; a route with such an input accepts `tzdata`. */
  readonly readsZones?: true;
  /**
   * The value if a query has none of the parameters; the other methods are then not called, since routes have many inputs but
   * most queries have few parameters. Without it, {@link decode} determines the value.
   */
  readonly absent?: Value;
  /**
   * Selects among alternatives; called for all inputs of a route before the first is decoded. Throws `AMBIGUOUS_TARGET` for
   * mutually exclusive alternatives.
   */
  select?(query: Query): Selected;
  /** Data that {@link decode} needs and that is not loaded yet; once it is, more may be needed. */
  pending?(selected: Selected, snapshot: Snapshot): LazyData<unknown> | undefined;
  /** Decodes the value; if that takes long, in slices, between which other requests are served. Throws ServiceError. */
  decode(query: Query, context: DecodeContext, selected: Selected): Value | Promise<Value>;
}

/** Creates the input that a route declares under a name; an input with a single parameter uses the name for it, too. */
export type InputFactory<Value> = (name: string) => Input<Value>;

/** The inputs of a route by name. */
export type Inputs = Readonly<Record<string, InputFactory<unknown>>>;

/** The decoded values of a route's inputs. */
export type Values<Declared extends Inputs> = {
  readonly [Name in keyof Declared]: Declared[Name] extends InputFactory<infer Value> ? Value : never;
};

/** Parses the text of one query parameter. Throws ServiceError. */
type Parse<Value> = (text: string, name: string, context: DecodeContext) => Value;

/** An optional input of one query parameter: null if it was not supplied. */
export function optional<Value>(schema: ParameterSchema, parse: Parse<Value>): InputFactory<Value | null> {
  return name => ({
    parameters: { [name]: schema },
    absent: null,
    decode(query, context) {
      const text = query.get(name);
      return text === undefined ? null : parse(text, name, context);
    },
  });
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

/** An input of several query parameters, whose names do not depend on the name of the input. */
export function group<Value, Selected>(input: Input<Value, Selected>): InputFactory<Value> {
  return () => input;
}
