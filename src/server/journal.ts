import { fstatSync } from 'node:fs';
import type { LogLevel } from './event_log.ts';
import type { Environment } from './state_directory.ts';

/** Syslog priorities, which `journalctl -p` selects by. */
const PRIORITIES: Readonly<Record<LogLevel, number>> = { debug: 7, info: 6, warn: 4, error: 3 };

/**
 * The prefix of a line on a descriptor, by level: `<3>` if systemd has connected the descriptor to the journal, which removes
 * the prefix (`sd-daemon(3)`), else empty.
 */
export function priorityPrefix(descriptor: number, { JOURNAL_STREAM: journal }: Environment) {
  const isJournal = journal !== undefined && journal === identityOf(descriptor);
  return (level: LogLevel): string => (isJournal ? `<${PRIORITIES[level]}>` : '');
}

/** Device and inode, as in `JOURNAL_STREAM`; they differ if stderr has been redirected. */
function identityOf(descriptor: number): string | null {
  try {
    const { dev, ino } = fstatSync(descriptor);
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}
