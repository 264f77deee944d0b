import type { ParameterSchema } from '../parameters/input.ts';
import type { Context, Parameter } from './document.ts';
import { publishSchema } from './publish_schema.ts';

/** Describes query parameters. */
export function describeParameters(
  schemas: Readonly<Record<string, ParameterSchema>>,
  required: readonly string[],
  context: Pick<Context, 'schemas'>,
): Parameter[] {
  return Object.entries(schemas).map(([name, schema]) => {
    const { description, ...rest } = publishSchema(schema, context.schemas);
    return {
      name,
      in: 'query',
      description: String(description),
      required: required.includes(name),
      example: schema.examples[0],
      schema: rest,
    };
  });
}
