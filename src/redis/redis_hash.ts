import { NOW, type Script, script } from './redis_connection.ts';

/**
 * A value in a Redis hash shared by several machines: `REVISION JSON`. The revision increases with every change in the hash, even
 * if Redis has lost its data, since it is never below the time in milliseconds. Of two values with the same name, the one with
 * the higher revision is valid. A removed item remains as a value that marks it as removed.
 */
export type SharedValue = string;

export type SharedValues = ReadonlyMap<string, SharedValue>;

/** The revision of a value; 0 for none, or for a value without. */
export function revisionOf(value: SharedValue | undefined): number {
  return value === undefined ? 0 : Number(/^\d+/.exec(value)?.[0] ?? 0);
}

export function parseValue(value: SharedValue): unknown {
  try {
    return JSON.parse(value.slice(value.indexOf(' ') + 1));
  } catch {
    throw new Error('it is not JSON'); // the parser's message would quote the text, which may be secret
  }
}

/** KEYS of the scripts: the hash and its highest revision. */
const NEXT_REVISION = `${NOW}local function nextRevision(highest)
  local next = math.max(now, (tonumber(redis.call('GET', KEYS[2]) or '') or 0) + 1, highest + 1)
  return string.format('%.0f', next)
end
local function revisionOf(value)
  return value and tonumber(string.match(value, '^%d+')) or 0
end
`;

const REVISION = script(`return redis.call('GET', KEYS[2]) or '0'`);

/** ARGV: a cursor, initially 0. Returns the next cursor, 0 at the end, and some alternating names and values. */
const SCAN = script(`return redis.call('HSCAN', KEYS[1], ARGV[1], 'COUNT', 250)`);

/** ARGV: names. Returns their values. */
const GET = script(`return redis.call('HMGET', KEYS[1], unpack(ARGV))`);

/**
 * KEYS may have a third one, of a hash for additional fields. ARGV: the number of values and the time to live of that hash in
 * seconds; for each value its name, the revision of its present value (0 for none) and the new value without revision;
 * alternating names and values of the additional fields. Returns whether the new values are stored; otherwise, or after an error,
 * none was changed. If it runs again, since the reply was lost, it finds them stored.
 */
const REPLACE = script(`${NEXT_REVISION}
local last = 2 + 3 * tonumber(ARGV[1])
local areKnown, areStored, highest = true, true, 0
for i = 3, last, 3 do
  local present = redis.call('HGET', KEYS[1], ARGV[i])
  highest = math.max(highest, revisionOf(present))
  areKnown = areKnown and revisionOf(present) == tonumber(ARGV[i + 1])
  areStored = areStored and present and string.match(present, '^%d+ (.*)$') == ARGV[i + 2]
end
if not areKnown then return areStored and 1 or 0 end
-- The values last: each command before them may be refused.
local revision = nextRevision(highest)
redis.call('SET', KEYS[2], revision)
for i = last + 1, #ARGV, 2 do
  local reply = redis.pcall('HSET', KEYS[3], ARGV[i], ARGV[i + 1])
  if type(reply) == 'table' and string.find(reply.err, 'WRONGTYPE') then
    return redis.error_reply(KEYS[3] .. ' in Redis is not a hash, since another program has set it; DEL it')
  elseif type(reply) == 'table' then
    return reply
  end
end
if KEYS[3] then redis.call('EXPIRE', KEYS[3], ARGV[2]) end
for i = 3, last, 3 do
  redis.call('HSET', KEYS[1], ARGV[i], revision .. ' ' .. ARGV[i + 2])
end
return 1
`);

/** ARGV: alternating names and values. Stores those that are newer than the current ones; later changes have higher revisions. */
const RESTORE = script(`${NEXT_REVISION}
local newer, highest = {}, 0
for i = 1, #ARGV, 2 do
  local revision = revisionOf(ARGV[i + 1])
  if revision > revisionOf(redis.call('HGET', KEYS[1], ARGV[i])) then
    table.insert(newer, i)
    highest = math.max(highest, revision)
  end
end
if highest > 0 then redis.call('SET', KEYS[2], string.format('%.0f', math.max(nextRevision(0), highest))) end
for _, i in ipairs(newer) do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
`);

/** Runs a script; rejects like `RedisLink`. */
export type Execute = <Reply>(
  script: Script,
  keys: readonly string[],
  args: readonly string[],
) => Promise<Reply>;

/** A new value without revision, and the revision of the current value; 0 if there is none. */
interface Replacement {
  readonly name: string;
  readonly revision: number;
  readonly value: string;
}

/** Fields of another hash that are stored together with values, as long as it lives. */
export interface Addition {
  readonly key: string;
  readonly fields: SharedValues;
  readonly lifetimeSeconds: number;
}

/** The maximum number of values that one command reads or restores. */
const BATCH = 500;
/** The number of attempts at a change while others change the same value. */
const MAX_ATTEMPTS = 10;

/** A hash of shared values in Redis. Methods reject like `RedisLink`. */
export class RedisHash {
  readonly #keys: readonly string[];
  readonly #execute: Execute;

  constructor(name: string, execute: Execute) {
    this.#keys = [`meridian:${name}`, `meridian:${name}:revision`];
    this.#execute = execute;
  }

  /** The highest revision so far, '0' before the first value. Only for comparison: if it is another one, values have changed. */
  revision(): Promise<string> {
    return this.#execute<string>(REVISION, this.#keys, []);
  }

  /** All values. Not atomic: read the revision before, which another one then follows if values change meanwhile. */
  async values(): Promise<SharedValues> {
    const values = new Map<string, SharedValue>();
    for await (const batch of this.scan()) for (const [name, value] of batch) values.set(name, value);
    return values;
  }

  get(names: readonly string[]): Promise<SharedValues> {
    return fieldsOf(this.#execute, this.#keys[0]!, names);
  }

  /** All values in batches. A value that changes meanwhile may occur twice; one that is added may be missing. */
  async *scan(): AsyncGenerator<SharedValues, void> {
    let cursor = '0';
    do {
      const [next, values] = await this.#execute<[string, string[]]>(SCAN, this.#keys, [cursor]);
      yield valuesOf(values);
      cursor = next;
    } while (cursor !== '0');
  }

  /** Stores those values that are newer than the current ones. */
  async restore(values: SharedValues): Promise<void> {
    for (const batch of batchesOf([...values], BATCH))
      await this.#execute<number>(RESTORE, this.#keys, batch.flat());
  }

  /** Replaces all values or none: false if one has another revision, unless all new values are stored already. */
  async replace(replacements: readonly Replacement[], added?: Addition): Promise<boolean> {
    const values = replacements.flatMap(({ name, revision, value }) => [name, String(revision), value]);
    const keys = added === undefined ? this.#keys : [...this.#keys, added.key];
    const sizes = [replacements.length, added?.lifetimeSeconds ?? 0].map(String);
    const args = [...sizes, ...values, ...(added?.fields ?? [])].flat();
    return (await this.#execute<number>(REPLACE, keys, args)) === 1;
  }

  /**
   * Replaces values by new ones without revision, all or none. `change` returns null if there is nothing to change, which is then
   * the result: false. `what` names the values in the error if others keep changing them.
   */
  async update(
    names: readonly string[],
    change: (value: SharedValue | undefined, name: string) => string | null,
    what: string,
    added?: Addition,
  ): Promise<boolean> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const present = await this.get(names);
      const replacements: Replacement[] = [];
      for (const name of names) {
        const value = change(present.get(name), name);
        if (value === null) return false;
        replacements.push({ name, revision: revisionOf(present.get(name)), value });
      }
      if (await this.replace(replacements, added)) return true;
    }
    throw new Error(`The ${what} is being changed by others; try again`);
  }
}

/** The values of those fields of a hash that exist. */
export async function fieldsOf(execute: Execute, key: string, names: readonly string[]) {
  const found = new Map<string, string>();
  for (const batch of batchesOf(names, BATCH)) {
    const values = await execute<(string | null)[]>(GET, [key], batch);
    for (const [i, name] of batch.entries()) if (values[i] != null) found.set(name, values[i]);
  }
  return found;
}

/** A list in parts of at most `size` items. */
export function* batchesOf<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** Values by name, from alternating names and values. */
function valuesOf(reply: readonly string[]): SharedValues {
  return new Map(reply.flatMap((name, i) => (i % 2 === 0 ? [[name, reply[i + 1]!] as const] : [])));
}
