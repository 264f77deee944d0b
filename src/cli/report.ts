import { readTexts } from '../api/assets/browser_bundles.ts' with { type: 'macro' };

const TEMPLATES = readTexts('cli/templates');

/** A template with its `{name}` placeholders filled, without the lines and sections that are then empty. */
export function filled(template: string, values: Readonly<Record<string, string>>): string {
  return TEMPLATES[template]!.replace(/\{(\w+)\}(\n?)/g, (_, name, lineEnd) =>
    values[name] ? values[name] + lineEnd : '',
  )
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd();
}

/** Lines that begin with a label, padded to `width`. Further lines of a text are indented by as much; null texts are omitted. */
export function labelledLines(
  width: number,
  texts: Readonly<Record<string, readonly (string | null)[]>>,
): string[] {
  const indent = ' '.repeat(width + 1);
  return Object.entries(texts).flatMap(([label, ofLabel]) =>
    ofLabel
      .filter(text => text !== null)
      .map(text => `${label.padEnd(width)} ${text.replaceAll('\n', `\n${indent}`)}`),
  );
}

/** What follows a change of keys, plans or bundles. */
export const EFFECT = 'running servers apply this within a second';

/** Formats rows as a table; the columns are their members in order. `absent` replaces null and undefined. */
export function table(head: readonly string[], rows: readonly object[], absent: string): string {
  const lines = [head, ...rows.map(row => Object.values(row).map(value => String(value ?? absent)))];
  const widths = head.map((_, column) => Math.max(...lines.map(line => line[column]!.length)));
  const padded = lines.map(line => line.map((cell, column) => cell.padEnd(widths[column]!)).join('  '));
  return padded.map(line => line.trimEnd()).join('\n');
}
