package redact_test

import (
	"strings"
	"testing"

	"github.com/cosid-go/cosid/internal/redact"
)

func TestSecretsAreTakenOutAndTheRestStays(t *testing.T) {
	for text, want := range map[string]string{
		"dial redis://app:hunter2@redis:6379/0: refused":       "dial redis://***@redis:6379/0: refused",
		"redis://:hunter2@a:1,redis://:hunter2@b:2 failed":     "redis://***@b:2 failed",
		`parse "rediss://u:hunt/er2@x@h:1": invalid`:           `parse "rediss://***@h:1": invalid`,
		"app:hunter2@tcp(db:3306)/shop: refused":               "app:***@tcp(db:3306)/shop: refused",
		"dial app:hun ter2@tcp(db:3306)/shop: refused":         "dial app:***@tcp(db:3306)/shop: refused",
		"app:hun@ter2@(db)/shop":                               "app:***@(db)/shop",
		"host=db password=hunter2 user=app":                    "host=db password=*** user=app",
		"password='hunter2 x' port=1":                          "password=*** port=1",
		"postgres://db/shop?user=app&password=hunter2&x=1":     "postgres://db/shop?user=app&password=***&x=1",
		`redisstore: reserve "shop/bill": connection refused`:  `redisstore: reserve "shop/bill": connection refused`,
		"dial tcp 127.0.0.1:6379: connect: connection refused": "dial tcp 127.0.0.1:6379: connect: connection refused",
	} {
		got := redact.Text(text)
		if got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
		if strings.Contains(got, "hunt") || strings.Contains(got, "er2") {
			t.Errorf("%q still shows its password: %q", text, got)
		}
	}
}

func TestValuesKeepWhatIsNotThePassword(t *testing.T) {
	for value, want := range map[string]string{
		"redis://redis:6379/0":                        "redis://redis:6379/0",
		"redis://app:hunter2@redis:6379/0":            "redis://app:***@redis:6379/0",
		"redis://:hunter2@redis:6379":                 "redis://:***@redis:6379",
		"redis+sentinel://u:hunter2@a:1,b:2/m":        "redis+sentinel://u:***@a:1,b:2/m",
		"rediss://u:hunt/er2@h:1":                     "rediss:***@h:1", // no URL: hidden from its first colon on
		"app:hunter2@tcp(db:3306)/shop":               "app:***@tcp(db:3306)/shop",
		"app:hun ter2@tcp(db:3306)/shop":              "app:***@tcp(db:3306)/shop",
		"host=db user=app password=hunter2 dbname=x":  "host=db user=app password=*** dbname=x",
		"postgres://db/x?password=hunter2&sslmode=on": "postgres://db/x?password=***&sslmode=on",
		"data/cosid.db":                               "data/cosid.db",
		"shop-3@example:80":                           "shop-3@example:80",
	} {
		if got := redact.Value(value); got != want {
			t.Errorf("%q became %q, want %q", value, got, want)
		}
	}
}
