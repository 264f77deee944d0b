/** Logs that something stopped working (`error`), works again (`info`) or needs attention soon (`warn`). `cause`: an unexpected error. */
export type Report = (severity: 'error' | 'warn' | 'info', message: string, cause?: unknown) => void;

/** The current problems. Each is reported once when it begins and once when it ends, however often it recurs in between. */
export class ProblemLog<Topic extends string> {
  readonly #report: Report;
  readonly #current = new Map<Topic, string>();

  constructor(report: Report) {
    this.#report = report;
  }

  get(topic: Topic): string | undefined {
    return this.#current.get(topic);
  }

  /** Reports a problem unless its topic already has one. */
  fail(topic: Topic, message: string, cause?: unknown): void {
    if (!this.#current.has(topic)) this.#report('error', message, cause);
    this.#current.set(topic, message);
  }

  /** Reports `message`, if given, if the topic had a problem. */
  solve(topic: Topic, message?: string): void {
    if (this.#current.delete(topic) && message !== undefined) this.#report('info', message);
  }
}
