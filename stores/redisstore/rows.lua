#!lua flags=no-writes
-- Lists slots that were granted, a part at a time.
--
-- KEYS[1]  meta of a namespace
-- KEYS[2]  its rows
-- ARGV[1]  where the part before has ended; 0 at first
--
-- Returns {'rows', where this part ends: 0 at the end, now, limit, tolerance, slot, row, slot, row …}; limit and
-- tolerance are empty if nobody has used the namespace. What others write meanwhile may or may not be seen, a slot can
-- come twice.
local time = redis.call('TIME')
local settings = redis.call('HMGET', KEYS[1], 'limit', 'tolerance')
local part = redis.call('HSCAN', KEYS[2], ARGV[1], 'COUNT', 1000)
local answer = {
  'rows', part[1], string.format('%.0f', tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)),
  settings[1] or '', settings[2] or ''
}
for _, text in ipairs(part[2]) do answer[#answer + 1] = text end
return answer
