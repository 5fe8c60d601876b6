package customtypes_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"
	"path/filepath"

	"go.uber.org/fx"

	"github.com/cosid-go/cosid"
	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/examples/custom-types/filestore"
	"github.com/cosid-go/cosid/examples/custom-types/luhn"
	"github.com/cosid-go/cosid/examples/custom-types/sequence"
	"github.com/cosid-go/cosid/fxmodule"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/stores"
)

// A store type, a strategy and a codec part of your own, in plain Go. YAML names them like the built-in ones, and mixes
// them with those.
func Example_plainGo() {
	dir, remove := write(`
cosid:
  namespace: shop
  stores:
    disk: { type: files, timeout: 2s, options: { dir: "${IDS_DIR}" } }
  generators:
    ticket: { strategy: sequence, initial-offset: 1000, codec: [ { prefix: "T-" }, { luhn: { width: 6 } } ] }
    order: { strategy: segment }
`)
	defer remove()

	ctx := context.Background()
	ids, err := cosid.Open(ctx, cosid.Options{
		Source:     source(dir),
		Logger:     slog.New(slog.DiscardHandler),
		Stores:     []stores.Factory{filestore.Factory{}},
		Strategies: []generators.Factory{sequence.Factory{}},
		Parts:      []codecs.PartFactory{luhn.Factory{}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer ids.Close(ctx)

	ticket, err := ids.Get("ticket")
	if err != nil {
		log.Fatal(err)
	}
	for range 2 {
		text, err := ticket.NextString(ctx)
		fmt.Println(text, err)
	}
	number, err := ticket.Codec().Decode("T-0010017")
	fmt.Println(number, err)
	_, err = ticket.Codec().Decode("T-0010071")
	fmt.Println(err)
	// Output:
	// T-0010009 <nil>
	// T-0010017 <nil>
	// 1001 <nil>
	// codecs: decode "T-0010071": byte 8 (luhn): the check digit is 1, of these digits it would be 4: one is wrong
}

// The same through fx: AsStore, AsStrategy and AsCodecPart take constructors, which may have dependencies of their own.
func Example_fx() {
	dir, remove := write(`
cosid:
  namespace: shop
  stores:
    disk: { type: files, options: { dir: "${IDS_DIR}" } }
  generators:
    ticket: { strategy: sequence, codec: [ { prefix: "T-" }, luhn ] }
`)
	defer remove()

	newStore := func() filestore.Factory { return filestore.Factory{} }
	newStrategy := func() sequence.Factory { return sequence.Factory{} }
	newPart := func() luhn.Factory { return luhn.Factory{} }

	var filler *cosid.Filler
	app := fx.New(
		fx.NopLogger,
		fx.Supply(source(dir), slog.New(slog.DiscardHandler)),
		fx.Provide(
			cosid.Module,
			fxmodule.AsStore(newStore),
			fxmodule.AsStrategy(newStrategy),
			fxmodule.AsCodecPart(newPart),
		),
		fx.Populate(&filler),
	)
	ctx := context.Background()
	if err := app.Start(ctx); err != nil {
		log.Fatal(err)
	}
	defer app.Stop(ctx)

	var ticket struct {
		ID int64  `cosid:"ticket"`
		No string `cosid:"ticket"`
	}
	err := filler.Fill(ctx, &ticket)
	fmt.Println(ticket.ID, ticket.No, err)
	// Output:
	// 1 T-26 <nil>
}

// Mistakes in options and settings of your own are reported like all others, with their places: Validate names the key,
// the report adds the rest.
func Example_mistakes() {
	dir, remove := write(`
cosid:
  namespace: shop
  stores:
    disk:
      type: files
      options: { poll: 2m }
  generators:
    ticket: { strategy: sequence, initial-offset: -1 }
    bill: { strategy: segment, codec: [ { luhn: { widht: 6 } } ] }
`)
	defer remove()

	_, err := cosid.Open(context.Background(), cosid.Options{
		Source:     source(dir),
		Logger:     slog.New(slog.DiscardHandler),
		Stores:     []stores.Factory{filestore.Factory{}},
		Strategies: []generators.Factory{sequence.Factory{}},
		Parts:      []codecs.PartFactory{luhn.Factory{}},
	})
	fmt.Println(err)
	// Output:
	// cosid: 4 mistakes in the configuration:
	//   cosid.yaml:7:7: cosid.stores.disk.options.dir: missing; accepted: an existing directory on a local disk
	//   cosid.yaml:7:18: cosid.stores.disk.options.poll: 2m0s is out of bounds; accepted: a duration such as 1ms, up to 1s
	//   cosid.yaml:9:35: cosid.generators.ticket.initial-offset: -1 is out of bounds; accepted: 0 to 2^63-2
	//   cosid.yaml:10:51: cosid.generators.bill.codec[0].luhn.widht: no such key; accepted: width; did you mean "width"?
}

// write puts cosid.yaml into a new directory.
func write(yaml string) (dir string, remove func()) {
	dir, err := os.MkdirTemp("", "custom-types")
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "cosid.yaml"), []byte(yaml), 0o600); err != nil {
		log.Fatal(err)
	}
	return dir, func() { os.RemoveAll(dir) }
}

// source reads cosid.yaml in dir. The ids are kept there too.
func source(dir string) cosid.Source {
	return cosid.Source{Dir: dir, Files: []string{"cosid.yaml"}, Environ: []string{"IDS_DIR=" + dir}}
}
