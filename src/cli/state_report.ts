import { statSync } from 'node:fs';

/** What `doctor` says of the state directory itself. */
export interface StateReport {
  readonly from: string;
  readonly warning: string | null;
}

const WRITABLE_BY_ALL = 0o002;
/** Of a directory that all may put files in, and nobody take away those of others: `/tmp`. */
const STICKY = 0o1000;

/** Looks at who may write to the state directory: whoever may can put keys of his own there. */
export function stateReport(from: string): StateReport {
  const mode = modeOf(from);
  if (process.platform === 'win32' || (mode & WRITABLE_BY_ALL) === 0) return { from, warning: null };
  const shown = (mode & 0o7777).toString(8);
  const mend =
    (mode & STICKY) === 0 ? `'chmod 700 ${from}' closes it` : 'give --state-dir a directory of its own';
  return { from, warning: `every user may write to ${from}, whose mode is ${shown}; ${mend}` };
}

/** The mode of what is at a path; 0 where that cannot be told, which the reports on what is in it say. */
function modeOf(path: string): number {
  try {
    return statSync(path).mode;
  } catch {
    return 0;
  }
}
