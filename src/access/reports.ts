/** Logs that something stopped working (`error`), works again (`info`) or needs attention soon (`warn`). */
export type Report = (severity: 'error' | 'warn' | 'info', message: string) => void;

/** What can fail: reading `files`, or the store of `tokens`; there are no `keys`, or undefined `plans`; writing `usage`; reaching Redis. */
export const ACCESS_TOPICS = [
  'files',
  'tokens',
  'keys',
  'plans',
  'usage',
  'shared',
  'shared_keys',
  'shared_plans',
] as const;
export type AccessTopic = (typeof ACCESS_TOPICS)[number];

/** The current problems. Each is reported once when it begins and once when it ends, however often it recurs in between. */
export class ProblemLog {
  readonly #report: Report;
  readonly #current = new Map<AccessTopic, string>();

  constructor(report: Report) {
    this.#report = report;
  }

  get(topic: AccessTopic): string | undefined {
    return this.#current.get(topic);
  }

  /** Reports a problem unless its topic already has one. */
  fail(topic: AccessTopic, message: string): void {
    if (!this.#current.has(topic)) this.#report('error', message);
    this.#current.set(topic, message);
  }

  /** Reports `message` if the topic had a problem. */
  solve(topic: AccessTopic, message: string): void {
    if (this.#current.delete(topic)) this.#report('info', message);
  }
}
