/** Formats rows as a table; the columns are their members in order. `absent` replaces null and undefined. */
export function table(head: readonly string[], rows: readonly object[], absent: string): string {
  const lines = [head, ...rows.map(row => Object.values(row).map(value => String(value ?? absent)))];
  const widths = head.map((_, column) => Math.max(...lines.map(line => line[column]!.length)));
  const padded = lines.map(line => line.map((cell, column) => cell.padEnd(widths[column]!)).join('  '));
  return padded.map(line => line.trimEnd()).join('\n');
}
