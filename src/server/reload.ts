import { messageOf } from '../common/message_of.ts';
import type { EventLog } from './event_log.ts';

/** Something that a running server can read anew. */
export interface Reloadable {
  /** What the log calls it: `zoneinfo`. */
  readonly name: string;
  /**
   * Reads the new data, checks all of it, and puts it in place last, with one assignment: requests see the old data
   * or the new, and where this throws the old stays. Yields what is now in place, in a few words (`tzdata 2026f`).
   */
  readonly reload: () => string | Promise<string>;
}

/** What the last reload came to. */
export interface ReloadState {
  readonly epochMs: number;
  /** The names of what kept its old data. */
  readonly failed: readonly string[];
}

/** All that SIGHUP reads anew. Whoever holds data from outside adds it when the server starts. */
export class Reloader {
  readonly #items: Reloadable[] = [];
  readonly #log: EventLog;
  #latest: Promise<unknown> = Promise.resolve();
  #waiting: Promise<ReloadState> | undefined;
  #last: ReloadState | null = null;

  constructor(log: EventLog) {
    this.#log = log;
  }

  add(item: Reloadable): void {
    this.#items.push(item);
  }

  /** What the last reload came to; null before the first. */
  get last(): ReloadState | null {
    return this.#last;
  }

  /**
   * Reads everything anew, one after another, and never fails. While one reload runs, any number of further calls
   * come to one more behind it: files may have changed after the running one read them.
   */
  run(): Promise<ReloadState> {
    this.#waiting ??= this.#latest.then(() => {
      this.#waiting = undefined;
      return this.#reloadAll();
    });
    this.#latest = this.#waiting;
    return this.#waiting;
  }

  async #reloadAll(): Promise<ReloadState> {
    const failed: string[] = [];
    for (const { name, reload } of this.#items) {
      try {
        this.#log.info('reloaded', { what: name, now: await reload() });
      } catch (error) {
        failed.push(name);
        this.#log.error('not reloaded, the old data stays', { what: name, error: messageOf(error) });
      }
    }
    this.#last = { epochMs: Date.now(), failed };
    return this.#last;
  }
}
