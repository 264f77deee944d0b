import { Html } from '@elysiajs/html';
import { STYLE_NAMES, type StyleName } from '../clock/styles/styles.ts';
import { UTC_TARGET } from '../operations/target.ts';
import { momentAt } from '../text/time_payload.ts';
import { drawnInTurns, layout, type PageInput } from './layout.tsx';
import { CLOCK_ASSETS, clockIn, Field, Section, Submit, TYPED } from './parts.tsx';

const FAMILIES = { analog: 'Analog', digital: 'Digital' };

/** The gallery: a running clock in every style. Rendered for each second in which it is requested; other requests are served meanwhile. */
export async function clocksPage(input: PageInput): Promise<string> {
  const { isKeyed, snapshot, nowMs } = input;
  const drawn = await drawnInTurns(STYLE_NAMES.map(style => () => exhibit(style, isKeyed, nowMs)));
  const head = { path: '/clocks', title: 'Clocks · meridian', description: 'Clocks for your pages' };
  return layout(
    { ...head, elements: CLOCK_ASSETS },
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
            <input {...TYPED} id="gallery-zone" name="tz" value="UTC" />
            <Submit label="Show" />
          </span>
          <Field
            id="gallery-size"
            label="Size"
            name="size"
            type="range"
            min="96"
            max="480"
            step="16"
            value="176"
          />
        </form>
        <p class="status" role="status" data-gallery-status></p>
      </header>
      <Builder isKeyed={isKeyed} />
      {Object.entries(FAMILIES).map(([family, title]) => (
        <Section id={family} title={title}>
          <div class={`gallery ${family}-gallery`}>
            {drawn.filter((_, index) => STYLE_NAMES[index]!.startsWith(family))}
          </div>
        </Section>
      ))}
    </main>,
  );
}

/** A clock and its buttons. Forms that the visitor's browser fetches require an open server. */
function exhibit(style: StyleName, isKeyed: boolean, nowMs: number): JSX.Element {
  return (
    <figure class="exhibit" data-exhibit={style}>
      <div class="exhibit-clock">
        {/* In the visitor's zone, which the clock script fills in. */}
        {clockIn(style, UTC_TARGET, { kind: 'visitor' }, momentAt(nowMs, UTC_TARGET))}
      </div>
      <figcaption>
        <code>{style}</code>
        <span class="exhibit-actions">
          <button class="quiet" type="button" data-build aria-label={`Customise ${style}`}>
            Customise
          </button>
          {!isKeyed && copyButton('lines', 'Copy', `${style} as a script`)}
          {copyButton('fragment', 'HTML', `${style} as HTML`)}
        </span>
      </figcaption>
    </figure>
  );
}

function copyButton(what: string, label: string, description: string): JSX.Element {
  return (
    <button class="quiet" type="button" data-copy={what} aria-label={`${label}: copy ${description}`}>
      {label}
    </button>
  );
}

/** The forms in which a clock can be copied. Those that the visitor's browser fetches, i.e. all but HTML, require an open server. */
const FORMS = { lines: 'Script', fragment: 'HTML', frame: 'Frame', image: 'Image' };

/** A dialog with a form for every clock option. Its fields have the names of the parameters. Hidden until it is opened. */
function Builder({ isKeyed }: { isKeyed: boolean }): JSX.Element {
  const forms = Object.entries(FORMS).filter(([value]) => !isKeyed || value === 'fragment');
  return (
    <dialog class="builder" data-builder aria-labelledby="builder-title">
      <header>
        <h2 id="builder-title">Your clock</h2>
        <button class="quiet" type="button" data-builder-close>
          Close
        </button>
      </header>
      <form class="builder-form" data-builder-form>
        <div class="builder-field">
          <label for="builder-style">Face</label>
          <select id="builder-style" name="style">
            {STYLE_NAMES.map(style => (
              <option>{style}</option>
            ))}
          </select>
        </div>
        <BuilderField {...TYPED} name="tz" label="Zone" />
        <Check name="visitor" label="In the visitor's zone" />
        <BuilderField name="label" label="Label" type="text" maxlength="64" placeholder="name of the zone" />
        <BuilderField name="size" label="Size" type="text" placeholder="240px, 15rem, 20vw, 50%" />
        <BuilderField name="lang" label="Language" type="text" placeholder="en" spellcheck="false" />
        <Check name="hour12" label="12 hours" />
        <Check name="date" label="Date" />
        <fieldset class="builder-colours">
          <legend>Colours</legend>
          {colour('ground', 'Ground', '#10243e')}
          {colour('ink', 'Ink', '#f5e9d0')}
          {colour('accent', 'Accent', '#ff6a4d')}
        </fieldset>
        <div class="builder-digital" data-builder-digital>
          <BuilderField name="format" label="Format" type="text" placeholder="%H:%M:%S" spellcheck="false" />
          <BuilderField name="countdown_to" label="Count down to" type="datetime-local" />
        </div>
      </form>
      <div class="builder-result">
        <div class="builder-previews">
          <div class="builder-preview" data-builder-preview="light"></div>
          <div class="builder-preview" data-builder-preview="dark"></div>
        </div>
        <fieldset class="builder-forms" data-builder-forms>
          <legend class="unseen">Copy as</legend>
          {forms.map(([value, label], index) => (
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

function BuilderField(props: JSX.HtmlInputTag & { name: string; label: string }): JSX.Element {
  return <Field tag="div" class="builder-field" {...props} id={`builder-${props.name}`} />;
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
function colour(name: string, label: string, value: string): JSX.Element {
  return (
    <span class="builder-check">
      <label>
        <input type="checkbox" data-enables={name} /> {label}
      </label>
      <input type="color" name={name} value={value} aria-label={`${label} colour`} disabled />
    </span>
  );
}
