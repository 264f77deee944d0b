-- KEYS: bucket, usage, last uses. ARGV: capacity, units per millisecond (0: no rate limit), units per request, monthly quota
-- (-1: none), requests, which are granted all or none, id. Returns verdict (0 granted, 1 rate, 2 quota), `Month.index`, used,
-- requests left in the bucket, milliseconds until one more.
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
  if used == requests then redis.call('EXPIRE', KEYS[2], EXPIRY_SECONDS) end
end
local left, wait = 0, 0
if perMs > 0 then
  left = math.floor(units / perRequest)
  local target = units - units % perRequest + perRequest
  if verdict == 1 then target = math.max(target, needed) end
  wait = math.ceil((target - units) / perMs)
end
return {verdict, year * 12 + month - 1, used, left, wait}
