import { SECONDS_PER_DAY } from '../../common/civil.ts';
import { NOW, script } from '../../redis/redis_connection.ts';
import add from './scripts/add.lua' with { type: 'text' };
import consume from './scripts/consume.lua' with { type: 'text' };
import lastUses from './scripts/last_uses.lua' with { type: 'text' };
import month from './scripts/month.lua' with { type: 'text' };
import probe from './scripts/probe.lua' with { type: 'text' };
import raise from './scripts/raise.lua' with { type: 'text' };

/*
 * The scripts of limits and usage. An API key has two Redis keys: a bucket, which expires once it would be full again, and a hash
 * of requests by month (`2026-11`), which expires 800 days after the last new month. The clock is the store's own (since Redis 5
 * scripts replicate their effects, so they may call `TIME`). Units are those of `token_bucket.ts`.
 */

/** The time to live of usage and log entries: longer than the 25 months covered by reports. */
export const EXPIRY_SECONDS = 800 * SECONDS_PER_DAY;
const EXPIRY = `local EXPIRY_SECONDS = ${EXPIRY_SECONDS}
`;

/** Counts requests of an API key, or rejects all of them. */
export const CONSUME = script(NOW + month + EXPIRY + consume);

/** Adds a batch of usage once. */
export const ADD = script(EXPIRY + add);

/** Raises usage to at least given totals. */
export const RAISE = script(EXPIRY + raise);

/** How long the receipt of a settled batch is stored, since another process may have read the batch before and be sending it. */
const SETTLED_SECONDS = 3600;

/** KEYS: receipt of a batch that will not be sent again. */
export const SETTLE = script(`return redis.call('EXPIRE', KEYS[1], ${SETTLED_SECONDS})`);

/** KEYS: usage of API keys. Returns for each its alternating months and requests. */
export const USAGE = script(`
local usage = {}
for i, key in ipairs(KEYS) do usage[i] = redis.call('HGETALL', key) end
return usage
`);

/**
 * KEYS: log entries of a month. ARGV: a cursor, initially 0, and a time. Returns the next cursor, 0 at the end, and alternating names
 * and values of some fields, without those that begin with an earlier time.
 */
export const LOG = script(`
local reply = redis.call('HSCAN', KEYS[1], ARGV[1], 'COUNT', 250)
local found = {}
for i = 1, #reply[2], 2 do
  local timeMs = tonumber(string.match(reply[2][i], '^%d+'))
  if not timeMs or timeMs >= tonumber(ARGV[2]) then
    table.insert(found, reply[2][i])
    table.insert(found, reply[2][i + 1])
  end
end
return {reply[1], found}
`);

/** KEYS: usage of API keys. ARGV: month. Returns the requests of each. */
export const REQUESTS = script(`
local requests = {}
for i, key in ipairs(KEYS) do requests[i] = redis.call('HGET', key, ARGV[1]) end
return requests
`);

/** Raises last uses to at least given times. */
export const LAST_USES = script(lastUses);

/** Whether writes are accepted, and the commands of all scripts permitted. */
export const PROBE = script(probe);
