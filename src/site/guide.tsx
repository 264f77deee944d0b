import { Html } from '@elysiajs/html';
import { readTexts } from '../api/assets/browser_bundles.ts' with { type: 'macro' };
import type { ApiDocument } from '../api/description/document.ts';
import { EXAMPLE_NOW_MS, errorsOf } from '../api/description/openapi.ts';
import { TOOLS } from '../api/mcp/tools.ts';
import { Moment } from '../common/moment.ts';
import { compileStrftime } from '../text/strftime.ts';
import type { Directive } from '../text/strftime_directives.ts';
import type { PageInput } from './layout.tsx';
import { Heading, Linked, Markdown, Name, Prose, ReferenceRow, ReferenceTable } from './parts.tsx';

/** A section of the reference with explanations that do not fit the route tables. */
export interface GuideSection {
  /** Its text is the file of this name in `guide/`. */
  readonly id: string;
  readonly name: string;
  /** A generated table that follows the text. */
  readonly Table?: (input: PageInput) => JSX.Element;
}

const TEXTS = readTexts('site/guide');

/** The introductory sections; keys only if the server requires them. */
export function firstSections({ security }: ApiDocument): GuideSection[] {
  const keys = { id: 'keys', name: 'Keys' };
  return [
    { id: 'requests', name: 'Requests' },
    ...(security.length === 0 ? [] : [keys]),
    { id: 'responses', name: 'Responses' },
  ];
}

export const FURTHER_SECTIONS: readonly GuideSection[] = [
  { id: 'selectors', name: 'Places' },
  { id: 'timestamps', name: 'Timestamps' },
  { id: 'patterns', name: 'Patterns', Table: DirectiveList },
  { id: 'durations', name: 'Durations' },
  { id: 'business-days', name: 'Business days' },
  { id: 'schedules', name: 'Schedules' },
  { id: 'deadlines', name: 'Deadlines and working time' },
  { id: 'recurrences', name: 'Recurrences' },
  { id: 'accuracy', name: 'Accuracy', Table: () => <Markdown text={TEXTS['accuracy_table']!} /> },
  { id: 'clocks', name: 'Clocks' },
  { id: 'pages', name: 'Pages' },
  { id: 'formats', name: 'Formats' },
  { id: 'agents', name: 'Agents', Table: ToolTable },
  { id: 'compatibility', name: 'Compatibility' },
  { id: 'errors', name: 'Errors', Table: ErrorTable },
  { id: 'headers', name: 'Headers', Table: HeaderTable },
  { id: 'signatures', name: 'Signatures' },
  { id: 'ten-years', name: 'Ten years offline' },
  { id: 'data', name: 'Data', Table: DataTable },
];

export function Guide(props: { sections: readonly GuideSection[]; input: PageInput }): JSX.Element {
  return (
    <>
      {props.sections.map(({ id, name, Table }) => (
        <section class="guide" id={id} aria-labelledby={`${id}-title`}>
          <Heading id={id} text={name} level={2} />
          <Markdown text={TEXTS[id.replaceAll('-', '_')]!} />
          {Table !== undefined && <Table {...props.input} />}
        </section>
      ))}
    </>
  );
}

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

function DirectiveList(): JSX.Element {
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
function ErrorTable({ document }: PageInput): JSX.Element {
  const isKeyed = document.security.length > 0;
  const isLimited = 'TooManyRequests' in document.components.responses;
  const rows = Object.entries(errorsOf(isKeyed, isLimited)).flatMap(([status, meanings]) =>
    Object.entries(meanings).map(([code, meaning]) => ({ status, code, meaning })),
  );
  return (
    <ReferenceTable columns={['Status', 'Code', 'Meaning']}>
      {rows.map(({ status, code, meaning }) => (
        <ReferenceRow before={<td>{status}</td>} name={<Name text={code} />}>
          <Prose text={meaning} />
        </ReferenceRow>
      ))}
    </ReferenceTable>
  );
}

function HeaderTable({ document }: PageInput): JSX.Element {
  return (
    <ReferenceTable columns={['Header', 'Meaning']} class="long-names">
      {Object.entries(document.components.headers).map(([name, { description }]) => (
        <ReferenceRow name={<code safe>{name}</code>}>
          <Prose text={description} />
        </ReferenceRow>
      ))}
    </ReferenceTable>
  );
}

function DataTable({ snapshot }: PageInput): JSX.Element {
  return (
    <ReferenceTable columns={['Data', 'Source and licence']}>
      {snapshot.embeddedData.map(({ name, version, date, source, licence, attribution }) => (
        <ReferenceRow name={[Html.escapeHtml(name), <small safe>{`${version}, ${date}`}</small>].join('')}>
          <Linked text={source} />
          <small>
            <Linked text={attribution ?? licence} />
          </small>
        </ReferenceRow>
      ))}
    </ReferenceTable>
  );
}

function ToolTable(): JSX.Element {
  return (
    <ReferenceTable columns={['Tool', 'Route and parameters']} class="long-names">
      {TOOLS.map(({ name, route, parameters }) => (
        <ReferenceRow name={<Name text={name} />}>
          <code>{route.path}</code> with {parameters.map(parameter => <code>{parameter}</code>).join(', ')}
        </ReferenceRow>
      ))}
    </ReferenceTable>
  );
}
