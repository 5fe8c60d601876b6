#!lua
-- Sets a counter forward. Numbers stay texts, which compare by their length and then by their digits: a Lua number is
-- exact up to 2^53 only.
--
-- KEYS[1]  the next id, decimal
-- KEYS[2]  the seal
-- ARGV[1]  what it is to be, decimal
--
-- Returns {'raised'}; or, with what is stored, empty if nothing, {'refused', 'sealed', next id} or {'refused', 'back',
-- next id} or {'refused', 'foreign', value} where it has changed nothing.
local stored, new = redis.call('GET', KEYS[1]), ARGV[1]
if redis.call('EXISTS', KEYS[2]) == 1 then
  return {'refused', 'sealed', stored or ''}
end
if stored then
  if not string.match(stored, '^[1-9]%d*$') and stored ~= '0' then
    return {'refused', 'foreign', stored}
  elseif #stored > #new or #stored == #new and stored > new then
    return {'refused', 'back', stored}
  end
end
redis.call('SET', KEYS[1], new)
return {'raised'}
