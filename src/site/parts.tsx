import { Html, type PropsWithChildren } from '@elysiajs/html';
import type { ApiResponse, Operation, ShownExample } from '../api/description/document.ts';
import { newClockId } from '../api/routes/clock.ts';
import { ASSET_PATHS, type ClockSelector } from '../clock/clock_config.ts';
import { clock } from '../clock/fragment.tsx';
import type { StyleName } from '../clock/styles/styles.ts';
import type { Moment } from '../common/moment.ts';
import { clockConfig } from '../operations/clock.ts';
import type { Target } from '../operations/target.ts';
import { jsonMarkup, requestMarkup } from './exchange_markup.ts';

/** Plain text in which backticks mark `code`. */
export function Prose({ text }: { text: string }): JSX.Element {
  const parts = text.split('`');
  return (
    <>{parts.map((part, index) => (index % 2 === 1 ? <code safe>{part}</code> : Html.escapeHtml(part)))}</>
  );
}

/** Our own Markdown. Tables and code blocks get classes for the stylesheet, and are focusable so that they can be scrolled by keyboard. */
export function Markdown({ text }: { text: string }): JSX.Element {
  return Bun.markdown
    .html(text)
    .replaceAll('<th>', '<th scope="col">')
    .replaceAll(/<tr><td>(.*?)<\/td>/g, '<tr><th scope="row">$1</th>')
    .replaceAll('<table>', '<table class="reference" tabindex="0">')
    .replaceAll('<pre>', '<pre class="json" tabindex="0">');
}

/** Plain text in which URLs become links. */
export function Linked({ text }: { text: string }): JSX.Element {
  const parts = text.split(/(https:\/\/[^\s),]+)/);
  return (
    <>
      {parts.map((part, index) =>
        index % 2 === 0 ? Html.escapeHtml(part) : <Link href={part} text={part.slice('https://'.length)} />,
      )}
    </>
  );
}

/** A link, whose text is escaped. */
export function Link({ text, ...attributes }: JSX.HtmlAnchorTag & { text: string }): JSX.Element {
  return (
    <a {...attributes} safe>
      {text}
    </a>
  );
}

export function Submit({ label }: { label: string }): JSX.Element {
  return (
    <button class="button" type="submit">
      {label}
    </button>
  );
}

/** An identifier that may be wrapped after an underscore in a narrow column. */
export function Name({ text }: { text: string }): JSX.Element {
  return <code>{Html.escapeHtml(text).replaceAll('_', '_<wbr>')}</code>;
}

/** The heading of the section `id`, and a link to it. */
export function Heading({ id, text, level }: { id: string; text: string; level: 2 | 3 }): JSX.Element {
  const link = <Link class="anchor" href={`#${id}`} text={text} />;
  return level === 2 ? <h2 id={`${id}-title`}>{link}</h2> : <h3 id={`${id}-title`}>{link}</h3>;
}

interface ReferenceTableProps {
  readonly columns: readonly string[];
  readonly class?: string;
  readonly caption?: string;
  readonly children: JSX.Element[];
}

/** A table of names and their meanings. Column headings are only for screen readers if there are two columns. */
export function ReferenceTable(props: ReferenceTableProps): JSX.Element {
  const { columns, caption, children } = props;
  return (
    <table class={['reference', props.class]}>
      {caption !== undefined && <caption safe>{caption}</caption>}
      <thead class={columns.length === 2 ? 'unseen' : undefined}>
        <tr>
          {columns.map(column => (
            <th scope="col" safe>
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

/** A row of a reference table: the name, after cells that precede it, and its meaning. */
export function ReferenceRow(props: PropsWithChildren<{ name: JSX.Element; before?: JSX.Element }>) {
  return (
    <tr>
      {props.before}
      <th scope="row">{props.name}</th>
      <td>{props.children}</td>
    </tr>
  );
}

/** A part of a page with its title. */
export function Section(props: JSX.HtmlTag & { id: string; title: string }): JSX.Element {
  const { id, title, class: name, children } = props;
  return (
    <section class={name} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {children}
    </section>
  );
}

/** The assets of a page with running clocks. */
export const CLOCK_ASSETS: JSX.Element = (
  <>
    <link rel="stylesheet" href={ASSET_PATHS.stylesheet} />
    <script async src={ASSET_PATHS.script} />
  </>
);

/** A clock in a page that has {@link CLOCK_ASSETS}. */
export function clockIn(style: StyleName, target: Target, selector: ClockSelector, moment: Moment): string {
  const request = { style, target, selector, format: null, isPinned: false, publicUrl: '' };
  return clock(clockConfig(request, moment), moment, newClockId());
}

interface FieldProps extends JSX.HtmlInputTag {
  readonly id: string;
  readonly label: string;
  /** The element around label and input. */
  readonly tag?: 'div' | 'p' | 'span';
}

/** An input with its label. */
export function Field({ label, tag = 'span', class: name, ...input }: FieldProps): JSX.Element {
  return (
    <tag of={tag} class={name}>
      <label for={input.id}>{label}</label>
      <input {...input} />
    </tag>
  );
}

/** The attributes of a field for identifiers and names. */
export const TYPED = { type: 'text', autocomplete: 'off', spellcheck: 'false' } as const;
/** The attributes of a date for which everything is known. */
export const DATE = { type: 'date', min: '1970-01-01', max: '2099-12-30' } as const;

/** The examples of a route, successful ones first. */
export function examplesOf({ responses }: Operation): ShownExample[] {
  return Object.values(responses)
    .filter((response): response is ApiResponse => 'content' in response)
    .flatMap(({ content = {} }) => Object.values(content))
    .flatMap(({ examples, 'x-requests': requests }) => Object.values({ ...examples, ...requests }));
}

/** Longer texts are abridged: the page only shows what a response looks like. */
const MOST_LINES = 24;
const MOST_CHARACTERS = 600;

/** The beginning of a text, and a description of what is missing. */
export function abridged(text: string): { shown: string; missing: string | null } {
  const lines = text.split('\n');
  if (lines.length > MOST_LINES) {
    const shown = lines.slice(0, MOST_LINES).join('\n');
    return { shown, missing: `${lines.length - MOST_LINES} more lines` };
  }
  if (text.length <= MOST_CHARACTERS) return { shown: text, missing: null };
  const missing = (text.length - MOST_CHARACTERS).toLocaleString('en');
  return { shown: text.slice(0, MOST_CHARACTERS), missing: `${missing} more characters` };
}

/** Indented JSON or other text, abridged; if there is no value, the reason. */
export function JsonBlock({ value }: { value: unknown }): JSX.Element {
  if (value === undefined)
    return <p class="status">Computed from data that is loaded on first use: try it.</p>;
  const isSource = typeof value === 'string';
  const { shown, missing } = abridged(isSource ? value : JSON.stringify(value, null, 2));
  return (
    <>
      <pre class={isSource ? 'json source' : 'json'} tabindex={isSource ? '0' : undefined}>
        <code>{isSource ? Html.escapeHtml(shown) : jsonMarkup(shown)}</code>
      </pre>
      {missing !== null && <p class="status">{`… and ${missing}`}</p>}
    </>
  );
}

export function RequestLine({ request }: { request: string }): JSX.Element {
  return <code class="request">{requestMarkup(request)}</code>;
}
