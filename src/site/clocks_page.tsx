import { Html } from '@elysiajs/html';
import { newClockId } from '../api/routes/clock.ts';
import { ASSET_PATHS } from '../clock/clock_config.ts';
import { clock } from '../clock/fragment.tsx';
import { STYLE_NAMES, type StyleName } from '../clock/styles/styles.ts';
import { clockConfig } from '../operations/clock.ts';
import { UTC_TARGET } from '../operations/target.ts';
import { momentAt } from '../text/time_payload.ts';
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

/** The forms in which a clock can be copied. Forms that the visitor's browser fetches require an open server. */
const FORMS = [
  { value: 'lines', label: 'Script', needsOpenServer: true },
  { value: 'fragment', label: 'HTML', needsOpenServer: false },
  { value: 'frame', label: 'Frame', needsOpenServer: true },
  { value: 'image', label: 'Image', needsOpenServer: true },
] as const;

/** A dialog with a form for every clock option. Its fields have the names of the parameters. Hidden until it is opened. */
function Builder({ isKeyed }: { isKeyed: boolean }): JSX.Element {
  const forms = FORMS.filter(({ needsOpenServer }) => !(isKeyed && needsOpenServer));
  return (
    <dialog class="builder" data-builder aria-labelledby="builder-title">
      <header>
        <h2 id="builder-title">Your clock</h2>
        <button class="quiet" type="button" data-builder-close>
          Close
        </button>
      </header>
      <form class="builder-form" data-builder-form>
        <Field id="style" label="Face">
          <select id="builder-style" name="style">
            {STYLE_NAMES.map(style => (
              <option>{style}</option>
            ))}
          </select>
        </Field>
        <Field id="tz" label="Zone">
          <input id="builder-tz" name="tz" type="text" autocomplete="off" spellcheck="false" />
        </Field>
        <Check name="visitor" label="In the visitor's zone" />
        <Field id="label" label="Label">
          <input id="builder-label" name="label" type="text" maxlength="64" placeholder="name of the zone" />
        </Field>
        <Field id="size" label="Size">
          <input id="builder-size" name="size" type="text" placeholder="240px, 15rem, 20vw, 50%" />
        </Field>
        <Field id="lang" label="Language">
          <input id="builder-lang" name="lang" type="text" placeholder="en" spellcheck="false" />
        </Field>
        <Check name="hour12" label="12 hours" />
        <Check name="date" label="Date" />
        <fieldset class="builder-colours">
          <legend>Colours</legend>
          <Colour name="ground" label="Ground" value="#10243e" />
          <Colour name="ink" label="Ink" value="#f5e9d0" />
          <Colour name="accent" label="Accent" value="#ff6a4d" />
        </fieldset>
        <div class="builder-digital" data-builder-digital>
          <Field id="format" label="Format">
            <input id="builder-format" name="format" type="text" placeholder="%H:%M:%S" spellcheck="false" />
          </Field>
          <Field id="countdown_to" label="Count down to">
            <input id="builder-countdown_to" name="countdown_to" type="datetime-local" />
          </Field>
        </div>
      </form>
      <div class="builder-result">
        <div class="builder-previews">
          <div class="builder-preview" data-builder-preview="light"></div>
          <div class="builder-preview" data-builder-preview="dark"></div>
        </div>
        <fieldset class="builder-forms" data-builder-forms>
          <legend class="unseen">Copy as</legend>
          {forms.map(({ value, label }, index) => (
            <label>
              <input type="radio" name="form" value={value} checked={index === 0} />
              {label}
            </label>
          ))}
          <button class="button" type="button" data-builder-copy>
            Copy
          </button>
        </fieldset>
        <section aria-label="Clock code">
          <pre class="json" data-builder-code></pre>
        </section>
        <p class="status" role="status" data-builder-status></p>
      </div>
    </dialog>
  );
}

function Field(props: { id: string; label: string; children: JSX.Element }): JSX.Element {
  const { id, label, children } = props;
  return (
    <div class="builder-field">
      <label for={`builder-${id}`}>{label}</label>
      {children}
    </div>
  );
}

function Check({ name, label }: { name: string; label: string }): JSX.Element {
  return (
    <label class="builder-check">
      <input type="checkbox" name={name} value="true" />
      {label}
    </label>
  );
}

/** A colour; the style's own is used unless the box is checked. */
function Colour(props: { name: string; label: string; value: string }): JSX.Element {
  const { name, label, value } = props;
  return (
    <span class="builder-check">
      <label>
        <input type="checkbox" data-enables={name} /> {label}
      </label>
      <input type="color" name={name} value={value} aria-label={`${label} colour`} disabled />
    </span>
  );
}
