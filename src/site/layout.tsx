import { Html } from '@elysiajs/html';
import type { DataSetManifest } from '../../data/manifest.ts';
import type { ApiDocument } from '../api/description/document.ts';
import { ASSET_URLS } from './assets.ts';
import { Linked } from './prose.tsx';

/** What the pages of a server are made from. */
export interface PageInput {
  readonly document: ApiDocument;
  /** The tzdata release in use. */
  readonly zones: string;
  /** The embedded data. */
  readonly data: readonly DataSetManifest[];
  /** Maximum number of entries in a list. */
  readonly maxBulk: number;
}

/** The pages, in the order of the navigation. */
const PAGES = [
  { path: '/', name: 'Start' },
  { path: '/docs', name: 'Reference' },
  { path: '/clocks', name: 'Clocks' },
] as const;

/** The frame of a page. */
export interface LayoutProps {
  readonly path: (typeof PAGES)[number]['path'];
  readonly title: string;
  readonly description: string;
  /** Further elements of `<head>`. */
  readonly head?: JSX.Element;
  readonly input: PageInput;
}

/** The frame of every page: assets, navigation, the field for an API key, and attributions. */
export function layout(props: LayoutProps, content: JSX.Element): string {
  const { path, title, description, head = '', input } = props;
  const { document, zones, data } = input;
  return `<!doctype html>${(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title safe>{title}</title>
        <meta name="description" content={description} />
        <link rel="icon" href={ASSET_URLS.icon} type="image/svg+xml" />
        <link rel="stylesheet" href={ASSET_URLS.stylesheet} />
        <script type="module" src={ASSET_URLS.script} />
        {head}
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header class="top">
          <a class="brand" href="/">
            <img src={ASSET_URLS.icon} alt="" width="24" height="24" />
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
          {document.security === undefined ? '' : <KeyField />}
        </header>
        {content}
        <footer class="bottom">
          <p>
            Zones from <abbr title="Internet Assigned Numbers Authority">IANA</abbr> tzdata{' '}
            <span safe>{zones}</span>. Everything on this page comes from this server.
          </p>
          {data.map(({ attribution }) =>
            attribution === undefined ? (
              ''
            ) : (
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
