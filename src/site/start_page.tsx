import { Html } from '@elysiajs/html';
import { layout } from './layout.tsx';
import type { PageInput } from './page_input.ts';
import { Playground } from './playground.tsx';
import { WorldClock } from './world_clock.tsx';

/** The start page: what this is, what time it is, and every route to try. */
export function startPage(input: PageInput): string {
  const { document, maxBulk } = input;
  const routes = Object.keys(document.paths).length;
  return layout(
    {
      path: '/',
      title: 'meridian · the time of any place, over HTTP',
      description: document.info.summary,
      input,
    },
    <main id="content">
      <section class="hero">
        <div>
          <h1>The time of any place, over HTTP</h1>
          <p class="lead">
            Ask for a zone, an address, coordinates or several at once, and get the local time, the date, the
            next change of the clock. Convert timestamps, add to them, count the days between them, worked
            ones too. Put a clock on your page. Every request is a GET; every answer but a clock is JSON.
          </p>
          <p class="ways">
            <a class="button" href="#try">
              Try it
            </a>
            <a href="/docs">Read the reference</a>
            <a href="/clocks">See the clocks</a>
          </p>
        </div>
        <WorldClock isKeyed={document.security !== undefined} maxBulk={maxBulk} />
      </section>
      <section class="try" id="try" aria-labelledby="try-title">
        <header>
          <h2 id="try-title">Try it</h2>
          <p>{String(routes)} routes, asked from here. Start with an example, or fill in your own.</p>
        </header>
        <Playground document={document} />
      </section>
      <section class="links" aria-labelledby="links-title">
        <h2 id="links-title">Elsewhere on this server</h2>
        <ul>
          <li>
            <a href="/docs">Reference</a> <span>routes, parameters, answers, errors, patterns</span>
          </li>
          <li>
            <a href="/clocks">Clocks</a> <span>thirty of them, for your pages</span>
          </li>
          <li>
            <a href="/openapi.json">OpenAPI 3.1</a>{' '}
            <span>the same for programs: generate a client from it</span>
          </li>
          <li>
            <a href="/healthz">Health</a> and <a href="/readyz">readiness</a>{' '}
            <span>that it lives, and what it depends on</span>
          </li>
        </ul>
      </section>
    </main>,
  );
}
