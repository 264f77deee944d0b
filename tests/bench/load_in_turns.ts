import { settled, threadTimes, timeBetween } from './cpu_time.ts';
import { type Spell, type Subject, spellOf } from './load.ts';
import { startWrk, type Wrk } from './wrk.ts';

/** A server and the paths requested of it, in turns. */
export interface Question {
  readonly subject: Subject;
  readonly paths: readonly string[];
}

/**
 * How long one client may work before the next does. The pace of a machine that others share changes within seconds,
 * so that two spells of one second each, one after the other, may differ by a third where the servers do not.
 */
const TURN_MS = 50;
/** The responses that a halted client still awaits, 32 at most, are computed before the next one's turn. */
const LOOK_MS = 2;
/** Longer than any turn: a client is stopped by a signal. */
const FOREVER_SECONDS = 3600;

/**
 * Loads servers with a `wrk` each for so many seconds of its own work; all but one of these clients are halted at any
 * time. What is left of the machine's noise is noise to all alike, and the ratios of what they come to keep.
 */
export async function loadInTurns(questions: readonly Question[], seconds: number): Promise<Spell[]> {
  const clients = questions.map(question => new HaltedClient(question));
  const turns = Math.ceil((seconds * 1000) / TURN_MS);
  for (let turn = 1; turn < turns; turn++) {
    // Every other round runs backwards: none is always the one after a slow one.
    for (const client of turn % 2 === 0 ? clients : clients.toReversed()) await client.work();
  }
  const spells: Spell[] = [];
  for (const client of clients) spells.push(await client.finish());
  return spells;
}

/** A client that works in its turns only. */
class HaltedClient {
  readonly #question: Question;
  #wrk: Wrk | undefined;
  #elapsedMs = 0;
  #ranMs = 0;

  constructor(question: Question) {
    this.#question = question;
  }

  /** Loads its server for a turn. */
  async work(): Promise<void> {
    await this.#watched(async () => {
      const { child } = this.#goOn();
      await Bun.sleep(TURN_MS);
      child.kill('SIGSTOP');
    });
  }

  /** The last turn, and what all of them came to. Its end takes `wrk` up to a tenth of a second, in which it works on. */
  async finish(): Promise<Spell> {
    const { requests } = await this.#watched(async () => {
      const { child, outcome } = this.#goOn();
      await Bun.sleep(TURN_MS);
      child.kill('SIGINT');
      return await outcome;
    });
    return spellOf(requests, this.#elapsedMs, this.#ranMs);
  }

  #goOn(): Wrk {
    this.#wrk?.child.kill('SIGCONT');
    this.#wrk ??= startWrk(this.#question.subject, this.#question.paths, FOREVER_SECONDS);
    return this.#wrk;
  }

  async #watched<Result>(turn: () => Promise<Result>): Promise<Result> {
    const { pid } = this.#question.subject;
    const before = threadTimes(pid);
    const beganMs = performance.now();
    const result = await turn();
    this.#elapsedMs += performance.now() - beganMs;
    await settled(pid, LOOK_MS);
    this.#ranMs += timeBetween(before, threadTimes(pid));
    return result;
  }
}
