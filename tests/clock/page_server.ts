import { createApp } from '../../src/server/app.ts';
import { testServer } from '../support/service.ts';
import { SHOWN_MOMENT } from './faces_page.ts';

/** An in-process server of clocks and of a page. */
export class PageServer {
  /** The server's current time: fixed, unless a test sets it. */
  now: () => number;
  /** The HTML of the page's body. */
  body = '';
  /** The page's own stylesheet. */
  stylesheet = '';
  /** The page's Content-Security-Policy, strict by default. */
  policy = "default-src 'self'";
  /** The status with which requests for the time are rejected. */
  rejection: number | null = null;
  /** Other files, by path. */
  readonly files = new Map<string, () => Response | Promise<Response>>();
  /** The requests for the time, as path and query. */
  readonly requests: string[] = [];
  readonly #server: ReturnType<typeof Bun.serve>;
  readonly #app = createApp(testServer({ now: () => this.now() }));

  constructor(now = () => SHOWN_MOMENT.epochMs) {
    this.now = now;
    this.#server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: request => this.#respond(request) });
  }

  get url(): string {
    return this.#server.url.origin;
  }

  /** The fragment of a clock. */
  async fragment(query: string): Promise<string> {
    const response = await this.#app.handle(new Request(`${this.url}/v1/time/clock?${query}`));
    if (response.status !== 200) throw new Error(await response.text());
    return response.text();
  }

  #respond(request: Request): Response | Promise<Response> {
    const { pathname, search } = new URL(request.url);
    if (pathname === '/page') return this.#page();
    const file = this.files.get(pathname);
    if (file !== undefined) return file();
    if (pathname === '/page.css') {
      return new Response(this.stylesheet, { headers: { 'Content-Type': 'text/css' } });
    }
    if (/^\/v1\/time\/(current|dst)$/.test(pathname)) {
      this.requests.push(pathname + search);
      if (this.rejection !== null) return new Response('{}', { status: this.rejection });
    }
    return this.#app.handle(request);
  }

  #page(): Response {
    const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': this.policy };
    return new Response(documentOf(this.body), { headers });
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true);
  }
}

function documentOf(body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Clocks</title><link rel="icon" href="/assets/icon.svg"><link rel="stylesheet" href="/page.css"><body>${body}</body></html>`;
}
