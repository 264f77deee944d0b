import { Html } from '@elysiajs/html';

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
        index % 2 === 0 ? (
          Html.escapeHtml(part)
        ) : (
          <a href={part} safe>
            {part.slice('https://'.length)}
          </a>
        ),
      )}
    </>
  );
}

/** An identifier that may be wrapped after an underscore in a narrow column. */
export function Name({ text }: { text: string }): JSX.Element {
  return <code>{Html.escapeHtml(text).replaceAll('_', '_<wbr>')}</code>;
}

/** The heading of the section `id`, and a link to it. */
export function Heading({ id, text, level }: { id: string; text: string; level: 2 | 3 }): JSX.Element {
  const link = (
    <a class="anchor" href={`#${id}`} safe>
      {text}
    </a>
  );
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
