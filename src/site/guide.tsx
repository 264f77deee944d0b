import { Html } from '@elysiajs/html';
import type { ApiDocument } from '../api/description/document.ts';
import accuracy from './guide/accuracy.md' with { type: 'text' };
import accuracyTable from './guide/accuracy_table.md' with { type: 'text' };
import agents from './guide/agents.md' with { type: 'text' };
import businessDays from './guide/business_days.md' with { type: 'text' };
import clocks from './guide/clocks.md' with { type: 'text' };
import compatibility from './guide/compatibility.md' with { type: 'text' };
import data from './guide/data.md' with { type: 'text' };
import deadlines from './guide/deadlines.md' with { type: 'text' };
import durations from './guide/durations.md' with { type: 'text' };
import errors from './guide/errors.md' with { type: 'text' };
import formats from './guide/formats.md' with { type: 'text' };
import headers from './guide/headers.md' with { type: 'text' };
import keys from './guide/keys.md' with { type: 'text' };
import pages from './guide/pages.md' with { type: 'text' };
import patterns from './guide/patterns.md' with { type: 'text' };
import places from './guide/places.md' with { type: 'text' };
import recurrences from './guide/recurrences.md' with { type: 'text' };
import requests from './guide/requests.md' with { type: 'text' };
import responses from './guide/responses.md' with { type: 'text' };
import schedules from './guide/schedules.md' with { type: 'text' };
import signatures from './guide/signatures.md' with { type: 'text' };
import tenYears from './guide/ten_years.md' with { type: 'text' };
import timestamps from './guide/timestamps.md' with { type: 'text' };
import { DataTable, DirectiveList, ErrorTable, HeaderTable, ToolTable } from './guide_tables.tsx';
import type { PageInput } from './layout.tsx';
import { Heading, Markdown } from './prose.tsx';

/** A section of the reference with explanations that do not fit the route tables. */
export interface GuideSection {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  /** A generated table that follows the text. */
  readonly Table?: (input: PageInput) => JSX.Element;
}

/** The introductory sections; keys only if the server requires them. */
export function firstSections({ security }: ApiDocument): GuideSection[] {
  return [
    { id: 'requests', name: 'Requests', text: requests },
    ...(security.length === 0 ? [] : [{ id: 'keys', name: 'Keys', text: keys }]),
    { id: 'responses', name: 'Responses', text: responses },
  ];
}

export const FURTHER_SECTIONS: readonly GuideSection[] = [
  { id: 'selectors', name: 'Places', text: places },
  { id: 'timestamps', name: 'Timestamps', text: timestamps },
  { id: 'patterns', name: 'Patterns', text: patterns, Table: DirectiveList },
  { id: 'durations', name: 'Durations', text: durations },
  { id: 'business-days', name: 'Business days', text: businessDays },
  { id: 'schedules', name: 'Schedules', text: schedules },
  { id: 'deadlines', name: 'Deadlines and working time', text: deadlines },
  { id: 'recurrences', name: 'Recurrences', text: recurrences },
  { id: 'accuracy', name: 'Accuracy', text: accuracy + accuracyTable },
  { id: 'clocks', name: 'Clocks', text: clocks },
  { id: 'pages', name: 'Pages', text: pages },
  { id: 'formats', name: 'Formats', text: formats },
  { id: 'agents', name: 'Agents', text: agents, Table: ToolTable },
  { id: 'compatibility', name: 'Compatibility', text: compatibility },
  { id: 'errors', name: 'Errors', text: errors, Table: ErrorTable },
  { id: 'headers', name: 'Headers', text: headers, Table: HeaderTable },
  { id: 'signatures', name: 'Signatures', text: signatures },
  { id: 'ten-years', name: 'Ten years offline', text: tenYears },
  { id: 'data', name: 'Data', text: data, Table: DataTable },
];

export function Guide(props: { sections: readonly GuideSection[]; input: PageInput }): JSX.Element {
  return (
    <>
      {props.sections.map(({ id, name, text, Table }) => (
        <section class="guide" id={id} aria-labelledby={`${id}-title`}>
          <Heading id={id} text={name} level={2} />
          <Markdown text={text} />
          {Table !== undefined && <Table {...props.input} />}
        </section>
      ))}
    </>
  );
}
