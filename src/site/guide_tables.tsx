import { Html } from '@elysiajs/html';
import { CODES_BY_STATUS, KEYED_STATUSES, meaningOf } from '../api/description/error_meanings.ts';
import { EXAMPLE_NOW_MS } from '../api/description/example_answers.ts';
import { Moment } from '../common/moment.ts';
import { compileStrftime } from '../text/strftime.ts';
import { DIRECTIVES as RULES } from '../text/strftime_directives.ts';
import type { PageInput } from './layout.tsx';
import { Linked, Name, Prose, ReferenceTable } from './prose.tsx';

/** The directives of `format`, each with its meaning. */
export const DIRECTIVES: readonly (readonly [directive: string, meaning: string])[] = [
  ...[...RULES].map(([name, { meaning }]) => [`%${name}`, meaning] as const),
  ['%%', 'percent sign'],
];

/** New York in April, for the sample output of directives. */
const MOMENT = new Moment(EXAMPLE_NOW_MS, -4 * 3600, 'EDT');

/** The directives with their output. */
export function DirectiveList(): JSX.Element {
  return (
    <ul class="directives">
      {DIRECTIVES.map(([directive, meaning]) => (
        <li>
          <code safe>{directive}</code>
          <span safe>{meaning}</span>
          <samp safe>{compileStrftime(directive, 'format').format(MOMENT).trim()}</samp>
        </li>
      ))}
    </ul>
  );
}

/** The error codes by status; those of credentials only where the server requires them. */
export function ErrorTable({ document }: PageInput): JSX.Element {
  const isKeyed = document.security !== undefined;
  const rows = [...CODES_BY_STATUS].flatMap(([status, codes]) =>
    isKeyed || !KEYED_STATUSES.has(status) ? codes.map(code => ({ status, code })) : [],
  );
  return (
    <ReferenceTable columns={['Status', 'Code', 'Meaning']} class="errors">
      {rows.map(({ status, code }) => (
        <tr>
          <td>{String(status)}</td>
          <th scope="row">
            <Name text={code} />
          </th>
          <td>
            <Prose text={meaningOf(code, status)} />
          </td>
        </tr>
      ))}
    </ReferenceTable>
  );
}

/** The headers of responses. */
export function HeaderTable({ document }: PageInput): JSX.Element {
  return (
    <ReferenceTable columns={['Header', 'Meaning']} class="long-names">
      {Object.entries(document.components.headers).map(([name, { description }]) => (
        <tr>
          <th scope="row">
            <code safe>{name}</code>
          </th>
          <td>
            <Prose text={description} />
          </td>
        </tr>
      ))}
    </ReferenceTable>
  );
}

/** Version, source and licence of the embedded data. */
export function DataTable({ data }: PageInput): JSX.Element {
  return (
    <ReferenceTable columns={['Data', 'Source and licence']}>
      {data.map(({ name, version, date, source, licence, attribution }) => (
        <tr>
          <th scope="row">
            {Html.escapeHtml(name)}
            <small safe>{`${version}, ${date}`}</small>
          </th>
          <td>
            <Linked text={source} />
            <small>
              <Linked text={attribution ?? licence} />
            </small>
          </td>
        </tr>
      ))}
    </ReferenceTable>
  );
}
