#!lua
-- Forgets a key.
--
-- KEYS[1]  the next id
-- KEYS[2]  the seal
-- ARGV[1]  1 to delete what is not sealed, too
--
-- Returns {'deleted'}, or {'refused', 'unknown'} or {'refused', 'not sealed'} where it has changed nothing.
if redis.call('EXISTS', KEYS[2]) == 0 then
  if redis.call('EXISTS', KEYS[1]) == 0 then
    return {'refused', 'unknown'}
  elseif ARGV[1] ~= '1' then
    return {'refused', 'not sealed'}
  end
end
redis.call('DEL', KEYS[1], KEYS[2])
return {'deleted'}
