import { Html } from '@elysiajs/html';
import { errorStatuses, errorsAt } from '../api/description/errors.ts';
import { EXAMPLE_NOW_MS } from '../api/description/example_responses.ts';
import { TOOLS } from '../api/mcp/tools.ts';
import { Moment } from '../common/moment.ts';
import { compileStrftime } from '../text/strftime.ts';
import type { Directive } from '../text/strftime_directives.ts';
import type { PageInput } from './layout.tsx';
import { Linked, Name, Prose, ReferenceTable } from './prose.tsx';

/** The meanings of the directives, in the order of the guide. */
export const MEANINGS: Readonly<Record<Directive | '%', string>> = {
  Y: 'year',
  m: 'month, 01 to 12',
  d: 'day of the month, 01 to 31',
  e: 'day of the month, padded with a space',
  H: 'hour, 00 to 23',
  M: 'minute',
  S: 'second',
  F: '%Y-%m-%d',
  T: '%H:%M:%S',
  R: '%H:%M',
  z: 'offset',
  ':z': 'offset with a colon',
  '::z': 'offset with seconds',
  Z: 'zone abbreviation',
  A: 'weekday',
  a: 'weekday, short',
  B: 'month',
  b: 'month, short',
  h: '%b',
  I: '12-hour clock, 01 to 12',
  l: '12-hour clock, padded with a space',
  k: 'hour, padded with a space',
  p: 'AM or PM',
  P: 'am or pm',
  j: 'day of the year',
  u: 'weekday, Monday 1 to Sunday 7',
  w: 'weekday, Sunday 0 to Saturday 6',
  G: 'year of the ISO week',
  g: 'year of the ISO week, two digits',
  V: 'ISO week',
  U: 'week of the year, from Sunday',
  W: 'week of the year, from Monday',
  C: 'century',
  y: 'year, two digits',
  s: 'Unix seconds',
  f: 'microseconds',
  N: 'nanoseconds; %3N milliseconds',
  c: 'date and time',
  x: 'date',
  X: 'time',
  D: '%m/%d/%y',
  r: '12-hour time',
  n: 'line feed',
  t: 'tab',
  '%': 'percent sign',
};

/** New York in April, for sample output. */
const MOMENT = new Moment(EXAMPLE_NOW_MS, -4 * 3600, 'EDT');

export function DirectiveList(): JSX.Element {
  return (
    <ul class="directives">
      {Object.entries(MEANINGS).map(([name, meaning]) => (
        <li>
          <code safe>{`%${name}`}</code>
          <span safe>{meaning}</span>
          <samp safe>{compileStrftime(`%${name}`, 'format').format(MOMENT).trim()}</samp>
        </li>
      ))}
    </ul>
  );
}

/** The error codes by status. Codes about credentials and limits are included only if the server has them. */
export function ErrorTable({ document }: PageInput): JSX.Element {
  const isKeyed = document.security.length > 0;
  const isLimited = 'TooManyRequests' in document.components.responses;
  const rows = errorStatuses({ isKeyed, isLimited }).flatMap(([status]) =>
    errorsAt(status).map(error => ({ status, ...error })),
  );
  return (
    <ReferenceTable columns={['Status', 'Code', 'Meaning']}>
      {rows.map(({ status, code, meaning }) => (
        <tr>
          <td>{String(status)}</td>
          <th scope="row">
            <Name text={code} />
          </th>
          <td>
            <Prose text={meaning} />
          </td>
        </tr>
      ))}
    </ReferenceTable>
  );
}

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
export function DataTable({ snapshot }: PageInput): JSX.Element {
  return (
    <ReferenceTable columns={['Data', 'Source and licence']}>
      {snapshot.embeddedData.map(({ name, version, date, source, licence, attribution }) => (
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

/** The MCP tools: names, routes and parameters. */
export function ToolTable(): JSX.Element {
  return (
    <ReferenceTable columns={['Tool', 'Route and parameters']} class="long-names">
      {TOOLS.map(({ name, route, parameters }) => (
        <tr>
          <th scope="row">
            <Name text={name} />
          </th>
          <td>
            <Prose
              text={`\`${route.path}\` with ${parameters.map(parameter => `\`${parameter}\``).join(', ')}`}
            />
          </td>
        </tr>
      ))}
    </ReferenceTable>
  );
}
