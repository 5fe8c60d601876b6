package main

import (
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/cosid-go/cosid/cmd/internal/cli"
	"github.com/cosid-go/cosid/stores"
)

func newSlots(t *cli.Tool) *cobra.Command {
	var store, namespace string
	cmd := &cobra.Command{
		Use:   "slots",
		Short: "Show who holds which machine slot, since when and until when",
		Long: `Slots shows the machine slots of the configuration's namespace that were ever granted. SINCE is the beginning of
the present time window, and UNTIL the time at which others may take the slot, unless it is renewed; both are the
store's time. The ids of a slot lie below WINDOW END. FENCE counts the grants.`,
		Example: `  cosid slots
  cosid slots --store redis --namespace shop`,
		Args: cli.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if namespace != "" && stores.CheckName(namespace) != nil {
				return cli.Usagef("--namespace %q does not match %s", namespace, stores.NameGrammar)
			}
			cfg, err := t.LoadConfig()
			if err != nil {
				return err
			}
			chosen, err := cli.Stores(cfg, store)
			if err != nil {
				return err
			}
			if namespace == "" {
				namespace = cfg.Namespace
			}
			list := &slotList{Namespace: namespace, Slots: []slot{}}
			list.Without, err = look(cmd.Context(), chosen, "leases slots", func(name string, admin stores.SlotAdmin) error {
				table, err := admin.Slots(cmd.Context(), namespace)
				list.add(name, table)
				return err
			})
			if err != nil && len(list.Slots) == 0 {
				return err
			}
			return errors.Join(t.Show(list), err)
		},
	}
	t.StoreFlag(cmd, &store, "look only at the store `NAME`")
	cmd.Flags().StringVar(&namespace, "namespace", "", "look at the namespace `NAME` instead of the configuration's")
	return cmd
}

// slotList are the slots of one namespace.
type slotList struct {
	Namespace string `json:"namespace"`
	Slots     []slot `json:"slots"`

	// Without are the stores that lease no slots.
	Without []string `json:"without,omitempty"`
}

type slot struct {
	Store       string    `json:"store"`
	Slot        int64     `json:"slot"`
	State       slotState `json:"state"`
	Owner       string    `json:"owner,omitempty"`
	Incarnation string    `json:"incarnation,omitempty"`
	LastOwner   string    `json:"last_owner,omitempty"`
	Fence       string    `json:"fence"`
	Since       string    `json:"since,omitempty"`
	Until       string    `json:"until,omitempty"`
	WindowEnd   string    `json:"window_end,omitempty"`
}

type slotState string

const (
	leased   slotState = "leased"
	expired  slotState = "expired"  // anybody may take it
	released slotState = "released" // given back
)

func (l *slotList) add(store string, table stores.SlotTable) {
	for _, row := range table.Rows {
		state := leased
		switch {
		case row.ExpiresAt == 0:
			state = released
		case row.ExpiresAt <= table.StoreNow:
			state = expired
		}
		l.Slots = append(l.Slots, slot{
			Store: store, Slot: row.Slot, State: state,
			Owner: row.Owner, Incarnation: row.Incarnation, LastOwner: row.LastOwner,
			Fence: strconv.FormatInt(row.Fence, 10),
			Since: moment(row.Floor), Until: moment(row.ExpiresAt), WindowEnd: moment(row.Ceiling),
		})
	}
}

// Text writes one row a slot.
func (l *slotList) Text(p *cli.Page) {
	for _, store := range l.Without {
		p.Linef("Store %s leases no slots.", store)
	}
	if len(l.Slots) == 0 {
		p.Linef("No slot was ever leased in namespace %s.", l.Namespace)
		return
	}
	var rows [][]cli.Cell
	for _, s := range l.Slots {
		owner := s.Owner
		if s.State == released && s.LastOwner != "" {
			owner = "(" + s.LastOwner + ")"
		}
		rows = append(rows, []cli.Cell{
			cli.Left(s.Store), cli.Right(strconv.FormatInt(s.Slot, 10)), cli.Left(string(s.State)), cli.Left(owner),
			cli.Right(s.Fence), cli.Left(s.Since), cli.Left(s.Until), cli.Left(s.WindowEnd),
		})
	}
	p.Table([]string{"STORE", "SLOT", "STATE", "OWNER", "FENCE", "SINCE", "UNTIL", "WINDOW END"}, rows)
}
