import { readFileSync } from 'node:fs';

/** The rows of a table in a text file, `a -> b`. Lines that begin with `#` are comments. */
export function rowsIn(table: URL): [string, string][] {
  const lines = readFileSync(table, 'utf8').split('\n');
  const rows = lines.filter(line => line !== '' && !line.startsWith('#'));
  return rows.map(row => row.split(' -> ') as [string, string]);
}
