package redisstore

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/cosid-go/cosid/internal/lifecycle"
	"github.com/cosid-go/cosid/stores"
)

// Store keeps ranges and slots in Redis: a RangeStore, a Sealer and a SlotLeaseStore, with what operators ask of a
// store. It is safe for concurrent use; stores on one Redis, in any number of processes, count as one store. Make it
// with Factory.New.
type Store struct {
	spec    stores.Spec
	options Options
	scripts scripts
	open    func() (link, error)

	bounds bounds

	life lifecycle.Life[link]
	io   sync.WaitGroup // what Start and calls have sent, which their contexts do not end
}

var (
	_ stores.Store          = (*Store)(nil)
	_ stores.RangeStore     = (*Store)(nil)
	_ stores.Sealer         = (*Store)(nil)
	_ stores.SlotLeaseStore = (*Store)(nil)
	_ stores.Pinger         = (*Store)(nil)
	_ stores.Inspector      = (*Store)(nil)
	_ stores.RangeAdmin     = (*Store)(nil)
	_ stores.SlotAdmin      = (*Store)(nil)
)

// minTimeout leaves WAIT its milliseconds.
const minTimeout = 10 * time.Millisecond

// Close waits for the calls in flight, and for what calls that were cancelled have left behind, and closes what Start
// opened: never a client that was handed in. The timeout bounds it; through a client that keeps no contexts
// (ContextTimeoutEnabled) a server that stands still can make it a few times that. It is safe before Start and more
// than once.
func (s *Store) Close() error {
	err := s.life.Close(link.shut)
	s.io.Wait()
	if err != nil {
		return fmt.Errorf("redisstore: close %q: %w", s.spec.Name, err)
	}
	return nil
}

func (l link) shut() error {
	if l.close == nil {
		return nil
	}
	return l.close()
}

// verdict is what a script of the store returns: a word, and what goes with it.
type verdict struct {
	name   string
	values []string
}

// refusal is why the script has written nothing that anybody needs to keep; empty if it has.
func (v verdict) refusal() string {
	if v.name == refused {
		return v.value(0)
	}
	return ""
}

// value is what stands at this place, or empty.
func (v verdict) value(i int) string {
	if i < len(v.values) {
		return v.values[i]
	}
	return ""
}

// unexpected is the error of a verdict that the script never gives, as far as this version knows.
func (v verdict) unexpected() error {
	return fmt.Errorf("%w: the script answered %q", stores.ErrOutcomeUnknown, append([]string{v.name}, v.values...))
}

const refused = "refused"

// run runs a script within ctx and the store's timeout, and counts the replicas that acknowledge it.
func (s *Store) run(ctx context.Context, call ScriptCall) (verdict, error) {
	var v verdict
	err := s.during(ctx, func(l link) (err error) {
		v, err = s.runOn(ctx, l.runner, l.replicas, call)
		return err
	})
	return v, err
}

// during lets do use the link of an open store.
func (s *Store) during(ctx context.Context, do func(l link) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l, err := s.life.Enter()
	if err != nil {
		return err
	}
	defer s.life.Leave()
	return do(l)
}

// within is during, within the store's timeout.
func (s *Store) within(ctx context.Context, do func(ctx context.Context, l link) error) error {
	return s.during(ctx, func(l link) error {
		ctx, cancel := s.bounds.limit(ctx)
		defer cancel()
		return do(ctx, l)
	})
}

// runOn is run on a runner of a link.
func (s *Store) runOn(ctx context.Context, on ScriptRunner, replicas int, call ScriptCall) (verdict, error) {
	if replicas > 0 {
		call.Replicas, call.WaitTimeout = replicas, waitTimeout(s.spec.Timeout)
	}
	reply, err := on.RunScript(ctx, call)
	if err != nil {
		return verdict{}, err
	}
	v, err := readVerdict(reply.Value)
	if err == nil && v.name != refused && reply.Acknowledged < replicas {
		return verdict{}, fmt.Errorf("%w: %d of %d replicas acknowledged within %v: bring them back, or lower `wait`",
			stores.ErrOutcomeUnknown, reply.Acknowledged, replicas, call.WaitTimeout)
	}
	return v, err
}

// waitTimeout is what WAIT may take of the store's timeout, within which its answer has to arrive, too: Redis may look
// at its clock only every 100 ms. A caller with less time gets the end of its context instead of an answer.
func waitTimeout(timeout time.Duration) time.Duration {
	reserve := min(max(timeout/10, 150*time.Millisecond), timeout/2)
	return (timeout - reserve).Truncate(time.Millisecond)
}

func readVerdict(value any) (verdict, error) {
	words, ok := value.([]any)
	texts := make([]string, len(words))
	for i, word := range words {
		text, isText := word.(string)
		ok = ok && isText
		texts[i] = text
	}
	if !ok || len(words) == 0 {
		return verdict{}, fmt.Errorf("%w: the script answered %v", stores.ErrOutcomeUnknown, value)
	}
	return verdict{name: texts[0], values: texts[1:]}, nil
}
