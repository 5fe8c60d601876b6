package segment

import "time"

// meter estimates how many ids are issued in one window of time, from how many had been issued at a few moments:
// the hot path counts nothing and reads no clock.
//
// The estimate is at most what was really issued during the last window or so, whatever was reserved, so that
// reservations cannot feed on themselves. Time in which callers found no id does not count (unless stalls count
// as the normal case, see countsStalls), or a slow store would look like a small demand.
//
// A meter is not safe for concurrent use.
type meter struct {
	window       time.Duration
	countsStalls bool

	ids     float64       // the estimate, as of at
	at      time.Time     // of the last update; in the future where ids are first wanted later
	issued  int64         // ids issued by then, in total
	stalled time.Duration // since then
	dryAt   time.Time     // since when callers find no id; zero = they do
	lastDry time.Time     // when one last did: with nobody asking there is no stall
}

// newMeter makes the meter of a generator. Without a lookahead every id is waited for, and the estimate is only for
// those who watch.
func newMeter(lookahead time.Duration, options Options) meter {
	m := meter{window: lookahead, at: time.Now()}
	if lookahead == 0 {
		m.window, m.countsStalls = time.Second, true
	}
	if m.at.Before(options.Opens) {
		m.at = options.Opens
	}
	m.ids = options.InitialRate * m.window.Seconds()
	return m
}

// dry tells the meter that a caller found no id.
func (m *meter) dry(now time.Time) {
	if m.countsStalls {
		return
	}
	if m.dryAt.IsZero() {
		m.dryAt = now
	}
	m.lastDry = now
}

// filled tells the meter that there are ids again.
func (m *meter) filled() {
	m.stalled += m.stall()
	m.dryAt = time.Time{}
}

// estimate is the number of ids a window at this moment, where issued is the total so far.
func (m *meter) estimate(now time.Time, issued int64) float64 {
	active := max(now.Sub(m.at)-m.stalled-m.stall(), 0)
	fresh := float64(issued - m.issued)
	if active >= m.window {
		return fresh * float64(m.window) / float64(active)
	}
	return fresh + m.ids*(1-float64(active)/float64(m.window))
}

// update makes the present estimate the one that later ones build on.
func (m *meter) update(now time.Time, issued int64) {
	if now.Before(m.at) {
		return
	}
	m.ids = m.estimate(now, issued)
	m.at, m.issued, m.stalled = now, issued, 0
	if !m.dryAt.IsZero() {
		m.dryAt, m.lastDry = now, now
	}
}

func (m *meter) stall() time.Duration {
	if m.dryAt.IsZero() {
		return 0
	}
	return m.lastDry.Sub(m.dryAt)
}
