-- Leases a slot.
--
-- ARGV[1]  owner
-- ARGV[2]  incarnation
-- ARGV[3]  limit
-- ARGV[4]  tolerance
-- ARGV[5]  ttl
-- ARGV[6]  the preferred slot, or empty
-- ARGV[7]  1 if the owner's live lease of another incarnation may be taken over
-- ARGV[8]  how many expired leases to sweep at most
-- ARGV[9]  up to where earlier calls have looked at the free slots; -1 at first
--
-- Returns {'granted', now, slot, row}, or {'filling'} where the namespace has too many slots to make them in one call:
-- the caller calls again. Or it has granted nothing:
--   {'refused', 'settings', limit, tolerance}        the namespace has others
--   {'refused', 'clock', now}                        that cannot be right
--   {'refused', 'fence', slot}                       there is no next one
--   {'refused', 'more', ARGV[9], usableAt}           none was usable of those looked at: go on from there
--   {'refused', 'none', now, live, ahead, usableAt}  none is usable
local owner, incarnation, preferred = ARGV[1], ARGV[2], ARGV[6]
local limit, tolerance, ttl = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local lookAtMost, fillAtMost = 1023, 2000 -- in one call, so that others wait for milliseconds at most
local never = 2^53

local now = clock()
if now > 2^52 then
  return {'refused', 'clock', digits(now)}
end

local settings = redis.call('HMGET', meta, 'limit', 'tolerance')
if not settings[1] then
  redis.call('HSET', meta, 'limit', ARGV[3], 'tolerance', ARGV[4])
elseif settings[1] ~= ARGV[3] or settings[2] ~= ARGV[4] then
  return {'refused', 'settings', settings[1], settings[2] or ''}
end

-- Makes slots free that are neither free nor live yet, and tells whether some remain.
local function fill()
  local from = redis.call('ZCARD', free) + redis.call('ZCARD', live)
  local to = math.min(from + fillAtMost, limit)
  local made = 0
  for first = from, to - 1, 1000 do
    local members = {}
    for slot = first, math.min(first + 1000, to) - 1 do
      members[#members + 1] = slot
      members[#members + 1] = slot
    end
    made = made + redis.call('ZADD', free, 'NX', unpack(members))
  end
  return made > 0 and to < limit
end

local function sweep()
  local expired = redis.call('ZRANGE', live, '-inf', digits(now), 'BYSCORE', 'LIMIT', 0, ARGV[8])
  for _, slot in ipairs(expired) do toFree(slot) end
  return expired
end

local function grant(slot)
  local before = read(slot)
  local row = copy(before)
  if tonumber(before.fence) >= 2^53 - 1 then
    return {'refused', 'fence', slot}
  end
  row.fence = digits(tonumber(before.fence) + 1)
  if before.owner == owner and before.incarnation == incarnation then
    extend(row, now, ttl, tolerance, before.floor - 1)
  else
    if before.owner ~= '' then row.last = before.owner end
    row.owner, row.incarnation = owner, incarnation
    row.expires = now + ttl
    row.floor = math.max(before.nextFloor, now)
    row.ceiling = row.floor + ttl
    row.nextFloor = row.ceiling
  end
  toLive(slot, row)
  redis.call('HSET', owners, owner, slot)
  redis.call('HSET', held, owner, slot)
  return {'granted', digits(now), slot, write(slot, before, row)}
end

-- The first slot of a list that is usable.
local function firstOf(list, tolerance)
  for _, slot in ipairs(list) do
    if usableAt(read(slot), tolerance) <= now then return slot end
  end
end

-- Looks at free slots by number: the smallest ready one, the smallest usable one, and else the earliest time at which
-- one becomes usable, how far it looked, and whether that is all.
local function look(swept, after)
  local usable, earliest = nil, never
  local function isReady(slot, row)
    local at = usableAt(row, tolerance)
    earliest = math.min(earliest, at)
    if at <= now and not usable then usable = slot end
    return usableAt(row, 0) <= now
  end

  local behind = {} -- swept to where earlier calls have looked
  for _, slot in ipairs(swept) do
    if tonumber(slot) <= after then behind[#behind + 1] = slot end
  end
  table.sort(behind, function(a, b) return tonumber(a) < tonumber(b) end)
  for _, slot in ipairs(behind) do
    if isReady(slot, read(slot)) then return slot end
  end

  local looked, batch = 0, 1 -- the first one is ready, most often
  while looked < lookAtMost do
    local found = redis.call('ZRANGE', free, '(' .. digits(after), '(' .. digits(limit), 'BYSCORE', 'LIMIT', 0, batch)
    if #found == 0 then return nil, usable, earliest, after, true end
    local texts = redis.call('HMGET', slots, unpack(found))
    for i, slot in ipairs(found) do
      if isReady(slot, parse(slot, texts[i])) then return slot end
    end
    looked, batch, after = looked + #found, batch * 2, tonumber(found[#found])
  end
  return nil, usable, earliest, after, false
end

-- The earliest time at which a live lease's slot becomes usable, or the one given if that is earlier.
local function earliestOfLive(earliest)
  for first = 0, lookAtMost, 16 do
    local leased = redis.call('ZRANGE', live, first, first + 15)
    if #leased == 0 then return earliest end
    for _, slot in ipairs(leased) do
      local row = read(slot)
      if row.expires >= earliest then return earliest end -- so do all that follow
      earliest = math.min(earliest, usableAt(row, tolerance))
    end
  end
  return earliest
end

if fill() then
  return {'filling'}
end
local swept = sweep()

local named = {}
local own = redis.call('HGET', held, owner)
local ownRow = own and read(own)
if own and ownRow.owner == owner then
  if ownRow.incarnation == incarnation then return grant(own) end
  named[1] = own
else
  own = nil
end
if preferred ~= '' then named[#named + 1] = preferred end
named[#named + 1] = redis.call('HGET', owners, owner) or nil

local slot = firstOf(named, 0)
if slot then return grant(slot) end
local ready, usable, earliest, after, all = look(swept, tonumber(ARGV[9]))
slot = ready or firstOf(named, tolerance) or usable
if slot then return grant(slot) end
if not all or redis.call('ZCOUNT', live, '-inf', digits(now)) > 0 then
  return {'refused', 'more', digits(after), digits(earliest)}
end
if own and ARGV[7] == '1' and ownRow.nextFloor - tolerance <= now then
  return grant(own)
end
return {
  'refused', 'none', digits(now), digits(redis.call('ZCARD', live)), digits(redis.call('ZCARD', free)),
  digits(earliestOfLive(earliest))
}
