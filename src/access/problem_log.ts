/** How a message is meant: something stopped working, or works again. */
export type Severity = 'error' | 'info';

/** Takes a line for the log. */
export type Report = (severity: Severity, message: string) => void;

/** What can fail while a server runs. */
export type AccessTopic = 'files' | 'tokens' | 'plans' | 'usage' | 'shared';

/** What does not work at present. A fault is reported when it begins and when it ends, however often it is met in between. */
export class ProblemLog {
  readonly #report: Report;
  readonly #current = new Map<AccessTopic, string>();

  constructor(report: Report) {
    this.#report = report;
  }

  /** The fault of a topic, if it has one. */
  get(topic: AccessTopic): string | undefined {
    return this.#current.get(topic);
  }

  /** Something does not work; reported unless it was known. */
  fail(topic: AccessTopic, message: string): void {
    if (!this.#current.has(topic)) this.#report('error', message);
    this.#current.set(topic, message);
  }

  /** It works; `message` is reported if it did not before. */
  solve(topic: AccessTopic, message: string): void {
    if (this.#current.delete(topic)) this.#report('info', message);
  }
}
