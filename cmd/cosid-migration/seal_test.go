package main

import (
	"context"
	"testing"

	"github.com/cosid-go/cosid/cmd/internal/cli"
	"github.com/cosid-go/cosid/stores"
)

func TestSealEndsPeriodsThatAreOver(t *testing.T) {
	tr := inShop(t, shop)
	holds(t, tr.memory1, "shop/bill/20251231", "shop/bill/20261129!", "shop/bill/20261130", "shop/bills/20200101", "shop/order")
	holds(t, tr.memory2, "shop/early/20261129")
	const before = "shop/bill/20251231 shop/bill/20261129! shop/bill/20261130 shop/bills/20200101 shop/order"
	golden(t, "seal-dry", tr.run(t, "seal --before 20261130").fine(t))
	expectKeys(t, tr.memory1, before)
	golden(t, "seal", tr.run(t, "seal --before 20261130 --yes").fine(t))
	expectKeys(t, tr.memory1, "shop/bill/20251231! shop/bill/20261129! shop/bill/20261130 shop/bills/20200101 shop/order")
	expectKeys(t, tr.memory2, "shop/early/20261129!")
	golden(t, "seal-again.json", tr.run(t, "seal --before 20261130 --yes --generator bill --output json").fine(t))
}

func TestSealEndsOnePeriodEvenIfItWasNeverUsed(t *testing.T) {
	tr := inShop(t, shop)
	golden(t, "seal-one", tr.run(t, "seal --period 20261128 --generator bill --yes").fine(t))
	expectKeys(t, tr.memory1, "shop/bill/20261128!")
	golden(t, "seal-one-again", tr.run(t, "seal --period 20261128 --generator bill --yes").fine(t))
	for _, period := range []string{"20261130", "20261201"} {
		tr.run(t, "seal --period "+period+" --generator bill --yes").fails(t, cli.ExitFailure, "period "+period+
			" of generator \"bill\" is not over: it is 20261130 in Asia/Shanghai; the current period and what follows are never touched")
	}
	expectKeys(t, tr.memory1, "shop/bill/20261128!")
}

// reserving has no ability but to reserve, and perhaps to list.
type reserving struct {
	stores.Store
	stores.RangeStore
}

type listing struct {
	reserving
	stores.RangeAdmin
}

// unable says that it cannot seal, as a wrapper around another store does.
type unable struct{ listing }

func (unable) Seal(context.Context, string) (bool, error) { return false, nil }

func TestAStoreWithoutTheAbilityIsSaidToHaveNone(t *testing.T) {
	bare := func(s stores.Store) stores.Store { return reserving{s, s.(stores.RangeStore)} }
	lists := func(s stores.Store) stores.Store {
		return listing{reserving{s, s.(stores.RangeStore)}, s.(stores.RangeAdmin)}
	}
	for _, c := range []struct {
		faulty        func(stores.Store) stores.Store
		command, line string
	}{
		{bare, "purge --before 20261130", `store "db" (type memory1) gives operators no hand in its keys`},
		{bare, "import --generator order --next 1", `store "db" (type memory1) gives operators no hand in its keys`},
		{lists, "seal --before 20261130", `store "db" (type memory1) cannot seal keys`},
		{
			func(s stores.Store) stores.Store { return unable{lists(s).(listing)} },
			"seal --period 20261128 --generator bill --yes", `store "db" (type memory1) cannot seal keys`,
		},
	} {
		tr := inShop(t, shop)
		tr.faulty = c.faulty
		tr.run(t, c.command).fails(t, cli.ExitFailure, c.line)
	}
}
