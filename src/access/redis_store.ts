import { hash } from 'node:crypto';
import { RedisClient } from 'bun';
import type { LimitStatus } from './limiter.ts';
import { monthAt } from './month.ts';
import type { Limits } from './plan.ts';
import { CONSUME_SCRIPT, EXPIRY_SECONDS } from './redis_scripts.ts';
import type { MonthlyCount } from './usage.ts';

const VERDICTS = ['granted', 'rate', 'quota'] as const;

/** Limits and usage that several machines share. Every method may fail, and has a timeout. */
export interface SharedStore {
  /** Opens a new connection. */
  connect(): Promise<void>;
  /** Counts or rejects a request of a key by the store's own clock; `nowMs` is this machine's. */
  consume(id: string, limits: Limits, nowMs: number): Promise<LimitStatus>;
  /** Adds requests that were granted elsewhere, or refunds; resolves to the month's total. */
  addUsage(count: MonthlyCount): Promise<number>;
  close(): void;
}

/** A Redis or Valkey server (5 or newer) over one connection, which only `connect` reopens. */
export class RedisStore implements SharedStore {
  readonly #url: string;
  readonly #timeoutMs: number;
  #client: RedisClient | undefined;

  /** `timeoutMs` is that of a command. */
  constructor(url: string, timeoutMs: number) {
    this.#url = url;
    this.#timeoutMs = timeoutMs;
  }

  async connect(): Promise<void> {
    this.close();
    const client = new RedisClient(this.#url, { autoReconnect: false, enableOfflineQueue: false });
    this.#client = client;
    await within(CONNECT_TIMEOUT_MS, client.connect());
    await within(CONNECT_TIMEOUT_MS, client.send('SCRIPT', ['LOAD', CONSUME_SCRIPT]));
  }

  async consume(id: string, limits: Limits, nowMs: number): Promise<LimitStatus> {
    const { rule, plan } = limits;
    const keys = [`meridian:bucket:{${id}}`, usageKey(id)];
    const args = [rule?.capacity ?? 0, rule?.perMs ?? 0, rule?.perRequest ?? 1, plan.monthlyQuota ?? -1];
    const reply = runConsumeScript(this.#connected(), ['2', ...keys, ...args.map(String)]);
    const [verdict, month, used, rateLeft, rateWaitMs] = await within(this.#timeoutMs, reply);
    return { verdict: VERDICTS[verdict], nowMs, month: monthAt(month), used, rateLeft, rateWaitMs };
  }

  async addUsage({ id, month, count }: MonthlyCount): Promise<number> {
    const client = this.#connected();
    const used = client.hincrby(usageKey(id), monthAt(month).label, count);
    const expiry = client.expire(usageKey(id), EXPIRY_SECONDS);
    return (await within(this.#timeoutMs, Promise.all([used, expiry])))[0];
  }

  /** The requests of a key in a month (`2026-11`); read-only. */
  async used(id: string, month: string): Promise<number> {
    return Number((await within(this.#timeoutMs, this.#connected().hget(usageKey(id), month))) ?? 0);
  }

  close(): void {
    this.#client?.close();
    this.#client = undefined;
  }

  #connected(): RedisClient {
    if (this.#client === undefined) throw new Error('Not connected');
    return this.#client;
  }
}

/** Longer than for a command: no request waits for a connection. */
const CONNECT_TIMEOUT_MS = 1000;

const CONSUME_SHA1 = hash('sha1', CONSUME_SCRIPT);

type ConsumeReply = [verdict: 0 | 1 | 2, month: number, used: number, rateLeft: number, rateWaitMs: number];

/** EVALSHA, or EVAL if the server does not have the script cached. */
async function runConsumeScript(client: RedisClient, rest: string[]): Promise<ConsumeReply> {
  try {
    return await client.send('EVALSHA', [CONSUME_SHA1, ...rest]);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    return await client.send('EVAL', [CONSUME_SCRIPT, ...rest]);
  }
}

/** Rejects if the promise does not settle in time. */
function within<Value>(timeoutMs: number, promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    // In a busy process reply and timeout may arrive together: one more turn of the event loop lets the reply win.
    const expire = () => setImmediate(() => reject(new Error(`No reply within ${timeoutMs} ms`)));
    const timer = setTimeout(expire, timeoutMs);
    promise.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}

function usageKey(id: string): string {
  return `meridian:usage:{${id}}`;
}
