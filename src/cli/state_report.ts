import { statSync } from 'node:fs';

/** What `doctor` says of the state directory itself. */
export interface StateReport {
  readonly from: string;
  readonly warning: string | null;
}

const WRITABLE_BY_ALL = 0o002;

/** Looks at who may write to the state directory: whoever may can put keys of his own in place of those there. */
export function stateReport(from: string): StateReport {
  const mode = modeOf(from);
  if (process.platform === 'win32' || (mode & WRITABLE_BY_ALL) === 0) return { from, warning: null };
  const shown = (mode & 0o7777).toString(8);
  return {
    from,
    warning: `every user may write to ${from}, whose mode is ${shown}; 'chmod 700 ${from}' closes it`,
  };
}

/** The mode of what is at a path; 0 where that cannot be told, which the reports on what is in it say. */
function modeOf(path: string): number {
  try {
    return statSync(path).mode;
  } catch {
    return 0;
  }
}
