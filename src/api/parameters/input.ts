import type { TSchema } from '@sinclair/typebox';
import { unreadable } from '../../common/service_error.ts';
import type { Query } from '../../http/query.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import type { IpAddress } from '../../places/ip_address.ts';
import type { LazyData } from '../../places/lazy_data.ts';

/** The published schema of a query parameter. Every parameter is described and has an example. */
export type ParameterSchema = TSchema & {
  readonly description: string;
  readonly examples: readonly [unknown, ...unknown[]];
};

/** What parameters are decoded with, besides the query. */
export interface DecodeContext {
  readonly snapshot: Snapshot;
  /** The present, in milliseconds since 1970-01-01T00:00:00Z: only for errors, since decoded values are cached. */
  readonly nowMs: number;
  /** Whether the response has `details`, for which values describe more. */
  readonly wantsDetails: boolean;
  /** The client's address; the values are then used for this request only. */
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
  /** Parameters that are known only to be rejected, and are not documented. */
  readonly hidden?: readonly string[];
  /** Whether the value depends on time zones; a route with such an input takes `tzdata`. */
  readonly readsZones?: true;
  /**
   * The value where a query has none of the parameters, which spares the other methods: routes have many inputs, most queries
   * have few parameters. Without it, {@link decode} decides.
   */
  readonly absent?: Value;
  /**
   * Selects among alternatives, for all inputs of a route before the first is decoded. Throws `AMBIGUOUS_TARGET` for
   * alternatives that exclude each other.
   */
  select?(query: Query): Selected;
  /** Data that {@link decode} needs and that are not loaded yet; after they are, it can return others. */
  pending?(selected: Selected, snapshot: Snapshot): LazyData<unknown> | undefined;
  /** Decodes the value; in slices, between which other requests are served, where it takes long. Throws ServiceError. */
  decode(query: Query, context: DecodeContext, selected: Selected): Value | Promise<Value>;
}

/** Makes the input that a route declares under a name; a single parameter has that name in the query, too. */
export type InputFactory<Value> = (name: string) => Input<Value>;

/** The inputs of a route by name. */
export type Inputs = Readonly<Record<string, InputFactory<unknown>>>;

/** The decoded values of a route's inputs. */
export type Values<Declared extends Inputs> = {
  readonly [Name in keyof Declared]: Declared[Name] extends InputFactory<infer Value> ? Value : never;
};

/** Parses the text of one query parameter. Throws ServiceError. */
type Parse<Value> = (text: string, name: string, context: DecodeContext) => Value;

/** An optional input of one query parameter: null where it was not supplied. */
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

/** A required input of one query parameter; `usage` follows `give` in the error where it was not supplied. */
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

/** An input of several query parameters, whose names do not depend on its own. */
export function group<Value, Selected>(input: Input<Value, Selected>): InputFactory<Value> {
  return () => input;
}
