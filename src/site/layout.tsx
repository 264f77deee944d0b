import { Html } from '@elysiajs/html';
import type { ApiDocument } from '../api/description/document.ts';
import type { Snapshot } from '../http/snapshot.ts';
import { assetUrl } from './assets.ts';
import { Linked } from './prose.tsx';

export interface PageInput {
  readonly document: ApiDocument;
  readonly snapshot: Snapshot;
  /** The present, in milliseconds since 1970-01-01T00:00:00Z. */
  readonly nowMs: number;
}

/** The pages, in the order of the navigation. */
const PAGES = [
  { path: '/', name: 'Start' },
  { path: '/docs', name: 'Reference' },
  { path: '/clocks', name: 'Clocks' },
] as const;

interface PageHead {
  readonly path: (typeof PAGES)[number]['path'];
  readonly title: string;
  readonly description: string;
  /** Further elements of `<head>`. */
  readonly elements?: JSX.Element;
}

/** The frame of every page: assets, navigation, the field for an API key, and attributions. */
export function layout(head: PageHead, { document, snapshot }: PageInput, content: JSX.Element): string {
  const { path, title, description, elements } = head;
  return `<!doctype html>${(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title safe>{title}</title>
        <meta name="description" content={description} />
        <link rel="icon" href={assetUrl('/assets/icon.svg')} type="image/svg+xml" />
        <link rel="stylesheet" href={assetUrl('/assets/pages.css')} />
        <script type="module" src={assetUrl('/assets/pages.js')} />
        {elements}
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header class="top">
          <a class="brand" href="/">
            <img src={assetUrl('/assets/icon.svg')} alt="" width="24" height="24" />
            meridian
          </a>
          <nav class="pages" aria-label="Pages">
            {PAGES.map(page => (
              <a href={page.path} aria-current={page.path === path ? 'page' : undefined}>
                {page.name}
              </a>
            ))}
            <a href="/openapi.json">OpenAPI</a>
          </nav>
          {document.security !== undefined && <KeyField />}
        </header>
        {content}
        <footer class="bottom">
          <p>
            Zones from <abbr title="Internet Assigned Numbers Authority">IANA</abbr> tzdata{' '}
            <span safe>{snapshot.zones.version}</span>. Everything on this page comes from this server.
          </p>
          {snapshot.embeddedData.map(
            ({ attribution }) =>
              attribution !== undefined && (
                <p>
                  <Linked text={`${attribution}.`} />
                </p>
              ),
          )}
        </footer>
      </body>
    </html>
  )}`;
}

function KeyField(): JSX.Element {
  return (
    <form class="key" id="key">
      <label for="key-field">API key</label>
      <input
        id="key-field"
        type="password"
        autocomplete="off"
        spellcheck="false"
        placeholder="required by this server"
        title="Sent to this server only, and forgotten when the tab is closed"
      />
    </form>
  );
}
