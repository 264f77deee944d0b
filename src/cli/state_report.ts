import { statSync } from 'node:fs';

const WRITABLE_BY_ALL = 0o002;
/** Files of a sticky directory such as `/tmp` can only be removed by their owner. */
const STICKY = 0o1000;

/** The report of `doctor` on the state directory; warns if it is world-writable, so that any user can place keys. */
export function stateReport(from: string): { readonly from: string; readonly warning: string | null } {
  const mode = modeOf(from);
  if (process.platform === 'win32' || (mode & WRITABLE_BY_ALL) === 0) return { from, warning: null };
  const remedy =
    (mode & STICKY) === 0 ? `run 'chmod 700 ${from}'` : 'set --state-dir to a directory of its own';
  return {
    from,
    warning: `${from} is writable by every user (mode ${(mode & 0o7777).toString(8)}); ${remedy}`,
  };
}

/** The mode of a file; 0 if unknown, which the reports on the contents of the directory explain. */
function modeOf(path: string): number {
  try {
    return statSync(path).mode;
  } catch {
    return 0;
  }
}
