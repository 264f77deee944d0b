import { Html } from '@elysiajs/html';
import { type Representation, representationResponse, representLater } from '../api/assets/representation.ts';
import { describeApi, requiresKeys } from '../api/description/openapi.ts';
import { BoundedCache } from '../common/caching.ts';
import type { ServiceError } from '../common/errors.ts';
import { onceSettled, whenReady } from '../common/promises.ts';
import { statusOf } from '../http/errors.ts';
import type { ErrorContent, Exchange } from '../http/exchange.ts';
import { perSnapshot, type Server, type Snapshot } from '../http/snapshot.ts';
import { clocksPage } from './clocks_page.tsx';
import { docsPage } from './docs_page.tsx';
import { pageFor, pageWithKey } from './find.ts';
import { ASSETS, type FrameInput, layout, type PageInput } from './layout.tsx';
import { mapPage } from './map_page.tsx';
import { openPlanner } from './planner/planner_page.tsx';
import { ERROR_PAGE_POLICY, PAGE_HEADERS, type SitePath, siteHeaders } from './site_paths.ts';
import { startPage } from './start_page.tsx';

export { openZonePages } from './zone/zone_pages.tsx';

/** Enough for a list of places. */
const MAX_TYPED = 400;

const HTML = 'text/html; charset=utf-8';

/** Returns a function that serves the API description, the pages and their assets. */
export function openSite(server: Server) {
  const editions = perSnapshot(() => new BoundedCache<string, Edition>(1));
  const planner = openPlanner(server);
  const planned = async (url: string, snapshot: Snapshot) =>
    representLater(await planner(url, { snapshot, isKeyed: requiresKeys(server.access) }), HTML);
  return (path: SitePath, { request, requestId, snapshot }: Exchange): Response | Promise<Response> => {
    const edition = editions(snapshot).getOrInsertComputed(editionKey(server), () =>
      newEdition(server, snapshot),
    );
    const headers = { ...siteHeaders(path, request, snapshot.corsOrigin), 'X-Request-Id': requestId };
    const representation = path === '/planner' ? planned(request.url, snapshot) : edition(path);
    return whenReady(representation, ready => representationResponse(request, ready, headers));
  };
}

/** Redirects from the text that a visitor entered on the start page to the relevant page. */
export function findPage({ access }: Server, { request, requestId, snapshot }: Exchange) {
  const query = new URL(request.url).searchParams;
  const typed = (query.get('q') ?? '').trim().slice(0, MAX_TYPED);
  const date = query.get('date') ?? '';
  const headers = { ...PAGE_HEADERS, 'Cache-Control': 'no-store', 'X-Request-Id': requestId };
  const page = requiresKeys(access) ? pageWithKey(typed, date) : pageFor(typed, date, snapshot);
  return whenReady(page, Location => new Response(null, { status: 303, headers: { ...headers, Location } }));
}

export function writeErrorPage(
  { access }: Server,
  error: ServiceError,
  { requestId, snapshot }: Exchange,
): ErrorContent {
  const input = { snapshot, isKeyed: requiresKeys(access) };
  const body = errorPage(error, statusOf(error), requestId, input);
  const headers = { ...PAGE_HEADERS, 'Content-Security-Policy': ERROR_PAGE_POLICY, Vary: 'Accept' };
  return { contentType: HTML, body, headers };
}

/** Identifies everything other than the snapshot that pages depend on: whether keys are required, and the signing keys. */
function editionKey({ access, signing }: Server): string {
  return [requiresKeys(access), ...signing.current.published.map(({ kid }) => kid)].join();
}

/** Parts of the site that do not depend on the query. */
type EditionPath = Exclude<SitePath, '/planner'>;

/** Returns a part of the site, which is built when it is first requested. */
type Edition = (path: EditionPath) => Representation | Promise<Representation>;

function newEdition(server: Server, snapshot: Snapshot): Edition {
  const document = onceSettled(() => describeApi(server));
  const pageOf = async (render: (input: PageInput) => string | Promise<string>) => {
    const isKeyed = requiresKeys(server.access);
    const html = await render({ document: await document(), snapshot, isKeyed, nowMs: server.now() });
    return representLater(html, HTML);
  };
  /** A page that shows the time, and is rendered once per period in which it is requested. */
  const timed = (periodMs: number, make: () => Promise<Representation>) => {
    const made = new BoundedCache<number, ReturnType<typeof onceSettled<Representation>>>(1);
    return () => made.getOrInsertComputed(Math.floor(server.now() / periodMs), () => onceSettled(make))();
  };
  const outlines = onceSettled(async () => {
    await snapshot.outlines.load();
    return snapshot.outlines.get();
  });
  const outlinesFile = onceSettled(async () => representLater((await outlines()).svg, 'image/svg+xml'));
  const parts: Readonly<Record<Exclude<EditionPath, keyof typeof ASSETS>, () => ReturnType<Edition>>> = {
    '/': onceSettled(() => pageOf(startPage)),
    '/docs': onceSettled(() => pageOf(docsPage)),
    '/clocks': timed(1000, () => pageOf(clocksPage)),
    // Night and offsets change slowly.
    '/map': timed(60_000, async () => pageOf(mapPage(await outlines(), (await outlinesFile()).digest))),
    '/openapi.json': onceSettled(async () =>
      representLater(JSON.stringify(await document()), 'application/json'),
    ),
    '/assets/outlines.svg': outlinesFile,
  };
  return path => (path in parts ? parts[path as keyof typeof parts]() : ASSETS[path as keyof typeof ASSETS]);
}

const TITLES: Readonly<Partial<Record<number, string>>> = {
  400: 'This URL is invalid',
  401: 'This page requires an API key',
  403: 'This API key is not active',
  404: 'Page not found',
  405: 'Method not allowed',
  414: 'This URL is too long',
  421: 'This host name is not served here',
  429: 'Too many requests',
};

function errorPage({ message }: ServiceError, status: number, requestId: string, input: FrameInput): string {
  const title = TITLES[status] ?? 'Something went wrong';
  return layout(
    { path: null, title: `${status} · meridian`, description: title },
    input,
    <main id="content" class="error-page">
      <p class="error-status">{String(status)}</p>
      <h1 safe>{title}</h1>
      <p class="lead" safe>
        {`${message}.`}
      </p>
      <p class="ways">
        <a class="button" href="/" target="_top">
          Go to the start page
        </a>
        <a href="/docs" target="_top">
          Docs
        </a>
      </p>
      <p class="status">
        Request id: <code safe>{requestId}</code>
      </p>
    </main>,
  );
}
