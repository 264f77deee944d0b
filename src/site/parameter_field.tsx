import { Html } from '@elysiajs/html';
import type { Parameter } from '../api/description/document.ts';
import { Prose } from './prose.tsx';

/** The field of a form for a parameter: a box to tick, a choice, or a line of text. */
export function ParameterField({ id, parameter }: { id: string; parameter: Parameter }): JSX.Element {
  const { name, description, schema } = parameter;
  const help = `${id}-help`;
  return (
    <div class={schema['type'] === 'boolean' ? 'field field-flag' : 'field'}>
      <label for={id} safe>
        {name}
      </label>
      <Control id={id} help={help} parameter={parameter} />
      <small id={help}>
        <Prose text={description} />
      </small>
    </div>
  );
}

function Control({ id, help, parameter }: { id: string; help: string; parameter: Parameter }): JSX.Element {
  const { name, required, schema } = parameter;
  const common = { id, name, 'aria-describedby': help };
  if (schema['type'] === 'boolean') return <input {...common} type="checkbox" value="true" />;
  const choices = schema['enum'];
  if (Array.isArray(choices)) {
    return (
      <select {...common}>
        <option value="" />
        {choices.map(choice => (
          <option safe>{String(choice)}</option>
        ))}
      </select>
    );
  }
  const [example] = Array.isArray(schema['examples']) ? schema['examples'] : [];
  return (
    <input
      {...common}
      type="text"
      required={required}
      placeholder={String(example ?? '')}
      autocomplete="off"
      autocapitalize="off"
      spellcheck="false"
      inputmode={schema['type'] === 'number' ? 'decimal' : 'text'}
    />
  );
}
