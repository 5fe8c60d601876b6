#!lua flags=no-writes
-- Changes nothing, and fails where scripts cannot run, or cannot reserve.
--
-- KEYS[1]  any key
--
-- Returns {'ready', the server's clock in seconds, and microseconds}, without the clock for a user who may not know it,
-- or {'refused', the command that a reserve needs and this user may not use, or the server does not know}.
local needed = {{'EXISTS', KEYS[1]}, {'GETEX', KEYS[1]}, {'INCRBY', KEYS[1], '1'}, {'SET', KEYS[1], '1'}}
for _, command in ipairs(needed) do
  local known, allowed = pcall(redis.acl_check_cmd, unpack(command))
  if not (known and allowed) then
    return {'refused', command[1]}
  end
end
local time = redis.pcall('TIME')
return {'ready', time[1], time[2]}
