/**
 * Lua scripts for the hashes of shared values in Redis or Valkey, see `shared_value.ts`. KEYS: the hash and its highest
 * revision.
 */
import { script } from './redis_scripts.ts';

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

/**
 * ARGV: a revision and a maximum number of values. Returns nothing if the revision is still the highest; otherwise the highest
 * revision, followed by alternating names and values unless there are more than the maximum.
 */
export const FETCH = script(`
local revision = redis.call('GET', KEYS[2]) or '0'
if revision == ARGV[1] then return false end
if redis.call('HLEN', KEYS[1]) > tonumber(ARGV[2]) then return {revision} end
return {revision, redis.call('HGETALL', KEYS[1])}
`);

/** ARGV: a cursor, initially 0. Returns the next cursor, 0 at the end, and some alternating names and values. */
export const SCAN = script(`return redis.call('HSCAN', KEYS[1], ARGV[1], 'COUNT', 250)`);

/** ARGV: names. Returns their values. */
export const GET = script(`return redis.call('HMGET', KEYS[1], unpack(ARGV))`);

/**
 * ARGV: for each value its name, the revision of its present value (0 for none) and the new value without revision. Returns
 * whether the new values are stored; otherwise none was replaced. If it runs again, since the reply was lost, it finds them stored.
 */
export const REPLACE = script(`${NEXT_REVISION}
local areKnown, areStored = true, true
for i = 1, #ARGV, 3 do
  local present = redis.call('HGET', KEYS[1], ARGV[i])
  areKnown = areKnown and revisionOf(present) == tonumber(ARGV[i + 1])
  areStored = areStored and present and string.match(present, '^%d+ (.*)$') == ARGV[i + 2]
end
if not areKnown then return areStored and 1 or 0 end
local revision = nextRevision()
for i = 1, #ARGV, 3 do
  redis.call('HSET', KEYS[1], ARGV[i], revision .. ' ' .. ARGV[i + 2])
end
redis.call('SET', KEYS[2], revision)
return 1
`);

/** ARGV: alternating names and values. Stores those that are newer than the current ones; returns how many. */
export const RESTORE = script(`${NEXT_REVISION}
local restored = 0
for i = 1, #ARGV, 2 do
  if revisionOf(ARGV[i + 1]) > revisionOf(redis.call('HGET', KEYS[1], ARGV[i])) then
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
    restored = restored + 1
  end
end
if restored > 0 then redis.call('SET', KEYS[2], nextRevision()) end
return restored
`);
