#!lua flags=no-writes
-- Changes nothing, and fails where scripts cannot run.
--
-- KEYS[1]  any key
--
-- Returns {'ready', the server's clock in seconds, and microseconds}, without the clock for a user who may not know it.
redis.call('EXISTS', KEYS[1])
local time = redis.pcall('TIME')
return {'ready', time[1], time[2]}
