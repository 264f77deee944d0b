import type { JsonSchema } from './publish_schema.ts';

/** What the API description says, as far as it is read again: by the pages, which are a view of it. */
export interface ApiDocument {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string }[];
  /** The alternatives of credentials; absent where none is wanted. */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, ApiResponse>>;
    readonly headers: Readonly<Record<string, ApiHeader>>;
    readonly securitySchemes?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
}

/** What a route takes and answers. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** Empty where no credential is wanted although the others want one. */
  readonly security?: readonly never[];
  readonly parameters: readonly Parameter[];
  /** By status. */
  readonly responses: Readonly<Record<string, ApiResponse | Reference>>;
}

/** A header of answers. */
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
  readonly schema: JsonSchema;
}

/** The answers of one status: their headers by name, and their content by media type. */
export interface ApiResponse {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content: Readonly<Record<string, MediaType>>;
}

/** What a body is like, with examples by name. */
export interface MediaType {
  readonly schema: JsonSchema;
  readonly examples?: Readonly<Record<string, ShownExample>>;
}

/** A request and the answer to it, which is absent where data would first have to be read for it. */
export interface ShownExample {
  readonly summary: string;
  readonly description: string;
  /** Path and query. */
  readonly 'x-request': string;
  readonly value?: unknown;
}

/** Stands for a component that is written once. */
export interface Reference {
  readonly $ref: string;
}
