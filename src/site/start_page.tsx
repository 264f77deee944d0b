import { Html } from '@elysiajs/html';
import { STYLE_NAMES } from '../clock/styles/styles.ts';
import { layout, type PageInput } from './layout.tsx';
import { Playground } from './playground.tsx';

/** The start page: an introduction, the world clock and the playground. */
export function startPage(input: PageInput): string {
  const { document, snapshot } = input;
  const routes = Object.keys(document.paths).length;
  return layout(
    { path: '/', title: 'meridian · the time anywhere, over HTTP', description: document.info.summary },
    input,
    <main id="content">
      <section class="hero">
        <div>
          <h1>The time anywhere, over HTTP</h1>
          <p class="lead">
            Local time, clock changes, holidays and working time for any zone, place, IP address or
            coordinates: one GET request, one JSON response.
          </p>
          <ul class="reasons">
            <li>
              <b>One file, offline.</b> Zones, boundaries, places, IP data and holidays are built in; no
              request leaves your network.
            </li>
            <li>
              <b>Current data.</b> tzdata <span safe>{snapshot.zones.version}</span>, every release since
              2016, and the public holidays of 251 countries and territories.
            </li>
            <li>
              <b>Verifiable.</b> Any response can be signed with Ed25519 and verified by anyone; try it below
              with <code>sign</code>.
            </li>
          </ul>
          <FindForm />
          <p class="ways">
            <a href="#try">Try the API</a>
            <a href="/planner">Plan a meeting</a>
            <a href="/clocks">{String(STYLE_NAMES.length)} clocks for your page</a>
          </p>
        </div>
        <WorldClock isKeyed={input.isKeyed} maxBulk={snapshot.maxBulk} />
      </section>
      <section class="try" id="try" aria-labelledby="try-title">
        <header>
          <h2 id="try-title">Try it</h2>
          <p>{String(routes)} tasks, each a GET request. Start with an example, or fill in your own.</p>
        </header>
        <Playground document={document} />
      </section>
      <section class="links" aria-labelledby="links-title">
        <h2 id="links-title">More on this server</h2>
        <ul>
          <li>
            <a href="/planner">Planner</a> <span>find a time for several places</span>
          </li>
          <li>
            <a href="/map">Map</a> <span>find the zone of a location</span>
          </li>
          <li>
            <a href="/docs">Reference</a> <span>routes, parameters, responses, errors, patterns</span>
          </li>
          <li>
            <a href="/clocks">Clocks</a> <span>for your pages</span>
          </li>
          <li>
            <a href="/openapi.json">OpenAPI 3.1</a> <span>generate a client from it</span>
          </li>
          <li>
            <a href="/healthz">Health</a> and <a href="/readyz">readiness</a>{' '}
            <span>is the server running and ready</span>
          </li>
        </ul>
      </section>
    </main>,
  );
}

/** Leads to the page of a place's zone, or to the planner for several places or a date. Works without scripts. */
function FindForm(): JSX.Element {
  return (
    <form class="find" action="/find" data-find>
      <span class="find-places">
        <label for="find-q">Places, a region, or coordinates</label>
        <input
          id="find-q"
          name="q"
          type="text"
          required
          maxlength="400"
          autocomplete="off"
          spellcheck="false"
          placeholder="Berlin, New York, Tokyo"
        />
      </span>
      <span>
        <label for="find-date">Date, if not today</label>
        <input id="find-date" name="date" type="date" min="1970-01-01" max="2099-12-30" />
      </span>
      <button class="button" type="submit">
        Show
      </button>
    </form>
  );
}

/** Rows of the world clock, from west to east. */
const PLACES = [
  { zone: 'America/Los_Angeles', name: 'Los Angeles' },
  { zone: 'America/New_York', name: 'New York' },
  { zone: 'America/Sao_Paulo', name: 'São Paulo' },
  { zone: 'Europe/London', name: 'London' },
  { zone: 'Africa/Nairobi', name: 'Nairobi' },
  { zone: 'Asia/Kolkata', name: 'Kolkata' },
  { zone: 'Asia/Tokyo', name: 'Tokyo' },
  { zone: 'Pacific/Auckland', name: 'Auckland' },
];

/** The times of some cities. The script fills them in from one request to this server; hidden without scripts. */
function WorldClock({ isKeyed, maxBulk }: { isKeyed: boolean; maxBulk: number }): JSX.Element {
  // The request has at most `maxBulk` zones, one of which is the visitor's own.
  const places = PLACES.slice(0, Math.max(1, maxBulk - 1));
  return (
    <div class="world" data-world-clock>
      <div class="now">
        <div class="now-clock" data-own-clock></div>
        <p>
          <span class="now-place">UTC</span>
          <time class="now-time">‒‒:‒‒:‒‒</time>
          <span class="now-date">&nbsp;</span>
        </p>
      </div>
      <table>
        <caption class="unseen">The time around the world</caption>
        <thead class="unseen">
          <tr>
            {['Place', 'Part of the day', 'Time', 'Day', 'Offset'].map(column => (
              <th scope="col">{column}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {places.map(({ zone, name }) => (
            <tr data-zone={zone}>
              <th scope="row" safe>
                {name}
              </th>
              <td class="world-track">
                <span class="track">
                  <span class="mark" />
                </span>
              </td>
              <td class="world-time">‒‒:‒‒</td>
              <td class="world-day"></td>
              <td class="world-offset"></td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="drift" data-drift>
        {isKeyed ? 'Enter an API key in the field above to start the clocks.' : <>&nbsp;</>}
      </p>
    </div>
  );
}
