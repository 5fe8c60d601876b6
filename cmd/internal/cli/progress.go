package cli

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Progress is a bar on Stderr that shows how far a long command is. It is drawn on a terminal only. One goroutine uses
// it.
type Progress struct {
	out   io.Writer // nil = nothing is drawn
	now   func() time.Time
	drawn time.Time
}

const (
	barWidth       = 30
	redrawInterval = 100 * time.Millisecond
)

// NewProgress draws nothing yet.
func (t *Tool) NewProgress() *Progress {
	p := &Progress{now: t.Now}
	if isTerminal(t.Stderr) && !t.JSON() {
		p.out = t.Stderr
	}
	return p
}

// Visible tells whether the bar is drawn at all.
func (p *Progress) Visible() bool { return p.out != nil }

// Show draws the bar for a share from 0 to 1, with a note behind it, at most ten times a second.
func (p *Progress) Show(share float64, note string) {
	now := p.now()
	if p.out == nil || share < 1 && now.Sub(p.drawn) < redrawInterval {
		return
	}
	p.drawn = now
	full := int(min(max(share, 0), 1) * barWidth)
	bar := strings.Repeat("#", full) + strings.Repeat("-", barWidth-full)
	fmt.Fprintf(p.out, "\r\x1b[K[%s] %3.0f%% %s", bar, share*100, note)
}

// Done wipes the bar away.
func (p *Progress) Done() {
	if p.out != nil && !p.drawn.IsZero() {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
