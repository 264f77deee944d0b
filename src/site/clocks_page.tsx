import { Html } from '@elysiajs/html';
import { newClockId } from '../api/routes/clock.ts';
import { ASSET_PATHS } from '../clock/clock_config.ts';
import { clock } from '../clock/fragment.tsx';
import { STYLE_NAMES, type StyleName } from '../clock/styles/styles.ts';
import { clockConfig } from '../operations/clock.ts';
import { NO_TARGET } from '../operations/target.ts';
import { momentAt } from '../text/time_payload.ts';
import { layout, type PageInput } from './layout.tsx';

const FAMILIES = [
  { prefix: 'analog-', title: 'With hands' },
  { prefix: 'digital-', title: 'With figures' },
] as const;

/** The gallery: every style, running, each with buttons that copy its code. */
export function clocksPage(input: PageInput): string {
  const { stylesheet, script } = ASSET_PATHS;
  const { document, snapshot, nowMs } = input;
  const isKeyed = document.security !== undefined;
  return layout(
    {
      path: '/clocks',
      title: 'Clocks · meridian',
      description: 'Clocks for your pages',
      elements: (
        <>
          <link rel="stylesheet" href={stylesheet} />
          <script async src={script} />
        </>
      ),
    },
    input,
    <main id="content" class="clocks" data-gallery data-public-url={snapshot.publicUrl}>
      <header>
        <h1>Clocks for your page</h1>
        <p class="lead">
          Drawn by the server, right before any script runs, and accurate to the second through sleep, clock
          changes and lost networks. Choose a zone, and copy what you like
          {isKeyed ? '.' : ': two lines that fetch the clock, or the clock itself as HTML.'}
        </p>
        <form class="gallery-controls">
          <span>
            <label for="gallery-zone">Zone</label>
            <input
              id="gallery-zone"
              name="tz"
              type="text"
              value="UTC"
              autocomplete="off"
              spellcheck="false"
            />
            <button class="button" type="submit">
              Show
            </button>
          </span>
          <span>
            <label for="gallery-size">Size</label>
            <input id="gallery-size" name="size" type="range" min="96" max="480" step="16" value="176" />
          </span>
        </form>
        <p class="status" role="status" data-gallery-status></p>
      </header>
      {FAMILIES.map(({ prefix, title }) => (
        <section aria-labelledby={`${prefix}title`}>
          <h2 id={`${prefix}title`}>{title}</h2>
          <div class={`gallery ${prefix}gallery`}>
            {STYLE_NAMES.filter(style => style.startsWith(prefix)).map(style => (
              <Exhibit style={style} isKeyed={isKeyed} nowMs={nowMs} />
            ))}
          </div>
        </section>
      ))}
    </main>,
  );
}

/** A clock, its name and the copy buttons. The two-line variant needs an open server: the visitor's browser fetches it. */
function Exhibit(props: { style: StyleName; isKeyed: boolean; nowMs: number }): JSX.Element {
  const { style, isKeyed, nowMs } = props;
  return (
    <figure class="exhibit" data-exhibit={style}>
      <div class="exhibit-clock">{clockAt(nowMs, style)}</div>
      <figcaption>
        <code>{style}</code>
        <span class="exhibit-actions">
          {!isKeyed && (
            <button class="quiet" type="button" data-copy="lines">
              Copy
            </button>
          )}
          <button class="quiet" type="button" data-copy="fragment">
            Copy as HTML
          </button>
        </span>
      </figcaption>
    </figure>
  );
}

function clockAt(nowMs: number, style: StyleName): string {
  const moment = momentAt(nowMs, NO_TARGET);
  const unpinned = { selector: { kind: 'none' }, format: null, isPinned: false, publicUrl: '' } as const;
  return clock(clockConfig({ style, target: NO_TARGET, ...unpinned }, moment), moment, newClockId());
}
