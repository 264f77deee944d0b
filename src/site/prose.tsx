import { Html } from '@elysiajs/html';

/** A text for people in which `code` stands in backticks. */
export function Prose({ text }: { text: string }): JSX.Element {
  const parts = text.split('`');
  return (
    <>{parts.map((part, index) => (index % 2 === 1 ? <code safe>{part}</code> : Html.escapeHtml(part)))}</>
  );
}
