package storetest

import "fmt"

// The checks of S1 and S3.

func disjointInSequence(t *trial) error {
	clients, err := t.openMany(3)
	if err != nil {
		return err
	}
	sizes := []int64{1, 100, 7, 1, 1000, 3}
	var h history
	for i := range 60 {
		if _, err := h.reserve(t.ctx, clients[i%len(clients)], t.key("bill"), sizes[i%len(sizes)], 1); err != nil {
			return err
		}
	}
	return h.check()
}

func disjointUnderConcurrency(t *trial) error {
	const callers, rounds = 12, 25
	clients, err := t.openMany(4)
	if err != nil {
		return err
	}
	var h history
	err = parallel(callers, func(caller int) error {
		for range rounds {
			_, err := h.reserve(t.ctx, clients[caller%len(clients)], t.key("bill"), int64(1+caller), 1)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return h.check()
}

func sizesChange(t *trial) error {
	client, err := t.open()
	if err != nil {
		return err
	}
	var h history
	for _, size := range []int64{2000, 2000, 100, 100, 1, 5000, 1, 2000, 100} {
		if _, err := h.reserve(t.ctx, client, t.key("bill"), size, 1); err != nil {
			return fmt.Errorf("with the sizes changing: %w", err)
		}
	}
	return h.check()
}

func clientsOfOtherSizes(t *trial) error {
	clients, err := t.openMany(3)
	if err != nil {
		return err
	}
	sizes := []int64{2000, 100, 1} // one of each client
	var h history
	// Each client reserves twice in a row too, when another has reserved in between and when none has.
	for _, turn := range []int{0, 1, 0, 2, 2, 1, 0, 0, 1, 2, 0, 1, 1, 0} {
		if _, err := h.reserve(t.ctx, clients[turn], t.key("bill"), sizes[turn], 1); err != nil {
			return fmt.Errorf("client %d: %w", turn, err)
		}
	}
	return h.check()
}
