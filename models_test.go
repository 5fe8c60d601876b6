package cosid_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/fx"

	"github.com/cosid-go/cosid"
)

func appWithModels(t *testing.T, section string, models ...any) *fx.App {
	dir := t.TempDir()
	_ = os.WriteFile(filepath.Join(dir, "cosid.yaml"), []byte(section), 0o600)
	return fx.New(fx.NopLogger, fx.Supply(cosid.Source{Dir: dir, Environ: []string{"N=1"}}), fx.Provide(cosid.Module),
		cosid.Models(models...), fx.Invoke(func(*cosid.Runtime) {}))
}

func TestADisabledApplicationWithModelsStarts(t *testing.T) {
	type Row struct {
		ID int64 `cosid:"order"`
	}
	if err := appWithModels(t, "cosid: { enabled: false }\n", Row{}).Err(); err != nil {
		t.Error(err)
	}
}

func TestAMistakeInATagIsReportedOnce(t *testing.T) {
	type Item struct {
		ID int64 `cosid:"nope"`
	}
	type Order struct{ Items []Item }
	type Bill struct{ Order Order }
	err := appWithModels(t, "cosid:\n  namespace: x\n  stores: { db: { type: memory } }\n  generators: { order: { strategy: segment } }\n", Item{}, Order{}, Bill{}).Err()
	if n := strings.Count(err.Error(), "Item.ID"); n != 1 {
		t.Errorf("%d times: %v", n, err)
	}
}
