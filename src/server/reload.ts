import { messageOf } from '../common/errors.ts';
import { coalesced } from '../common/promises.ts';
import type { DependencyStatus } from '../http/snapshot.ts';
import type { ReloadFailure, ReloadResult } from './control_files.ts';
import type { EventFields, EventLog } from './log.ts';

/** Data that a running server can reload. */
export interface Reloadable {
  /** Its name in the log, such as `zoneinfo`. */
  readonly name: string;
  /**
   * Reads and validates the new data, then replaces the old data with one assignment; if this throws, the old data remains.
   * Returns a short description of the new data (`tzdata 2026f`), or null if nothing has changed.
   */
  readonly reload: () => string | null | Promise<string | null>;
  /** Changed settings that require a new process. */
  readonly pending?: () => readonly string[];
}

/** Reloads an item and logs the result; never rejects. Null if it has not failed. */
export async function reloadItem({ name, reload }: Reloadable, log: EventLog): Promise<ReloadFailure | null> {
  try {
    const now = await reload();
    if (now !== null) log.info('reloaded', { what: name, now });
    return null;
  } catch (thrown) {
    const failure = { what: name, error: messageOf(thrown) };
    log.error('reload failed; the old data remains in use', failure);
    return failure;
  }
}

/** The result of the last reload. */
export interface ReloadState extends ReloadResult {
  readonly epochMs: number;
}

/** The result of a reload in one line. */
export function reloadSummary(failures: readonly ReloadFailure[]): string {
  const reasons = failures.map(({ what, error }) => `${what} (${error})`);
  return failures.length === 0
    ? 'reloaded'
    : `reload failed, the previous data remains in use: ${reasons.join(', ')}`;
}

/** Everything that SIGHUP reloads. Items are added while the server starts. */
export class Reloader {
  /** Facts about the process to log after a reload. */
  facts: () => EventFields = () => ({});
  /** The result of the last reload; null before the first. */
  last: ReloadState | null = null;
  readonly #items: Reloadable[] = [];
  readonly #log: EventLog;

  constructor(log: EventLog) {
    this.#log = log;
  }

  add(...items: readonly Reloadable[]): void {
    this.#items.push(...items);
  }

  /** The line in `/readyz` about a failed reload. The log has the reasons. */
  status(): readonly DependencyStatus[] {
    const failed = this.last?.failures.map(({ what }) => what) ?? [];
    if (failed.length === 0) return [];
    const detail = `the previous data remains in use, as the last reload failed for ${failed.join(', ')}`;
    return [{ name: 'reload', state: 'warning', detail }];
  }

  /** Reloads all items in order; never rejects. See {@link coalesced}. */
  readonly run = coalesced(async (): Promise<ReloadState> => {
    const failures: ReloadFailure[] = [];
    for (const item of this.#items) {
      const failure = await reloadItem(item, this.#log);
      if (failure !== null) failures.push(failure);
    }
    const pending = this.#items.flatMap(item => item.pending?.() ?? []);
    this.last = { epochMs: Date.now(), failures, pending };
    this.#log.info('reload finished', { failed: failures.length, ...this.facts() });
    return this.last;
  });
}
