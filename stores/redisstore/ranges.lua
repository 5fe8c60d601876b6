#!lua flags=no-writes,allow-cross-slot-keys
-- Lists ranges of this server, a part at a time.
--
-- ARGV[1]  where the part before has ended; 0 at first
-- ARGV[2]  a pattern for the keys in Redis
--
-- Returns {'ranges', where this part ends: 0 at the end, key, next id, seal, key, next id, seal …}, where next id and
-- seal are empty if there is none. A key can come twice.
local part = redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', 1000, 'TYPE', 'string')
local answer, seen = {'ranges', part[1]}, {}
for _, name in ipairs(part[2]) do
  local key, rest = string.match(name, '^cosid:{([^{}]*)}(.*)$')
  if key and (rest == '' or rest == ':sealed') and not seen[key] then
    seen[key] = true
    local next = 'cosid:{' .. key .. '}'
    for _, text in ipairs({key, redis.call('GET', next) or '', redis.call('GET', next .. ':sealed') or ''}) do
      answer[#answer + 1] = text
    end
  end
end
return answer
