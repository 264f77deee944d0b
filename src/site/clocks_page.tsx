import { Html } from '@elysiajs/html';
import { newClockId } from '../api/routes/clock.ts';
import { ASSET_PATHS } from '../clock/clock_config.ts';
import { clock } from '../clock/fragment.tsx';
import { STYLE_NAMES, type StyleName } from '../clock/styles/styles.ts';
import { clockConfig } from '../operations/clock.ts';
import { UTC_TARGET } from '../operations/target.ts';
import { momentAt } from '../text/time_payload.ts';
import { Builder } from './clock_builder.tsx';
import { drawnInTurns, layout, type PageInput } from './layout.tsx';

const FAMILIES = [
  { prefix: 'analog-', title: 'Analog' },
  { prefix: 'digital-', title: 'Digital' },
] as const;

/**
 * The gallery: a running clock in every style, with buttons that copy its code. The page is rendered anew for each second in
 * which it is requested. Since that takes some milliseconds, other requests are served between clocks.
 */
export async function clocksPage(input: PageInput): Promise<string> {
  const { stylesheet, script } = ASSET_PATHS;
  const { isKeyed, snapshot, nowMs } = input;
  const drawn = await drawnInTurns(
    STYLE_NAMES.map(style => () => <Exhibit style={style} isKeyed={isKeyed} nowMs={nowMs} />),
  );
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
          Rendered by the server, correct before any script runs, and accurate to the second through sleep,
          clock changes and network outages. Customise a face, and copy it as a script, HTML, a frame or an
          image.
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
      <Builder isKeyed={isKeyed} />
      {FAMILIES.map(({ prefix, title }) => (
        <section aria-labelledby={`${prefix}title`}>
          <h2 id={`${prefix}title`}>{title}</h2>
          <div class={`gallery ${prefix}gallery`}>
            {drawn.filter((_, index) => STYLE_NAMES[index]!.startsWith(prefix))}
          </div>
        </section>
      ))}
    </main>,
  );
}

/** A clock and its buttons. Forms that the visitor's browser fetches require an open server. */
function Exhibit(props: { style: StyleName; isKeyed: boolean; nowMs: number }): JSX.Element {
  const { style, isKeyed, nowMs } = props;
  return (
    <figure class="exhibit" data-exhibit={style}>
      <div class="exhibit-clock">{clockAt(nowMs, style)}</div>
      <figcaption>
        <code>{style}</code>
        <span class="exhibit-actions">
          <button class="quiet" type="button" data-build aria-label={`Customise ${style}`}>
            Customise
          </button>
          {!isKeyed && <CopyButton style={style} what="lines" label="Copy" name="as a script" />}
          <CopyButton style={style} what="fragment" label="HTML" name="as HTML" />
        </span>
      </figcaption>
    </figure>
  );
}

function CopyButton(props: { style: StyleName; what: string; label: string; name: string }): JSX.Element {
  const { style, what, label, name } = props;
  return (
    <button class="quiet" type="button" data-copy={what} aria-label={`${label}: copy ${style} ${name}`}>
      {label}
    </button>
  );
}

/** A clock in the visitor's zone, which the clock script fills in. */
function clockAt(nowMs: number, style: StyleName): string {
  const moment = momentAt(nowMs, UTC_TARGET);
  const request = { selector: { kind: 'visitor' }, format: null, isPinned: false, publicUrl: '' } as const;
  return clock(clockConfig({ style, target: UTC_TARGET, ...request }, moment), moment, newClockId());
}
