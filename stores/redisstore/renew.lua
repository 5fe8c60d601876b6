-- Extends a lease.
--
-- ARGV[1]  slot
-- ARGV[2]  owner
-- ARGV[3]  incarnation
-- ARGV[4]  fence
-- ARGV[5]  ttl
-- ARGV[6]  the last millisecond used
--
-- Returns {'renewed', now, slot, row}. Or it has changed nothing: {'refused', 'lost', row} with an empty row if the
-- slot was never granted, or {'refused', 'clock', now} if that cannot be right.
local slot, ttl, used = ARGV[1], tonumber(ARGV[5]), tonumber(ARGV[6])
local now = clock()
if now > 2^52 then
  return {'refused', 'clock', digits(now)}
end
local text = redis.call('HGET', slots, slot)
local before = parse(slot, text)
if before.owner ~= ARGV[2] or before.incarnation ~= ARGV[3] or before.fence ~= ARGV[4] then
  return {'refused', 'lost', text or ''}
end
local row = copy(before)
extend(row, now, ttl, tonumber(redis.call('HGET', meta, 'tolerance') or 0), used)
toLive(slot, row)
return {'renewed', digits(now), slot, write(slot, before, row)}
