package gormstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/cosid-go/cosid/stores"
)

// defect is something that an operator has to mend before the store can be used.
type defect struct{ problem, remedy string }

func (d *defect) Error() string { return d.problem + "; " + d.remedy }

// explain adds to an error of a statement that changes nothing what can be done about it.
func (s *Store) explain(operation string, err error) error {
	if advice := s.dialect.diagnose(err).advice; advice != "" {
		return fmt.Errorf("%s: %s: %w", operation, advice, err)
	}
	return fmt.Errorf("%s: %w", operation, err)
}

// written explains an error of a statement that changes something, sent within ctx. Unless it is known to have
// changed nothing, its outcome is unknown.
func (s *Store) written(ctx context.Context, err error) error {
	switch {
	case s.dialect.diagnose(err).harmless:
		return s.explain("write", err)
	case isContextError(err):
		return fmt.Errorf("%w: %w", stores.ErrOutcomeUnknown, causeOf(ctx, err))
	default:
		return fmt.Errorf("%w: %w", stores.ErrOutcomeUnknown, s.explain("write", err))
	}
}

func isContextError(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// causeOf tells the store's own timeout from a deadline of the caller.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}
