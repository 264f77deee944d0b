import { Html } from '@elysiajs/html';
import { operationsOf } from '../api/description/document.ts';
import { ASSET_PATHS } from '../clock/clock_config.ts';
import { FURTHER_SECTIONS, firstSections, Guide, type GuideSection } from './guide.tsx';
import { layout, type PageInput } from './layout.tsx';
import { ObjectSection, RouteSection } from './reference.tsx';

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
        {operations.map(operation => (
          <RouteSection {...operation} input={input} />
        ))}
        <Guide sections={FURTHER_SECTIONS} input={input} />
        <h2 class="part">Objects</h2>
        {objects.map(name => (
          <ObjectSection name={name} schemas={schemas} />
        ))}
      </main>
    </div>,
  );
}

type Link = Pick<GuideSection, 'id' | 'name'>;

function ContentsGroup({ title, links }: { title: string; links: readonly Link[] }): JSX.Element {
  return (
    <details open>
      <summary safe>{title}</summary>
      <ul>
        {links.map(({ id, name }) => (
          <li>
            <a href={`#${id}`} safe>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}
