package main

import (
	"fmt"
	"time"

	"github.com/cosid-go/cosid/cmd/internal/cli"
)

// sayInterval is how often a long command says how far it is where no bar can be drawn.
const sayInterval = 5 * time.Second

// progress shows how far a command is: a bar on a terminal, a plain line now and then elsewhere.
type progress struct {
	tool  *cli.Tool
	bar   *cli.Progress
	verb  string
	total int
	said  time.Time
}

func newProgress(t *cli.Tool, verb string, total int) *progress {
	return &progress{tool: t, bar: t.NewProgress(), verb: verb, total: total, said: t.Now()}
}

func (p *progress) at(n int) {
	note := fmt.Sprintf("%s: %d of %d keys", p.verb, n, p.total)
	if p.bar.Visible() {
		p.bar.Show(float64(n)/float64(p.total), note)
		return
	}
	if now := p.tool.Now(); now.Sub(p.said) >= sayInterval {
		p.said = now
		fmt.Fprintln(p.tool.Stderr, note)
	}
}

func (p *progress) done() { p.bar.Done() }
