import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { KeyChange, ServerKeys } from '../../access/administration.ts';

/** A decoded request to an operation. */
export interface OperationInput<Body> {
  /** The key id in the path; '' if it has none. */
  readonly id: string;
  readonly body: Body;
  /** `2026-11`; null if not given, or if the operation has no such parameter. */
  readonly month: string | null;
  /** Maximum number of rows. */
  readonly limit: number;
  /** The position of the row before the first one, as text; null to begin with the first row. */
  readonly cursor: string | null;
  readonly nowMs: number;
  readonly keys: ServerKeys;
  /** Logs a change by the operator who sent the request. */
  readonly record: (change: Omit<KeyChange, 'operator'>) => void;
}

/** A body in pieces; other requests are served in between. */
export type Pieces = Iterable<string> | AsyncIterable<string>;

/** The query parameters of operations. */
export type ParameterName = 'month' | 'limit' | 'cursor';

/**
 * The default and maximum of `limit`: the usage of 10,000 keys in 25 months. Lists up to this length are complete, as in the
 * first version. A list is written only as fast as the client reads, so its length takes no memory.
 */
export const MAX_LIMIT = 250_000;

/** The description of an operation, except for method and path. */
interface OperationTexts {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** Describes the response. */
  readonly response: string;
}

/** An operation of the operator API. */
export interface Operation extends OperationTexts {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** May contain `:id`, the id of a key. */
  readonly path: string;
  /** Its query parameters, with descriptions. */
  readonly parameters?: Readonly<Partial<Record<ParameterName, string>>>;
  /** The schema of its body; absent if it has none. The body may be omitted if all its members may be. */
  readonly body?: TObject;
  /** An example of its body. */
  readonly example?: object;
  readonly status: 200 | 201 | 204;
  /** The schema of a JSON response, 'csv', or null without a body. */
  readonly payload: TSchema | 'csv' | null;
  readonly run: (input: OperationInput<unknown>) => Promise<Pieces>;
}

/** Declares an operation whose handler receives a body typed by its schema. */
export function operation<Body extends TObject>(
  declared: Omit<Operation, 'body' | 'run'> & {
    readonly body?: Body;
    readonly run: (input: OperationInput<Static<Body>>) => Promise<Pieces>;
  },
): Operation {
  // The endpoint validates bodies against the schema.
  return declared as unknown as Operation;
}
