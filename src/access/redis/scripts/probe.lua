-- KEYS: last uses, a key that never exists. Calls commands without an effect; returns the error of the first that is refused.
-- SET is the first, since Redis does not check its memory after the first write of a script. HSET and HINCRBY cannot be called
-- without an effect: their arguments are invalid, which Redis checks after the permission.
local commands = {
  {'SET', KEYS[2], '', 'XX'}, {'TIME'}, {'GET', KEYS[2]}, {'HGET', KEYS[2], ''}, {'HMGET', KEYS[2], ''},
  {'HGETALL', KEYS[2]}, {'HSCAN', KEYS[2], '0'},
  {'HDEL', KEYS[1], ''}, {'EXPIRE', KEYS[2], 1}, {'PEXPIRE', KEYS[2], 1}, {'DEL', KEYS[2]}, {'SCAN', '0', 'COUNT', 1},
  {'HSET', KEYS[2], '', '', ''}, {'HINCRBY', KEYS[2], '', ''}
}
local invalid = {HSET = 'wrong number of arguments', HINCRBY = 'not an integer'}
for _, command in ipairs(commands) do
  local reply = redis.pcall(unpack(command))
  if type(reply) == 'table' and reply.err then
    if string.find(reply.err, 'user executing the script') then return {err = "NOPERM '" .. command[1] .. "'"} end
    local expected = invalid[command[1]]
    if expected == nil or not string.find(reply.err, expected, 1, true) then return reply end
  end
end
return 0
