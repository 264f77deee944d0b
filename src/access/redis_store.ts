import { createHash } from 'node:crypto';
import { RedisClient } from 'bun';
import type { Limits } from './limits.ts';
import type { Standing } from './meter.ts';
import { monthAt } from './month.ts';
import { CHARGE_SCRIPT, TAKE_SCRIPT } from './redis_scripts.ts';

const VERDICTS = ['granted', 'rate', 'quota'] as const;

/** Requests to add to a holder's month. */
export interface Charge {
  readonly id: string;
  /** `2026-11` */
  readonly month: string;
  readonly count: number;
}

/** Where several machines keep limits and usage together. Everything may fail, and nothing here waits longer than it is told to. */
export interface SharedStore {
  /** Makes a new connection; fails where none is to be had. */
  connect(): Promise<void>;
  /** Counts a request of a holder, or refuses it, by the store's own clock; `nowMs` is this machine's. */
  take(id: string, limits: Limits, nowMs: number): Promise<Standing>;
  /** Adds requests that were granted elsewhere, or takes some back; answers the month's. */
  charge(charge: Charge): Promise<number>;
  close(): void;
}

/** A Redis or Valkey server (5 or newer), through one connection. It does not reconnect by itself: `connect` does. */
export class RedisStore implements SharedStore {
  readonly #url: string;
  readonly #budgetMs: number;
  #client: RedisClient | undefined;

  /** `budgetMs` is how long a command may take. */
  constructor(url: string, budgetMs: number) {
    this.#url = url;
    this.#budgetMs = budgetMs;
  }

  async connect(): Promise<void> {
    this.close();
    const client = new RedisClient(this.#url, { autoReconnect: false, enableOfflineQueue: false });
    this.#client = client;
    await within(CONNECT_BUDGET_MS, client.connect());
    await within(CONNECT_BUDGET_MS, client.send('SCRIPT', ['LOAD', TAKE_SCRIPT]));
  }

  async take(id: string, limits: Limits, nowMs: number): Promise<Standing> {
    const { rule, plan } = limits;
    const [verdict, month, used, rateLeft, rateWaitMs] = await this.#run<
      [0 | 1 | 2, number, number, number, number]
    >(
      TAKE,
      [`meridian:bucket:{${id}}`, usageKey(id)],
      [rule?.capacity ?? 0, rule?.perMs ?? 0, rule?.perRequest ?? 1, plan.monthlyQuota ?? -1],
    );
    return { verdict: VERDICTS[verdict], nowMs, month: monthAt(month), used, rateLeft, rateWaitMs };
  }

  charge({ id, month, count }: Charge): Promise<number> {
    return this.#run<number>(CHARGE, [usageKey(id)], [month, count]);
  }

  /** A holder's requests of a month (`2026-11`), without leaving a trace there. */
  async used(id: string, month: string): Promise<number> {
    const used = await within(this.#budgetMs, this.#connected().hget(usageKey(id), month));
    return Number(used ?? 0);
  }

  close(): void {
    this.#client?.close();
    this.#client = undefined;
  }

  async #run<Reply>(script: Script, keys: string[], args: (string | number)[]): Promise<Reply> {
    const rest = [String(keys.length), ...keys, ...args.map(String)];
    return within(this.#budgetMs, evaluate<Reply>(this.#connected(), script, rest));
  }

  #connected(): RedisClient {
    if (this.#client === undefined) throw new Error('There is no connection');
    return this.#client;
  }
}

/** How long a new connection may take: it is made beside the requests, not in them. */
const CONNECT_BUDGET_MS = 1000;

interface Script {
  readonly text: string;
  readonly sha1: string;
}

const TAKE = script(TAKE_SCRIPT);
const CHARGE = script(CHARGE_SCRIPT);

function script(text: string): Script {
  return { text, sha1: createHash('sha1').update(text).digest('hex') };
}

/** EVALSHA, and EVAL where the server does not know the script (yet, or any more). */
async function evaluate<Reply>(client: RedisClient, { text, sha1 }: Script, rest: string[]): Promise<Reply> {
  try {
    return await client.send('EVALSHA', [sha1, ...rest]);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    return await client.send('EVAL', [text, ...rest]);
  }
}

/** The promise's outcome, or a failure after so many milliseconds. */
function within<Value>(budgetMs: number, promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    // A busy process may find the answer and the end of the time together: the answer, then, has one more turn to be read.
    const expire = () => setImmediate(() => reject(new Error(`No answer within ${budgetMs} ms`)));
    const timer = setTimeout(expire, budgetMs);
    promise.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}

function usageKey(id: string): string {
  return `meridian:usage:{${id}}`;
}
