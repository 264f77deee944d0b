/**
 * Lines that begin with a label, padded to `width`. Further lines of a text are indented by as much; null texts are omitted.
 */
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
