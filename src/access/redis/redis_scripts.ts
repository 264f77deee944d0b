import { SECONDS_PER_DAY } from '../../common/civil.ts';
import { NOW, script } from '../../redis/redis_connection.ts';

/*
 * The scripts of limits and usage. An API key has two Redis keys: a bucket, which expires once it would be full again, and a hash
 * of requests by month (`2026-11`), which expires 800 days after the last new month. The clock is the store's own (since Redis 5
 * scripts replicate their effects, so they may call `TIME`). Units are those of `token_bucket.ts`.
 */

const MONTH = `${NOW}-- The civil month of a day number, as in common/civil.ts.
local shifted = math.floor(tonumber(time[1]) / 86400) + 719468
local era = math.floor(shifted / 146097)
local dayOfEra = shifted - era * 146097
local year = math.floor((dayOfEra - math.floor(dayOfEra / 1460) + math.floor(dayOfEra / 36524)
  - math.floor(dayOfEra / 146096)) / 365)
local dayOfYear = dayOfEra - (365 * year + math.floor(year / 4) - math.floor(year / 100))
local marchMonth = math.floor((5 * dayOfYear + 2) / 153)
local month = marchMonth < 10 and marchMonth + 3 or marchMonth - 9
year = year + era * 400 + (month <= 2 and 1 or 0)
local label = string.format('%04d-%02d', year, month)
`;

/** The time to live of a key's usage: longer than the 25 months covered by reports. */
const EXPIRY_SECONDS = 800 * SECONDS_PER_DAY;

/**
 * KEYS: bucket, usage, last uses. ARGV: capacity, units per millisecond (0: no rate limit), units per request, monthly quota (-1:
 * none), requests, which are granted all or none, id. Returns verdict (0 granted, 1 rate, 2 quota), `Month.index`, used, requests
 * left in the bucket, milliseconds until one more.
 */
export const CONSUME = script(`${MONTH}
local capacity, perMs, perRequest, quota = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local requests = tonumber(ARGV[5])
local needed = requests * perRequest
local used = tonumber(redis.call('HGET', KEYS[2], label) or '0')
local units = capacity
if perMs > 0 then
  local bucket = redis.call('HMGET', KEYS[1], 'units', 'ms')
  if bucket[1] then
    units = math.min(capacity, tonumber(bucket[1]) + math.max(0, now - tonumber(bucket[2])) * perMs)
  end
end
local verdict = 0
if quota >= 0 and used + requests > quota then
  verdict = 2
elseif perMs > 0 and units < needed then
  verdict = 1
else
  if perMs > 0 then
    units = units - needed
    redis.call('HSET', KEYS[1], 'units', string.format('%.0f', units), 'ms', string.format('%.0f', now))
    redis.call('PEXPIRE', KEYS[1], math.ceil((capacity - units) / perMs) + 1000)
  end
  used = redis.call('HINCRBY', KEYS[2], label, requests)
  redis.call('HSET', KEYS[3], ARGV[6], string.format('%.0f', now))
  if used == requests then redis.call('EXPIRE', KEYS[2], ${EXPIRY_SECONDS}) end
end
local left, wait = 0, 0
if perMs > 0 then
  left = math.floor(units / perRequest)
  local target = units - units % perRequest + perRequest
  if verdict == 1 then target = math.max(target, needed) end
  wait = math.ceil((target - units) / perMs)
end
return {verdict, year * 12 + month - 1, used, left, wait}
`);

/** How long the receipt of a settled batch is stored, since another process may have read the batch before and be sending it. */
const SETTLED_SECONDS = 3600;

/**
 * KEYS: receipt, usage of API keys. ARGV: for each a month and requests. Adds all of them unless the receipt is known, or none
 * if one cannot be added; returns the totals. A receipt is stored as long as the usage, since its sender may be down for long.
 */
export const ADD = script(`
if redis.call('SET', KEYS[1], '1', 'NX', 'EX', ${EXPIRY_SECONDS}) then
  for i = 2, #KEYS do
    local total = redis.pcall('HINCRBY', KEYS[i], ARGV[2 * i - 3], ARGV[2 * i - 2])
    if type(total) == 'table' then
      for j = 2, i - 1 do redis.call('HINCRBY', KEYS[j], ARGV[2 * j - 3], -ARGV[2 * j - 2]) end
      redis.call('DEL', KEYS[1])
      return total
    end
  end
  for i = 2, #KEYS do redis.call('EXPIRE', KEYS[i], ${EXPIRY_SECONDS}) end
end
local totals = {}
for i = 2, #KEYS do totals[i - 1] = tonumber(redis.call('HGET', KEYS[i], ARGV[2 * i - 3]) or '0') end
return totals
`);

/** KEYS: receipt of a batch that will not be sent again. */
export const SETTLE = script(`return redis.call('EXPIRE', KEYS[1], ${SETTLED_SECONDS})`);

/** KEYS: usage of API keys. ARGV: for each a month and a total, the minimum to which its usage is raised. */
export const RAISE = script(`
for i, key in ipairs(KEYS) do
  local month, total = ARGV[2 * i - 1], tonumber(ARGV[2 * i])
  if tonumber(redis.call('HGET', key, month) or '0') < total then
    redis.call('HSET', key, month, string.format('%.0f', total))
    redis.call('EXPIRE', key, ${EXPIRY_SECONDS})
  end
end
`);

/** KEYS: usage of API keys. Returns for each its alternating months and requests. */
export const USAGE = script(`
local usage = {}
for i, key in ipairs(KEYS) do usage[i] = redis.call('HGETALL', key) end
return usage
`);

/** KEYS: usage of API keys. ARGV: month. Returns the requests of each. */
export const REQUESTS = script(`
local requests = {}
for i, key in ipairs(KEYS) do requests[i] = redis.call('HGET', key, ARGV[1]) end
return requests
`);

/** KEYS: last uses. ARGV: alternating ids and epoch milliseconds. Stores those that are later than the present ones. */
export const LAST_USES = script(`
for i = 1, #ARGV, 2 do
  if tonumber(redis.call('HGET', KEYS[1], ARGV[i]) or '0') < tonumber(ARGV[i + 1]) then
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
  end
end
`);
