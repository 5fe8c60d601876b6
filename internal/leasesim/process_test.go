package leasesim_test

import (
	"errors"
	"fmt"

	"github.com/cosid-go/cosid/stores"
)

// process leases a slot and makes ids of it, as the holder of a lease must: it goes on in its window after the lease
// is lost, gives its incarnation up before it sends a release, and believes no answer to a call that it gave up.
type process struct {
	world            *world
	name             string
	owner, namespace string
	place            uint16 // the namespace as a number

	life, incarnations int
	incarnation        string

	lease   stores.SlotLease // the window in use, if held
	held    bool
	lost    bool // the lease cannot be renewed
	veteran bool // had a lease since it started

	made bool // an id, since it started
	tick int64
	seq  uint16
	mark int64 // the last tick since the last grant, for the flaw forgetsUsed

	call      *call // the one that it waits for
	unsettled *call // a release of unknown outcome, to be sent again
	paused    bool
	pace      int64 // how fast its clock runs, in quarters of the true pace
	heard     int64 // the true time of the last answer
}

// sequences is how many ids a millisecond has.
const sequences = 2

func (p *process) start() {
	p.world.lives++
	old := *p
	*p = process{
		world: p.world, name: p.name, owner: p.owner, namespace: p.namespace, place: p.place,
		life: p.world.lives, incarnations: p.incarnations, pace: int64(p.world.rng.IntN(9)),
	}
	p.newIncarnation()
	if p.world.flaws.has(survivesCrash) && old.incarnation != "" {
		p.incarnation = old.incarnation
	}
}

func (p *process) newIncarnation() {
	p.incarnations++
	p.incarnation = fmt.Sprintf("%s-%d", p.name, p.incarnations)
	if p.world.flaws.has(ownerIsIdentity) {
		p.incarnation = p.owner
	}
}

// turn lets the process do one thing.
func (p *process) turn() {
	w := p.world
	if p.paused {
		p.paused = w.chance(3, 4)
		return
	}
	switch {
	case p.held && w.chance(1, 2):
		p.makeIDs(1 + w.rng.IntN(8))
	case p.call != nil:
		if w.chance(1, 8) {
			p.giveUp()
		}
	case p.unsettled != nil && w.chance(1, 4):
		p.send(p.unsettled)
		p.unsettled = nil
	case !p.held:
		p.acquire()
	case w.chance(w.scene.release, 100):
		p.release()
	case p.lost || w.chance(1, 16):
		p.acquire()
	default:
		p.send(&call{kind: renew, lease: p.lease, usedThrough: p.usedThrough()})
	}
}

func (p *process) acquire() {
	w := p.world
	request := stores.SlotRequest{
		Namespace: p.namespace, Owner: p.owner, Incarnation: p.incarnation, Limit: w.scene.slots,
		Tolerance: millis(w.scene.tolerance), TTL: millis(w.scene.ttl), Preferred: stores.NoSlot, TakeOver: !p.veteran,
	}
	if w.chance(1, 4) {
		request.Preferred = w.rng.Int64N(w.scene.slots)
	}
	if w.chance(1, 100) {
		request.Limit++
	}
	p.send(&call{kind: acquire, request: request})
}

// release gives the window up, and the incarnation, before anything is sent.
func (p *process) release() {
	c := &call{kind: release, lease: p.lease, usedThrough: p.usedThrough()}
	if !p.world.flaws.has(goesOnAfterRelease) {
		p.held = false
	}
	if !p.world.flaws.has(reusesIncarnation) {
		p.newIncarnation()
	}
	p.lost = p.held
	p.send(c)
	if p.world.chance(1, 2) { // it goes on at once
		p.giveUp()
	}
}

func (p *process) send(c *call) {
	p.call = c
	if c.number == 0 {
		p.world.calls++
		c.number, c.from, c.life = p.world.calls, p, p.life
	}
	p.world.trace("%s sends %v", p.name, c)
	p.world.requests = append(p.world.requests, c)
}

// giveUp stops to wait for the call, whose outcome stays unknown.
func (p *process) giveUp() {
	p.world.trace("%s gives up %v", p.name, p.call)
	if p.call.kind == release {
		p.unsettled = p.call
	}
	p.call = nil
}

// receive gets the answer to c.
func (p *process) receive(c *call) {
	w := p.world
	awaited := p.call != nil && p.call.number == c.number
	if !awaited && !w.flaws.has(takesOldAnswers) || c.life != p.life {
		return
	}
	p.call = nil
	p.heard = w.base
	switch c.kind {
	case acquire:
		if c.err != nil {
			return
		}
		old := p.lease
		p.lease, p.held, p.lost, p.veteran = c.answer, true, false, true
		p.mark = p.lease.Floor - 1
		if w.flaws.has(startsOver) {
			p.made = false
		}
		if w.flaws.has(tornWindow) && old.Fence != 0 {
			p.lease.Floor, p.lease.Ceiling = min(p.lease.Floor, old.Floor), max(p.lease.Ceiling, old.Ceiling)
		}
	case renew:
		switch {
		case errors.Is(c.err, stores.ErrLeaseLost):
			p.lost = true
		case c.err == nil && p.held:
			p.lease = c.answer
		}
	}
}

// makeIDs makes up to n ids, at what the process takes for the time.
func (p *process) makeIDs(n int) {
	for range n {
		tick, seq := max(p.clock(), p.lease.Floor), uint16(0)
		if p.made && tick <= p.tick {
			tick, seq = p.tick, p.seq+1
			if seq == sequences {
				tick, seq = tick+1, 0
			}
			if tick < p.lease.Floor {
				tick, seq = p.lease.Floor, 0
			}
		}
		ceiling := p.lease.Ceiling
		if p.world.flaws.has(passesCeiling) {
			ceiling++
		}
		if tick >= ceiling {
			return
		}
		p.made, p.tick, p.seq = true, tick, seq
		p.mark = max(p.mark, tick)
		made := id{namespace: p.place, slot: uint16(p.lease.Slot), seq: seq, tick: tick}
		p.world.trace("%s makes %+v", p.name, made)
		p.world.ledger.made(p.life, p.namespace, p.lease.Incarnation, made)
	}
}

// clock is the store's time as far as the process can tell, or any time at all.
func (p *process) clock() int64 {
	w := p.world
	if w.chance(w.scene.wild, 100) {
		return p.lease.Floor - 2 + w.rng.Int64N(max(1, p.lease.Ceiling-p.lease.Floor+4))
	}
	return p.lease.StoreNow + (w.base-p.heard)*p.pace/4
}

// usedThrough is the last millisecond of the window that an id may carry, less than its floor if there is none. An
// id of an earlier slot may stand for it: the window only ends later.
func (p *process) usedThrough() int64 {
	used := p.lease.Floor - 1
	if p.made {
		used = p.tick
	}
	if p.world.flaws.has(forgetsUsed) {
		used = p.mark
	}
	return min(used, p.lease.Ceiling-1)
}
