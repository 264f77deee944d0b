import { settled, threadTimes, timeBetween } from './cpu_time.ts';
import { type Spell, type Subject, spellOf } from './load.ts';
import { startWrk, type Wrk } from './wrk.ts';

/** A server and the paths requested of it, in turns. */
export interface Target {
  readonly subject: Subject;
  readonly paths: readonly string[];
}

/**
 * How long one client works before the next one does. The speed of a shared machine changes within seconds, so that two
 * consecutive spells of one second each can differ by a third for equally fast servers.
 */
const TURN_MS = 50;
/** The responses that a halted client still awaits, 32 at most, are computed before the next one's turn. */
const LOOK_MS = 2;
/** Longer than any run: a client is stopped by a signal. */
const FOREVER_SECONDS = 3600;

/**
 * Loads servers with a `wrk` each, for `seconds` of its own running time; all but one of these clients are halted at any
 * time. The remaining noise affects all servers alike, and leaves their ratios unchanged.
 */
export async function loadInTurns(targets: readonly Target[], seconds: number): Promise<Spell[]> {
  const clients = targets.map(target => new HaltedClient(target));
  const turns = Math.ceil((seconds * 1000) / TURN_MS);
  try {
    for (let turn = 1; turn < turns; turn++) {
      // Every other round runs backwards, so that no server always follows a slow one.
      for (const client of turn % 2 === 0 ? clients : clients.toReversed()) await client.work();
    }
    const spells: Spell[] = [];
    for (const client of clients) spells.push(await client.finish());
    return spells;
  } finally {
    for (const client of clients) client.kill(); // after an error; a halted process would stay for ever
  }
}

/** A client that runs only in its turns. */
class HaltedClient {
  readonly #target: Target;
  #wrk: Wrk | undefined;
  #elapsedMs = 0;
  #ranMs = 0;

  constructor(target: Target) {
    this.#target = target;
  }

  /** Loads its server for a turn. */
  async work(): Promise<void> {
    await this.#measured(async () => {
      const { child } = this.#resume();
      await Bun.sleep(TURN_MS);
      child.kill('SIGSTOP');
    });
  }

  /** Runs the last turn and returns the totals. `wrk` takes up to a tenth of a second to stop, and keeps working meanwhile. */
  async finish(): Promise<Spell> {
    const { requests } = await this.#measured(async () => {
      const { child, outcome } = this.#resume();
      await Bun.sleep(TURN_MS);
      child.kill('SIGINT');
      return await outcome;
    });
    return spellOf(requests, this.#elapsedMs, this.#ranMs);
  }

  kill(): void {
    this.#wrk?.child.kill('SIGKILL');
  }

  #resume(): Wrk {
    this.#wrk?.child.kill('SIGCONT');
    this.#wrk ??= startWrk(this.#target.subject, this.#target.paths, FOREVER_SECONDS);
    return this.#wrk;
  }

  async #measured<Result>(turn: () => Promise<Result>): Promise<Result> {
    const { pid } = this.#target.subject;
    const before = threadTimes(pid);
    const beganMs = performance.now();
    const result = await turn();
    this.#elapsedMs += performance.now() - beganMs;
    await settled(pid, LOOK_MS);
    this.#ranMs += timeBetween(before, threadTimes(pid));
    return result;
  }
}
