import type { Plan, PlanEntry, PlanStore } from '../plan.ts';
import type { RedisHash } from './redis_hash.ts';
import type { RedisStore } from './redis_store.ts';
import { readSharedPlan, SHARED_PLANS } from './shared_plan.ts';
import { revisionOf } from './shared_value.ts';

/** The number of attempts at a change while others change the same plan. */
const MAX_ATTEMPTS = 10;

/** The plans in Redis. */
export class RedisPlanStore implements PlanStore {
  readonly #hash: RedisHash;

  constructor(redis: RedisStore) {
    this.#hash = redis.hash('plans');
  }

  async plans(): Promise<ReadonlyMap<string, Plan>> {
    return SHARED_PLANS.parse(await this.#hash.values());
  }

  async set(name: string, entry: PlanEntry): Promise<void> {
    await this.#change(name, entry);
  }

  async remove(name: string): Promise<boolean> {
    return await this.#change(name, null);
  }

  /** Replaces or removes (null) a plan; returns false if there is none to remove. */
  async #change(name: string, entry: PlanEntry | null): Promise<boolean> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const present = (await this.#hash.values()).get(name);
      if (entry === null && (present === undefined || readSharedPlan(present) === null)) return false;
      const changed = { name, revision: revisionOf(present), value: JSON.stringify(entry) };
      if (await this.#hash.replace(changed)) return true;
    }
    throw new Error(`The plan '${name}' is being changed by others; try again`);
  }
}
