import { Html } from '@elysiajs/html';
import type { JsonSchema } from '../api/description/publish_schema.ts';

/** What values a schema admits, in a few words that lead to the schemas with a name: `array of ZoneListing`. */
export function TypeLabel({ schema }: { schema: JsonSchema }): JSX.Element {
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    const name = reference.slice(reference.lastIndexOf('/') + 1);
    return (
      <a href={`#${name}`} safe>
        {name}
      </a>
    );
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

/** Further bounds of a value, in words: `1 to 12`, or its choices. Empty where there are none worth saying. */
export function boundsText(schema: JsonSchema): string {
  const { minimum, maximum, maxLength, enum: choices } = schema;
  if (Array.isArray(choices)) return choices.join(', ');
  if (schema['const'] !== undefined) return `always ${schema['const']}`;
  if (typeof minimum === 'number' && typeof maximum === 'number') {
    return `${minimum.toLocaleString('en')} to ${maximum.toLocaleString('en')}`.replaceAll('-', '−');
  }
  return typeof maxLength === 'number' ? `up to ${maxLength} characters` : '';
}
