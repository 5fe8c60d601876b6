#!lua
-- Seals a key. It writes each time, so that a WAIT behind it speaks of the seal, whoever set it first.
--
-- KEYS[1]  the seal
redis.call('SET', KEYS[1], '1')
return {'sealed'}
