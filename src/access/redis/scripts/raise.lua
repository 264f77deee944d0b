-- KEYS: usage of API keys. ARGV: for each a month and a total, the minimum to which its usage is raised. Raises all that it can
-- before it fails.
local failure
for i, key in ipairs(KEYS) do
  local month, total = ARGV[2 * i - 1], tonumber(ARGV[2 * i])
  local used = redis.pcall('HGET', key, month) or '0'
  if type(used) == 'table' then
    failure = used
  elseif tonumber(used) < total then
    redis.call('HSET', key, month, string.format('%.0f', total))
    redis.call('EXPIRE', key, EXPIRY_SECONDS)
  end
end
return failure
