import { messageOf } from '../common/message_of.ts';
import type { EventLog } from './event_log.ts';

/** Data that a running server can reload. */
export interface Reloadable {
  /** Its name in the log, such as `zoneinfo`. */
  readonly name: string;
  /**
   * Reads and validates the new data, then replaces the old with one assignment; if this throws, the old data stays.
   * Returns a short description of the new data (`tzdata 2026f`).
   */
  readonly reload: () => string | Promise<string>;
}

/** The result of the last reload. */
export interface ReloadState {
  readonly epochMs: number;
  /** The names of the items that failed and still have their old data. */
  readonly failed: readonly string[];
}

/** Everything that SIGHUP reloads. Items are added while the server starts. */
export class Reloader {
  readonly #items: Reloadable[] = [];
  readonly #log: EventLog;
  #latest: Promise<unknown> = Promise.resolve();
  #queued: Promise<ReloadState> | undefined;
  #last: ReloadState | null = null;

  constructor(log: EventLog) {
    this.#log = log;
  }

  add(item: Reloadable): void {
    this.#items.push(item);
  }

  /** The result of the last reload; null before the first. */
  get last(): ReloadState | null {
    return this.#last;
  }

  /**
   * Reloads all items in order; never rejects. Calls during a reload share one more reload after it, since files may
   * have changed after the running one read them.
   */
  run(): Promise<ReloadState> {
    this.#queued ??= this.#latest.then(() => {
      this.#queued = undefined;
      return this.#reloadAll();
    });
    this.#latest = this.#queued;
    return this.#queued;
  }

  async #reloadAll(): Promise<ReloadState> {
    const failed: string[] = [];
    for (const { name, reload } of this.#items) {
      try {
        this.#log.info('reloaded', { what: name, now: await reload() });
      } catch (error) {
        failed.push(name);
        this.#log.error('reload failed; the old data remains in use', {
          what: name,
          error: messageOf(error),
        });
      }
    }
    this.#last = { epochMs: Date.now(), failed };
    return this.#last;
  }
}
