#!lua flags=no-writes
-- Changes nothing, and fails where scripts cannot run, or cannot reserve.
--
-- KEYS[1]  any key of the store; or none, on a node of a cluster that may not have it, and
-- ARGV[1]  the key
--
-- Returns {'ready', the server's clock in seconds, and microseconds}, without the clock for a user who may not know it,
-- or {'refused', the command that a reserve needs and this user may not use, or the server does not know}.
local key = KEYS[1] or ARGV[1]
local needed = {{'EXISTS', key}, {'GETEX', key}, {'INCRBY', key, '1'}, {'SET', key, '1'}}
for _, command in ipairs(redis.acl_check_cmd and needed or {}) do
  local known, allowed = pcall(redis.acl_check_cmd, unpack(command))
  if not (known and allowed) then
    return {'refused', command[1]}
  end
end
local time = redis.pcall('TIME')
return {'ready', time[1], time[2]}
