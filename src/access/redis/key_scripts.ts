/**
 * Lua scripts for the API keys in Redis or Valkey: a hash of values by id, see `shared_key.ts`, and the highest revision.
 * KEYS: these two, unless it says otherwise.
 */
import { EXPIRY_SECONDS } from './redis_scripts.ts';

export const KEYS_KEY = 'meridian:keys';
export const REVISION_KEY = 'meridian:keys:revision';

const NEXT_REVISION = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local function nextRevision()
  local next = math.max(now, tonumber(redis.call('GET', KEYS[2]) or '0') + 1)
  return string.format('%.0f', next)
end
local function revisionOf(value)
  return value and tonumber(string.match(value, '^%d+')) or 0
end
`;

/** ARGV: a revision. Returns nothing if it is still the highest, otherwise the highest one and all ids and values in turn. */
export const FETCH_SCRIPT = `
local revision = redis.call('GET', KEYS[2]) or '0'
if revision == ARGV[1] then return false end
return {revision, redis.call('HGETALL', KEYS[1])}
`;

/** ARGV: id, the revision of its present value (0 for none), the new value without revision. Returns whether it was replaced. */
export const REPLACE_SCRIPT = `${NEXT_REVISION}
if revisionOf(redis.call('HGET', KEYS[1], ARGV[1])) ~= tonumber(ARGV[2]) then return 0 end
local revision = nextRevision()
redis.call('HSET', KEYS[1], ARGV[1], revision .. ' ' .. ARGV[3])
redis.call('SET', KEYS[2], revision)
return 1
`;

/** KEYS: usage of API keys. ARGV: for each a month and a total, below which its usage must not be. */
export const RAISE_SCRIPT = `
for i, key in ipairs(KEYS) do
  local month, total = ARGV[2 * i - 1], tonumber(ARGV[2 * i])
  if tonumber(redis.call('HGET', key, month) or '0') < total then
    redis.call('HSET', key, month, string.format('%.0f', total))
    redis.call('EXPIRE', key, ${EXPIRY_SECONDS})
  end
end
`;

/** ARGV: ids and values in turn. Stores those that are newer than what is there; returns how many. */
export const RESTORE_SCRIPT = `${NEXT_REVISION}
local restored = 0
for i = 1, #ARGV, 2 do
  if revisionOf(ARGV[i + 1]) > revisionOf(redis.call('HGET', KEYS[1], ARGV[i])) then
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
    restored = restored + 1
  end
end
if restored > 0 then redis.call('SET', KEYS[2], nextRevision()) end
return restored
`;
