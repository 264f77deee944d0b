/** The value of a cell; null is an empty one. */
type Cell = string | number | boolean | null;

/** The media type. */
export const CSV_TYPE = 'text/csv; charset=utf-8';

/** A table with a header line. */
export function csvTable(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [columns, ...rows].map(csvLine).join('');
}

/** A line of CSV (RFC 4180 §2), with its line break. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

/** Spreadsheets would treat text that begins with one of these characters as a formula, some also after white space. */
const FORMULA = /^\s*[=+\-@]/;

/** Cells with semicolons and tabs are quoted too, as spreadsheets may split lines at them. */
function cellText(cell: Cell): string {
  if (typeof cell !== 'string') return String(cell ?? '');
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
