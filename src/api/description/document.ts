import type { ErrorCode } from '../../common/errors.ts';

/** An OpenAPI document, as far as the pages use it. */
export interface ApiDocument {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
    readonly contact: { readonly name: string };
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly Tag[];
  /** Alternative credentials; empty if none is required. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, ApiResponse>>;
    readonly headers: Readonly<Record<string, ApiHeader>>;
    readonly securitySchemes?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
  };
}

/** The operations of a path by method, in lower case. */
export type PathItem = Readonly<Partial<Record<'get' | 'post' | 'patch' | 'delete', Operation>>>;

/** An operation with its method, in upper case, and its path. */
export interface PlacedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** The operations of a document, in order. */
export function operationsOf({ paths }: Pick<ApiDocument, 'paths'>): PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** A group of operations. */
export interface Tag {
  readonly name: string;
  readonly description: string;
}

/** The parameters and responses of a route. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description: string;
  /** Empty for a public route on a server that requires credentials. */
  readonly security?: readonly never[] | undefined;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: RequestBody;
  /** By status. */
  readonly responses: Readonly<Record<string, ApiResponse | Reference>>;
}

/** A response header. */
export interface ApiHeader {
  readonly description: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

/** A parameter in the query or the path. */
export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly description: string;
  readonly required: boolean;
  readonly example: unknown;
  readonly schema: JsonSchema;
}

/** The body of a request, with an example. */
export interface RequestBody {
  readonly description: string;
  readonly required: boolean;
  readonly content: {
    readonly 'application/json': { readonly schema: JsonSchema; readonly example: unknown };
  };
}

/** The responses with one status: headers by name, and content by media type, absent if there is none. */
export interface ApiResponse {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

/** The schema of a body, with examples by name; those without a response are separate, since OpenAPI does not support them. */
export interface MediaType {
  readonly schema: JsonSchema;
  readonly examples?: Readonly<Record<string, ShownExample>> | undefined;
  readonly 'x-requests'?: Readonly<Record<string, ShownExample>> | undefined;
}

/** A request and its response, which is undefined if data would have to be loaded for it. */
export interface ShownExample {
  readonly summary: string;
  readonly description: string;
  /** Path and query. */
  readonly 'x-request': string;
  readonly value?: unknown;
}

/** A reference to one of the document's components. */
export interface Reference {
  readonly $ref: string;
}

/** References a component of the document. */
export function reference(kind: 'headers' | 'responses', name: string): Reference {
  return { $ref: `#/components/${kind}/${name}` };
}

/** The errors of a document: the meaning of each code, with `code` in backticks, by status. */
export type Errors = Readonly<Record<number, Readonly<Partial<Record<ErrorCode, string>>>>>;

/** Shared by the functions that build a document. */
export interface Context {
  /** Whether the server requires credentials. */
  readonly isKeyed: boolean;
  /** Whether it signs responses on request. */
  readonly isSigning: boolean;
  readonly errors: Errors;
  /** Collects the named schemas. */
  readonly schemas: Map<string, JsonSchema>;
  /** Collects the names of the headers of responses. */
  readonly headers: Set<string>;
}

/** A JSON Schema (2020-12) of the API description. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}
