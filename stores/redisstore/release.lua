-- Frees a slot, and what was not used of its window.
--
-- ARGV[1]  slot
-- ARGV[2]  incarnation
-- ARGV[3]  fence
-- ARGV[4]  the last millisecond used
--
-- Returns {'released'}, or {'refused', 'lost', row} with an empty row if the slot was never granted; then it has
-- changed nothing. It writes a row that was released before, too, so that a WAIT behind it speaks of the release,
-- whoever did it.
local slot, used = ARGV[1], tonumber(ARGV[4])
local text = redis.call('HGET', slots, slot)
local before = parse(slot, text)
if before.fence ~= ARGV[3] or before.owner ~= '' and before.incarnation ~= ARGV[2] then
  return {'refused', 'lost', text or ''}
end
local row = copy(before)
if before.owner ~= '' then
  row.last = before.owner
  row.owner, row.incarnation = '', ''
  row.expires = 0
  row.nextFloor = math.min(math.max(before.floor, used + 1), before.ceiling)
  toFree(slot)
end
write(slot, before, row)
return {'released'}
