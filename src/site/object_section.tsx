import { Html } from '@elysiajs/html';
import type { JsonSchema } from '../api/description/publish_schema.ts';
import { Heading } from './heading.tsx';
import { Name } from './name.tsx';
import { Prose } from './prose.tsx';
import { boundsText, TypeLabel } from './type_label.tsx';

type Fields = Readonly<Record<string, JsonSchema>>;

/** The schemas that others are made of: their fields are not written again. */
const BASES = ['Time', 'Error'];

interface ObjectSectionProps {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly schemas: Fields;
}

/** An object of answers: its fields, or what it adds to another. */
export function ObjectSection({ name, schema, schemas }: ObjectSectionProps): JSX.Element {
  const fields = fieldsOf(schema);
  const base = BASES.find(candidate => candidate !== name && isMadeOf(fields, fieldsOf(schemas[candidate])));
  const baseFields = base === undefined ? {} : fieldsOf(schemas[base]);
  const rows = Object.entries(fields).filter(([field]) => !(field in baseFields));
  return (
    <section class="object" id={name} aria-labelledby={`${name}-title`}>
      <Heading id={name} text={name} level={3} />
      <p>
        <Prose text={String(schema['description'] ?? '')} />
        {base === undefined ? (
          ''
        ) : (
          <>
            {' '}
            It has the fields of <a href={`#${base}`}>{base}</a>, and:
          </>
        )}
      </p>
      <table class="reference">
        <thead class="unseen">
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {rows.flatMap(([field, fieldSchema]) => (
            <FieldRows path={field} schema={fieldSchema} isRequired={isRequired(schema, field)} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface FieldRowsProps {
  readonly path: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

/** A field, and below it those of the object that it holds. */
function FieldRows({ path, schema, isRequired: required }: FieldRowsProps): JSX.Element {
  const bounds = boundsText(schema);
  return (
    <>
      <tr>
        <th scope="row">
          <Name text={path} />
          <small>
            <TypeLabel schema={schema} />
            {required ? '' : ', sometimes'}
          </small>
        </th>
        <td>
          <Prose text={String(schema['description'] ?? '')} />
          {bounds === '' ? '' : <small safe>{bounds}</small>}
        </td>
      </tr>
      {Object.entries(fieldsOf(schema)).map(([field, inner]) => (
        <FieldRows path={`${path}.${field}`} schema={inner} isRequired={isRequired(schema, field)} />
      ))}
    </>
  );
}

function fieldsOf(schema: JsonSchema | undefined): Fields {
  return (schema?.['properties'] ?? {}) as Fields;
}

function isRequired(schema: JsonSchema, field: string): boolean {
  const { required } = schema;
  return Array.isArray(required) && required.includes(field);
}

function isMadeOf(fields: Fields, base: Fields): boolean {
  return Object.entries(base).every(
    ([name, schema]) => JSON.stringify(fields[name]) === JSON.stringify(schema),
  );
}
