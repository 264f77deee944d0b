import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { KeyAdministration, KeyChange } from '../../access/administration/key_administration.ts';

/** A request to an operation, decoded. */
export interface OperationInput<Body> {
  /** The key that the path names; '' where it names none. */
  readonly id: string;
  readonly body: Body;
  /** `2026-11`; null for none, as where the operation has no such parameter. */
  readonly month: string | null;
  /** Maximum number of rows. */
  readonly limit: number;
  /** The position of the row before the first one, as text; null for the beginning. */
  readonly cursor: string | null;
  readonly nowMs: number;
  readonly keys: KeyAdministration;
  /** Logs a change by the operator who sent the request. */
  readonly record: (change: Omit<KeyChange, 'operator'>) => void;
}

/** A body in pieces, between which other requests are served. */
export type Pieces = Iterable<string> | AsyncIterable<string>;

/** The query parameters of operations. */
export type ParameterName = 'month' | 'limit' | 'cursor';

/**
 * The default and the maximum of `limit`: the usage of 10,000 keys in 25 months. A list that clients of the first version could
 * read at once still is complete; it is written as fast as the client reads, so that its length takes no memory.
 */
export const MAX_LIMIT = 250_000;

/** What the description of an operation says, besides its method and path. */
interface OperationTexts {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** What the response is. */
  readonly response: string;
}

/** An operation of the API for operators. */
export interface Operation extends OperationTexts {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** `:id` in it names a key. */
  readonly path: string;
  /** Its query parameters, and what they are for. */
  readonly parameters?: Readonly<Partial<Record<ParameterName, string>>>;
  /** The schema of its body; absent for none. A body may be left out if all its members can. */
  readonly body?: TObject;
  /** An example of its body. */
  readonly example?: object;
  readonly status: 200 | 201 | 204;
  /** The schema of a JSON response, 'csv', or null without a body. */
  readonly payload: TSchema | 'csv' | null;
  readonly run: (input: OperationInput<unknown>) => Promise<Pieces>;
}

/** Declares an operation whose handler receives a body of its schema. */
export function operation<Body extends TObject>(
  declared: Omit<Operation, 'body' | 'run'> & {
    readonly body?: Body;
    readonly run: (input: OperationInput<Static<Body>>) => Promise<Pieces>;
  },
): Operation {
  // The endpoint validates bodies by the schema.
  return declared as unknown as Operation;
}
