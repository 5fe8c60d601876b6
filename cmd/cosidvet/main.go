// Cosidvet reports `cosid:"…"` struct tags that can never be filled, before the program runs. In a checkout of
// cosid, and then in the module of the program:
//
//	go -C cmd/cosidvet install .
//	go vet -vettool=$(which cosidvet) ./...
//
// With the configuration it also reports tags that name no generator or codec of it, and numbers drawn from
// a generator that makes grouped ids:
//
//	go vet -vettool=$(which cosidvet) -config cosid.yaml ./...
//
// It runs without go vet too: cosidvet -config cosid.yaml ./... exits with 0 if nothing was found, with 3 if something
// was, and with 1 if it could not look. Package tags has the rules.
package main

import (
	"log"
	"os"

	"golang.org/x/tools/go/analysis/singlechecker"
)

func main() {
	args, err := uncached(os.Args)
	if err != nil {
		log.Fatalf("cosidvet: %v", err)
	}
	os.Args = args
	singlechecker.Main(newAnalyzer())
}
