import { Html } from '@elysiajs/html';
import type { ApiDocument } from '../api/description/document.ts';
import { ClocksGuide } from './guide/clocks_guide.tsx';
import { DataGuide } from './guide/data_guide.tsx';
import { DurationsGuide } from './guide/durations_guide.tsx';
import { ErrorsGuide } from './guide/errors_guide.tsx';
import { HeadersGuide } from './guide/headers_guide.tsx';
import { KeysGuide } from './guide/keys_guide.tsx';
import { PatternsGuide } from './guide/patterns_guide.tsx';
import { PlacesGuide } from './guide/places_guide.tsx';
import { RequestsGuide } from './guide/requests_guide.tsx';
import { TimestampsGuide } from './guide/timestamps_guide.tsx';
import { Heading } from './heading.tsx';
import type { PageInput } from './page_input.ts';

/** A section of the reference that says what the tables of the routes cannot. */
export interface GuideSection {
  readonly id: string;
  readonly name: string;
  readonly Content: (props: PageInput) => JSX.Element;
}

const REQUESTS: GuideSection = { id: 'requests', name: 'Requests', Content: RequestsGuide };
const KEYS: GuideSection = { id: 'keys', name: 'Keys', Content: KeysGuide };

/** What to know first; keys where the server wants them. */
export function firstSections({ security }: ApiDocument): GuideSection[] {
  return security === undefined ? [REQUESTS] : [REQUESTS, KEYS];
}

/** What to look up. */
export const FURTHER_SECTIONS: readonly GuideSection[] = [
  { id: 'places', name: 'Places', Content: PlacesGuide },
  { id: 'timestamps', name: 'Timestamps', Content: TimestampsGuide },
  { id: 'patterns', name: 'Patterns', Content: PatternsGuide },
  { id: 'durations', name: 'Durations', Content: DurationsGuide },
  { id: 'clocks', name: 'Clocks', Content: ClocksGuide },
  { id: 'errors', name: 'Errors', Content: ErrorsGuide },
  { id: 'headers', name: 'Headers', Content: HeadersGuide },
  { id: 'data', name: 'Data', Content: DataGuide },
];

interface GuideProps {
  readonly sections: readonly GuideSection[];
  readonly input: PageInput;
}

/** Sections of the guide. */
export function Guide({ sections, input }: GuideProps): JSX.Element {
  return (
    <>
      {sections.map(({ id, name, Content }) => (
        <section class="guide" id={id} aria-labelledby={`${id}-title`}>
          <Heading id={id} text={name} level={2} />
          <Content {...input} />
        </section>
      ))}
    </>
  );
}
