#!lua flags=no-writes
-- Changes nothing, and fails where scripts cannot run.
--
-- KEYS[1]  any key
redis.call('EXISTS', KEYS[1])
return {'ready'}
