import { Html } from '@elysiajs/html';

/** A text whose web addresses are links. */
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
