import { Html } from '@elysiajs/html';

/** A name of code, which a narrow column may break behind an underscore. */
export function Name({ text }: { text: string }): JSX.Element {
  return <code>{Html.escapeHtml(text).replaceAll('_', '_<wbr>')}</code>;
}
