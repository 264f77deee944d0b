import { Html } from '@elysiajs/html';
import {
  type ApiResponse,
  type JsonSchema,
  operationsOf,
  type PlacedOperation,
  type ShownExample,
} from '../api/description/document.ts';
import { ASSET_PATHS } from '../clock/clock_config.ts';
import { FURTHER_SECTIONS, firstSections, Guide, type GuideSection } from './guide.tsx';
import { layout, type PageInput } from './layout.tsx';
import { examplesOf, Heading, JsonBlock, Link, Name, Prose, ReferenceTable, RequestLine } from './parts.tsx';

/** The reference: the API description and the guide. */
export function docsPage(input: PageInput): string {
  const { document } = input;
  const operations = operationsOf(document);
  const { schemas } = document.components;
  const objects = Object.keys(schemas);
  return layout(
    {
      path: '/docs',
      title: 'Docs · meridian',
      description: 'Routes, parameters, responses and errors of the API',
      elements: <link rel="stylesheet" href={ASSET_PATHS.stylesheet} />,
    },
    input,
    <div class="docs">
      <nav class="contents" aria-label="Contents" data-contents>
        <search class="docs-search">
          <label for="docs-search" class="unseen">
            Search the docs
          </label>
          <input
            id="docs-search"
            type="search"
            autocomplete="off"
            placeholder="Search the docs"
            data-docs-search
          />
          <p class="status" role="status" data-docs-found></p>
        </search>
        <ContentsGroup title="Basics" links={firstSections(document)} />
        <ContentsGroup
          title="Routes"
          links={operations.map(({ operation: { operationId } }) => ({ id: operationId, name: operationId }))}
        />
        <ContentsGroup title="Guide" links={FURTHER_SECTIONS} />
        <ContentsGroup title="Objects" links={objects.map(name => ({ id: name, name }))} />
      </nav>
      <main id="content" data-runs-clocks={!input.isKeyed}>
        <h1>Reference</h1>
        <Guide sections={firstSections(document)} input={input} />
        <h2 class="part">Routes</h2>
        {operations.map(operation => routeSection(operation, input))}
        <Guide sections={FURTHER_SECTIONS} input={input} />
        <h2 class="part">Objects</h2>
        {objects.map(name => objectSection(name, schemas))}
      </main>
    </div>,
  );
}

type Entry = Pick<GuideSection, 'id' | 'name'>;

function ContentsGroup({ title, links }: { title: string; links: readonly Entry[] }): JSX.Element {
  return (
    <details open>
      <summary safe>{title}</summary>
      <ul>
        {links.map(({ id, name }) => (
          <li>
            <Link href={`#${id}`} text={name} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** A route: description, parameters or body, response, and examples. */
function routeSection({ method, path, operation }: PlacedOperation, input: PageInput): JSX.Element {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  // Every route has a 200 response in the API description.
  const [mediaType, { schema }] = Object.entries((responses['200'] as ApiResponse).content!)[0]!;
  const body = requestBody?.content['application/json'];
  return (
    <section class="route" id={operationId} aria-labelledby={`${operationId}-title`}>
      <div class="route-text">
        <Heading id={operationId} text={summary} level={3} />
        <p class="endpoint">
          <code>
            <span class="request-method">{method}</span> <span safe>{path}</span>
          </code>
        </p>
        <p>
          <Prose text={description} />
        </p>
        {body !== undefined && (
          <p class="returns">
            <b>Body</b> <TypeLabel schema={body.schema} />, as JSON.
          </p>
        )}
        {parameters.length > 0 && (
          <ReferenceTable caption="Parameters" columns={['Name', 'Meaning']}>
            {parameters.map(({ name, description, schema, required }) => {
              const note = required ? ', required' : '';
              return <SchemaRow name={name} schema={{ ...schema, description }} note={note} />;
            })}
          </ReferenceTable>
        )}
        <p class="returns">
          <b>Returns</b> {mediaType === 'text/html' ? 'HTML' : <TypeLabel schema={schema} />}, or an{' '}
          <a href="#errors">error</a>.
        </p>
      </div>
      <div class="route-examples">
        {examplesOf(operation).map((example, index) =>
          body === undefined ? getFigure(example, index === 0) : postFigure(example, body.example, input),
        )}
      </div>
    </section>
  );
}

function getFigure(example: ShownExample, isOpen: boolean): JSX.Element {
  return (
    <details class="example" open={isOpen}>
      <summary safe>{example.summary}</summary>
      <RequestLine request={example['x-request']} />
      {isOpen && isHtml(example.value) && (
        <div class="preview example-clock">{withoutAssets(example.value)}</div>
      )}
      <JsonBlock value={example.value} />
      <p class="example-actions">
        <a href={`/#${example['x-request']}`}>Try it</a>
      </p>
    </details>
  );
}

/** The server's address in commands if it has no public one. */
const LOCAL_URL = 'http://127.0.0.1:8080';

/** A request with a body, shown as a command, and its response. */
function postFigure(example: ShownExample, body: unknown, input: PageInput): JSX.Element {
  const command = [
    `curl ${input.snapshot.publicUrl || LOCAL_URL}${example['x-request']}`,
    ...(input.isKeyed ? ['-H "Authorization: Bearer $KEY"'] : []),
    "-H 'Content-Type: application/json'",
    `-d '${JSON.stringify(body, null, 2)}'`,
  ].join(' \\\n  ');
  return (
    <details class="example" open>
      <summary safe>{example.summary}</summary>
      <pre class="json source" tabindex="0">
        <code safe>{command}</code>
      </pre>
      <JsonBlock value={example.value} />
    </details>
  );
}

/** Whether an example's value is a clock's HTML. */
function isHtml(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('<div');
}

/** A clock without its stylesheet and script, which the page includes. On a server with keys there is no script, and the clock does not run. */
function withoutAssets(fragment: string): string {
  return fragment.replaceAll(/<link [^>]*>|<script [^>]*src=[^>]*><\/script>/g, '');
}

type Fields = Readonly<Record<string, JsonSchema>>;

/** The fields of this schema are not repeated in those that extend it. */
const BASE = 'TimePayload';

/** An object in responses: its fields, or those that it adds to a base. */
function objectSection(name: string, schemas: Fields): JSX.Element {
  const schema = schemas[name]!; // `name` is one of its keys
  const fields = fieldsOf(schema);
  const base = fieldsOf(schemas[BASE]);
  const isExtension =
    name !== BASE && Object.entries(base).every(([field, inBase]) => Bun.deepEquals(fields[field], inBase));
  return (
    <section class="object" id={name}>
      <Heading id={name} text={name} level={3} />
      <p>
        <Prose text={String(schema['description'] ?? '')} />
        {isExtension && (
          <>
            {' '}
            It has the fields of <a href={`#${BASE}`}>{BASE}</a>, and:
          </>
        )}
      </p>
      <ReferenceTable columns={['Field', 'Meaning']}>
        {fieldRows(schema, isExtension ? base : {})}
      </ReferenceTable>
    </section>
  );
}

/** The fields of an object that are not in a base, each followed by those of the object that it contains. */
function fieldRows(object: JsonSchema, base: Fields, prefix = ''): JSX.Element[] {
  const required = object['required'];
  const added = Object.entries(fieldsOf(object)).filter(([field]) => !(field in base));
  return added.flatMap(([field, schema]) => {
    const note = Array.isArray(required) && required.includes(field) ? '' : ', sometimes';
    const row = <SchemaRow name={prefix + field} schema={schema} note={note} />;
    return [row, ...fieldRows(schema, {}, `${prefix}${field}.`)];
  });
}

/** A parameter or a field: name, type and note, description and bounds. */
function SchemaRow(props: { name: string; schema: JsonSchema; note: string }): JSX.Element {
  const { name, schema, note } = props;
  const bounds = boundsText(schema);
  return (
    <tr>
      <th scope="row">
        <Name text={name} />
        <small>
          <TypeLabel schema={schema} />
          {note}
        </small>
      </th>
      <td>
        <Prose text={String(schema['description'] ?? '')} />
        {bounds !== undefined && <small safe>{bounds}</small>}
      </td>
    </tr>
  );
}

function fieldsOf(schema: JsonSchema | undefined): Fields {
  return (schema?.['properties'] ?? {}) as Fields;
}

/** A short description of a schema's type, with links to named schemas: `array of ZoneListing`. */
function TypeLabel({ schema }: { schema: JsonSchema }): JSX.Element {
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    const name = reference.slice(reference.lastIndexOf('/') + 1);
    return <Link href={`#${name}`} text={name} />;
  }
  const alternatives = schema['anyOf'];
  if (Array.isArray(alternatives)) {
    return <>{alternatives.flatMap((one, index) => [index > 0 ? ' or ' : '', <TypeLabel schema={one} />])}</>;
  }
  if (schema['type'] === 'array') {
    const items = schema['items'] as JsonSchema;
    const label = <TypeLabel schema={items} />;
    return <>array of {items['anyOf'] === undefined ? label : <>({label})</>}</>;
  }
  return <>{Html.escapeHtml(String(schema['type'] ?? 'any'))}</>;
}

/** Constraints beyond the type: bounds such as `1 to 12`, or the choices. */
function boundsText(schema: JsonSchema): string | undefined {
  const { minimum, maximum, maxLength, enum: choices, const: constant } = schema;
  if (Array.isArray(choices)) return choices.join(', ');
  if (constant !== undefined) return `always ${constant}`;
  if (typeof minimum === 'number' && typeof maximum === 'number') {
    return `${minimum.toLocaleString('en')} to ${maximum.toLocaleString('en')}`.replaceAll('-', '−');
  }
  return typeof maxLength === 'number' ? `up to ${maxLength} characters` : undefined;
}
