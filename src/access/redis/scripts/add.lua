-- KEYS: receipt, usage of API keys. ARGV: for each a month and requests. Adds all of them unless the receipt is known, or none
-- if one cannot be added; returns the totals. A receipt is stored as long as the usage, since its sender may be down for long.
if redis.call('SET', KEYS[1], '1', 'NX', 'EX', EXPIRY_SECONDS) then
  for i = 2, #KEYS do
    local total = redis.pcall('HINCRBY', KEYS[i], ARGV[2 * i - 3], ARGV[2 * i - 2])
    if type(total) == 'table' then
      for j = 2, i - 1 do redis.call('HINCRBY', KEYS[j], ARGV[2 * j - 3], -ARGV[2 * j - 2]) end
      redis.call('DEL', KEYS[1])
      return total
    end
  end
  for i = 2, #KEYS do redis.call('EXPIRE', KEYS[i], EXPIRY_SECONDS) end
end
local totals = {}
for i = 2, #KEYS do totals[i - 1] = tonumber(redis.call('HGET', KEYS[i], ARGV[2 * i - 3]) or '0') end
return totals
