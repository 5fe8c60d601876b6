package generators

// CombineHooks makes one Hooks of several: each event reaches all of them, in the order given. So those who watch,
// such as metrics, join what an application hands over and replace nothing of it. The zero Hooks among them cost
// nothing.
func CombineHooks(several ...Hooks) Hooks {
	var all Hooks
	for _, h := range several {
		all = Hooks{
			OnReserved:      both(all.OnReserved, h.OnReserved),
			OnRefillFailed:  both(all.OnRefillFailed, h.OnRefillFailed),
			OnRangeDropped:  both(all.OnRangeDropped, h.OnRangeDropped),
			OnPeriodOpened:  both(all.OnPeriodOpened, h.OnPeriodOpened),
			OnPeriodSealed:  both(all.OnPeriodSealed, h.OnPeriodSealed),
			OnLeaseAcquired: both(all.OnLeaseAcquired, h.OnLeaseAcquired),
			OnLeaseLost:     both(all.OnLeaseLost, h.OnLeaseLost),
			OnLeaseFailed:   both(all.OnLeaseFailed, h.OnLeaseFailed),
		}
	}
	return all
}

// both calls first and then second; nil is nothing.
func both[Event any](first, second func(Event)) func(Event) {
	switch {
	case first == nil:
		return second
	case second == nil:
		return first
	default:
		return func(e Event) {
			first(e)
			second(e)
		}
	}
}
