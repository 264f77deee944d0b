-- KEYS: last uses, a key that never exists. Calls commands without an effect; returns the error of the first that is refused.
-- SET is the first, since Redis does not check its memory after the first write of a script.
local commands = {
  {'SET', KEYS[2], '', 'XX'}, {'TIME'}, {'HDEL', KEYS[1], ''}, {'EXPIRE', KEYS[2], 1}, {'PEXPIRE', KEYS[2], 1},
  {'DEL', KEYS[2]}, {'SCAN', '0', 'COUNT', 1}
}
for _, command in ipairs(commands) do
  local reply = redis.pcall(unpack(command))
  if type(reply) == 'table' and reply.err then
    if string.find(reply.err, 'user executing the script') then return {err = "NOPERM '" .. command[1] .. "'"} end
    return reply
  end
end
return 0
