import { fstatSync } from 'node:fs';
import type { LogLevel } from './event_log.ts';
import type { Environment } from './state_directory.ts';

/** The priorities of syslog, by which `journalctl -p` selects. */
const PRIORITIES: Readonly<Record<LogLevel, number>> = { debug: 7, info: 6, warn: 4, error: 3 };

/**
 * What precedes a line of a level on a descriptor: `<3>` where systemd connected the descriptor to the journal, which removes
 * it (`sd-daemon(3)`), else nothing.
 */
export function priorityPrefix(descriptor: number, { JOURNAL_STREAM: journal }: Environment) {
  const isJournal = journal !== undefined && journal === identityOf(descriptor);
  return (level: LogLevel): string => (isJournal ? `<${PRIORITIES[level]}>` : '');
}

/** Device and inode, as in `JOURNAL_STREAM`: a process may have redirected its stderr. */
function identityOf(descriptor: number): string | null {
  try {
    const { dev, ino } = fstatSync(descriptor);
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}
