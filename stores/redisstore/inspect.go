package redisstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/cosid-go/cosid/stores"
)

// Ping implements stores.Pinger: each master has to answer a PING. A script runner that was handed in runs a script
// that changes nothing.
func (s *Store) Ping(ctx context.Context) error {
	err := s.within(ctx, func(ctx context.Context, l link) error {
		if l.masters == nil {
			_, err := s.probe(ctx, l, 0)
			return err
		}
		_, err := await(ctx, &s.io, func() (struct{}, error) {
			return struct{}{}, l.masters(ctx, func(ctx context.Context, name string, on server) error {
				if err := on.Ping(ctx).Err(); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				return nil
			})
		})
		return s.connectError(ctx, err)
	})
	if err != nil {
		return fmt.Errorf("redisstore: ping: %w", err)
	}
	return nil
}

// Inspect implements stores.Inspector. Its findings are what Start warns of, as of now.
func (s *Store) Inspect(ctx context.Context) (stores.Inspection, error) {
	var inspection stores.Inspection
	err := s.within(ctx, func(ctx context.Context, l link) (err error) {
		inspection, err = s.inspect(ctx, l)
		return err
	})
	if err != nil {
		return stores.Inspection{}, fmt.Errorf("redisstore: inspect: %w", err)
	}
	return inspection, nil
}

func (s *Store) inspect(ctx context.Context, l link) (stores.Inspection, error) {
	masters, err := await(ctx, &s.io, func() ([]master, error) { return inspectAll(ctx, l) })
	if err != nil {
		return stores.Inspection{}, s.connectError(ctx, err)
	}
	inspection := stores.Inspection{Server: describe(l, masters)}
	for _, m := range masters {
		if err := m.check(l.cluster != nil); err != nil {
			inspection.Findings = append(inspection.Findings, stores.Finding{
				Problem: "the store cannot write to this server",
				Remedy:  err.Error(),
			})
		}
	}
	for _, doubt := range s.doubts(l, masters, l.replicas) {
		if len(masters) > 1 {
			doubt.Problem = doubt.server + ": " + doubt.Problem
		}
		inspection.Findings = append(inspection.Findings, doubt.Finding)
	}
	v, err := s.probe(ctx, l, 0)
	if err != nil {
		inspection.Findings = append(inspection.Findings, stores.Finding{
			Problem: "the server does not run the store's scripts, so that nothing works",
			Remedy:  err.Error(),
		})
		return inspection, ctx.Err()
	}
	inspection.Now = v.probedTime()
	return inspection, nil
}

// probe lets those know at once who may not run scripts, the commands of a reserve in them, or WAIT. It asks every
// master: each has rights and names of commands of its own.
func (s *Store) probe(ctx context.Context, l link, replicas int) (verdict, error) {
	const key = "cosid:{probe}"
	if l.cluster == nil {
		return s.probeOn(ctx, l.runner, replicas, ScriptCall{Script: s.scripts.probe, Keys: []string{key}})
	}
	masters, err := await(ctx, &s.io, func() ([]node, error) { return s.eachMaster(ctx, l) })
	var v verdict
	for _, master := range masters {
		if v, err = s.probeOn(ctx, master.runner, replicas, ScriptCall{Script: s.scripts.probe, Args: []string{key}}); err != nil {
			return v, fmt.Errorf("%s: %w", master.name, err)
		}
	}
	return v, err
}

func (s *Store) probeOn(ctx context.Context, on ScriptRunner, replicas int, call ScriptCall) (verdict, error) {
	v, err := s.runOn(ctx, on, replicas, call)
	if command := v.refusal(); command != "" {
		return v, fmt.Errorf("the server has disabled or renamed %s, or this user may not use it: allow %s", command, rights)
	}
	return v, err
}

// probedTime is the clock that probe.lua has read, or the zero time.
func (v verdict) probedTime() time.Time {
	seconds, err1 := strconv.ParseInt(v.value(0), 10, 64)
	micros, err2 := strconv.ParseInt(v.value(1), 10, 64)
	if errors.Join(err1, err2) != nil {
		return time.Time{}
	}
	return time.Unix(seconds, micros*int64(time.Microsecond))
}

// describe names the product, its version and its topology.
func describe(l link, masters []master) string {
	if len(masters) == 0 {
		return "Redis behind the script runner that was handed in"
	}
	first := masters[0]
	text := "Redis"
	if first.version != "" {
		text += " " + first.version
	}
	switch {
	case l.cluster != nil:
		text += fmt.Sprintf(", a cluster of %d masters, of which %s has %s", len(masters), first.name, first.company())
	case l.failover:
		text += ", " + first.role() + " named by Sentinel with " + first.company()
	default:
		text += ", " + first.role() + " with " + first.company()
	}
	return text
}

func (m *master) role() string {
	if m.isReplica {
		return "a replica"
	}
	return "a master"
}

func (m *master) company() string {
	switch m.replicas {
	case -1:
		return "an unknown number of replicas"
	case 0:
		return "no replica"
	case 1:
		return "1 replica"
	default:
		return strconv.Itoa(m.replicas) + " replicas"
	}
}
