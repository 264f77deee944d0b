import { Html } from '@elysiajs/html';
import { compressForBrowsers, encodeFile } from '../api/assets/browser_bundles.ts' with { type: 'macro' };
import { represent, representFile } from '../api/assets/representation.ts';
import type { ApiDocument } from '../api/description/document.ts';
import { textsOf } from '../api/slices.ts';
import type { Snapshot } from '../http/snapshot.ts';
import icon from './icons/icon.svg' with { type: 'text' };
import { Linked } from './parts.tsx';

export interface FrameInput {
  readonly snapshot: Snapshot;
  /** Whether API requests require a key. */
  readonly isKeyed: boolean;
}

export interface PageInput extends FrameInput {
  readonly document: ApiDocument;
  /** The present, in milliseconds since 1970-01-01T00:00:00Z. */
  readonly nowMs: number;
}

/** The pages, in navigation order. */
const PAGES = [
  { path: '/planner', name: 'Planner' },
  { path: '/map', name: 'Map' },
  { path: '/clocks', name: 'Clocks' },
  { path: '/docs', name: 'Docs' },
] as const;

/** Inlined, since Chromium takes 7 ms to set up the separate document of an SVG image. */
const ICON = icon.replace('<svg', '<svg aria-hidden="true" width="24" height="24"');

interface PageHead {
  /** The path of the page; null for pages without one, such as errors. */
  readonly path: string | null;
  readonly title: string;
  readonly description: string;
  /** Further elements of `<head>`. */
  readonly elements?: JSX.Element;
}

/** The frame of every page: assets, navigation, the API key field, and attributions. */
export function layout(head: PageHead, { snapshot, isKeyed }: FrameInput, content: JSX.Element): string {
  const { path, title, elements } = head;
  return `<!doctype html>${(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title safe>{title}</title>
        {THEME_COLORS.map(color => (
          <meta name="theme-color" {...color} />
        ))}
        <Preview head={head} publicUrl={snapshot.publicUrl} />
        <link rel="icon" href={assetUrl('/assets/icon.svg')} type="image/svg+xml" />
        <link rel="apple-touch-icon" href={assetUrl('/assets/touch_icon.png')} />
        <link rel="stylesheet" href={assetUrl('/assets/pages.css')} />
        <script type="module" src={assetUrl('/assets/pages.js')} />
        {elements}
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header class="top">
          <a class="brand" href="/" aria-current={path === '/' ? 'page' : undefined}>
            {ICON}
            meridian
          </a>
          <nav class="pages" aria-label="Pages">
            {PAGES.map(page => (
              <a href={page.path} aria-current={page.path === path ? 'page' : undefined}>
                {page.name}
              </a>
            ))}
          </nav>
          {isKeyed && <KeyField />}
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

/** Renders parts of a frequently rendered page one after another, serving other requests in between. */
export async function drawnInTurns(parts: readonly (() => JSX.Element)[]): Promise<string[]> {
  return await textsOf(parts, part => String(part()), 1);
}

/** The colour of the browser's frame, equal to `--paper` in the stylesheet. */
const THEME_COLORS = [
  { content: '#fbfaf7', media: '(prefers-color-scheme: light)' },
  { content: '#12161a', media: '(prefers-color-scheme: dark)' },
];

/** The description of a page, also for link previews (Open Graph), which need absolute URLs. */
function Preview({ head, publicUrl }: { head: PageHead; publicUrl: string }): JSX.Element {
  const { path, title, description } = head;
  if (path === null) return <meta name="robots" content="noindex" />;
  const meta = {
    'og:type': 'website',
    'og:site_name': 'meridian',
    'og:title': title,
    'og:description': description,
    ...(publicUrl !== '' && {
      'og:url': publicUrl + path,
      'og:image': `${publicUrl}${assetUrl('/assets/card.png')}`,
      'og:image:alt': 'meridian: the time anywhere, over HTTP',
    }),
  };
  return (
    <>
      <meta name="description" content={description} />
      {Object.entries(meta).map(([property, content]) => (
        <meta property={property} content={content} />
      ))}
    </>
  );
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
        title="Sent only to this server, and discarded when the tab is closed"
      />
    </form>
  );
}

/** Excludes paths with parameters, whose URLs are unlimited, and `/find`, which only redirects. */
const ROBOTS = 'User-agent: *\nDisallow: /v1/\nDisallow: /api/\nDisallow: /mcp\nDisallow: /find\n';

const SCRIPT = 'text/javascript; charset=utf-8';

/** The stylesheet and script of all pages, the planner's script, icons, and the image for link previews. */
export const ASSETS = {
  '/assets/pages.css': representFile(compressForBrowsers('site/pages.css'), 'text/css; charset=utf-8'),
  '/assets/pages.js': representFile(compressForBrowsers('site/browser/main.ts'), SCRIPT),
  '/assets/planner.js': representFile(compressForBrowsers('site/browser/planner.ts'), SCRIPT),
  '/assets/icon.svg': represent(icon, 'image/svg+xml'),
  '/assets/touch_icon.png': picture(encodeFile('site/icons/touch_icon.png'), 'image/png'),
  '/assets/card.png': picture(encodeFile('site/icons/card.png'), 'image/png'),
  '/favicon.ico': picture(encodeFile('site/icons/favicon.ico'), 'image/x-icon'),
  '/robots.txt': represent(ROBOTS, 'text/plain; charset=utf-8'),
};

/** The URL of an asset in pages. It contains the digest, so that the asset may be cached forever. */
export function assetUrl(path: keyof typeof ASSETS): string {
  return `${path}?v=${ASSETS[path].digest}`;
}

function picture(base64: string, contentType: string) {
  return represent(Uint8Array.fromBase64(base64), contentType);
}
