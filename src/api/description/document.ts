import type { JsonSchema } from './publish_schema.ts';

/** The OpenAPI document, as far as the pages use it. */
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

/** The operation of a path, by method. */
export interface PathItem {
  readonly get?: Operation;
  readonly post?: Operation;
}

/** An operation with its method and path. */
export interface PlacedOperation {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly operation: Operation;
}

/** The operations of a document, in order. */
export function operationsOf({ paths }: Pick<ApiDocument, 'paths'>): PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, { get, post }]) => [
    ...(get === undefined ? [] : [{ method: 'GET', path, operation: get } as const]),
    ...(post === undefined ? [] : [{ method: 'POST', path, operation: post } as const]),
  ]);
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

/** A query parameter. */
export interface Parameter {
  readonly name: string;
  readonly in: 'query';
  readonly description: string;
  readonly required: boolean;
  readonly example: unknown;
  readonly schema: JsonSchema;
}

/** The body of a request, with an example. */
export interface RequestBody {
  readonly description: string;
  readonly required: true;
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

/** Shared by the functions that build a document. */
export interface Context {
  /** Whether the server requires credentials. */
  readonly isKeyed: boolean;
  /** Whether it limits requests, by API key or address. */
  readonly isLimited: boolean;
  /** Collects the named schemas. */
  readonly schemas: Map<string, JsonSchema>;
}

/** A content type without its parameters. */
export function mediaTypeOf(contentType: string): string {
  return contentType.replace(/;.*/, '');
}
