import type { Reference } from './document.ts';
import type { JsonSchema } from './publish_schema.ts';

/** What the parts of one document share while it is made. */
export interface Context {
  /** Whether the server wants credentials. */
  readonly isKeyed: boolean;
  /** The schemas with a name, as they are met. */
  readonly schemas: Map<string, JsonSchema>;
}

/** A reference to one of the document's components. */
export function reference(kind: 'headers' | 'responses', name: string): Reference {
  return { $ref: `#/components/${kind}/${name}` };
}
