#!lua
-- Reserves ids of a key. Numbers stay texts: a Lua number is exact up to 2^53 only.
--
-- KEYS[1]  the next id, decimal
-- KEYS[2]  the seal
-- ARGV[1]  how many ids, decimal
-- ARGV[2]  the next id after a first range, decimal; empty if a first range would pass the largest id
--
-- Returns {'reserved', next id}, or {'refused', 'sealed'} or {'refused', 'exhausted'} where it has written nothing.
-- INCRBY refuses to pass the largest id by an error that leaves the value as it was.
if redis.call('EXISTS', KEYS[2]) == 1 then
  return {'refused', 'sealed'}
end
-- An expiry that somebody has set is taken away: the counter would start over.
if redis.call('GETEX', KEYS[1], 'PERSIST') then
  redis.call('INCRBY', KEYS[1], ARGV[1])
elseif ARGV[2] == '' then
  return {'refused', 'exhausted'}
else
  redis.call('SET', KEYS[1], ARGV[2])
end
-- Without an option GETEX reads only. A user who may not use it has failed above, with nothing written.
return {'reserved', redis.call('GETEX', KEYS[1])}
