package redisstore_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/redisstore"
)

func TestWaitIsReadAsItIsWritten(t *testing.T) {
	for text, want := range map[string]redisstore.Wait{
		"auto": redisstore.WaitAuto(), "off": redisstore.WaitFor(0),
		"1": redisstore.WaitFor(1), "9999": redisstore.WaitFor(9999),
	} {
		var got redisstore.Wait
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want || got.String() != text {
			t.Errorf("%q is read as %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "-1", "01", "+1", "10000", "AUTO", "on", "true", "false", " 1", "1.0"} {
		wait := redisstore.WaitFor(7)
		err := wait.UnmarshalText([]byte(text))
		if mistake, ok := errors.AsType[*field.Error](err); !ok || !strings.Contains(mistake.Accepted, "auto, off") {
			t.Errorf("%q: %v, want an error that says what is accepted", text, err)
		}
	}
}

func TestOptionsDefaults(t *testing.T) {
	options, ok := redisstore.Factory{}.NewOptions().(*redisstore.Options)
	if !ok || options.Wait != redisstore.WaitAuto() || options.SweepBatch != 16 || options.Cluster {
		t.Errorf("the defaults are %+v", options)
	}
	if word := (redisstore.Factory{}).Type(); word != "redis" {
		t.Errorf("the type is %q", word)
	}
}

func TestMistakesNameTheirKeys(t *testing.T) {
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"})
	defer client.Close()
	withClient := redisstore.Factory{Client: client}
	withRunner := redisstore.Factory{Runner: &countingRunner{}}
	for _, test := range []struct {
		name    string
		factory redisstore.Factory
		change  func(*redisstore.Options)
		key     string
	}{
		{"no uri and no client", redisstore.Factory{}, func(o *redisstore.Options) {}, "uri"},
		{"a wrong uri beside a client", withClient, func(o *redisstore.Options) { o.URI = "redis" }, "uri"},
		{"cluster without a uri", withClient, func(o *redisstore.Options) { o.Cluster = true }, "cluster"},
		{"sentinel without a uri", withClient, func(o *redisstore.Options) { o.SentinelMaster = "x" }, "sentinel-master"},
		{"auto with a runner", withRunner, func(o *redisstore.Options) {}, "wait"},
		{"no sweep batch", withClient, func(o *redisstore.Options) { o.SweepBatch = 0 }, "sweep-batch"},
		{"too large a sweep batch", withClient, func(o *redisstore.Options) { o.SweepBatch = 1001 }, "sweep-batch"},
	} {
		t.Run(test.name, func(t *testing.T) {
			options := test.factory.NewOptions().(*redisstore.Options)
			test.change(options)
			for which, err := range map[string]error{
				"Validate": options.Validate(),
				"New":      second(test.factory.New(patientSpec(), *options)),
			} {
				if mistake, ok := errors.AsType[*field.Error](err); !ok || mistake.Key != test.key {
					t.Errorf("%s answered %v, want a field.Error of %s", which, err, test.key)
				}
			}
		})
	}
}

func second(_ *redisstore.Store, err error) error { return err }

func TestFactoryRefusesWhatItCannotUse(t *testing.T) {
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"})
	defer client.Close()
	ring := redis.NewRing(&redis.RingOptions{Addrs: map[string]string{"a": "127.0.0.1:1"}})
	defer ring.Close()
	conn := client.Conn()
	defer conn.Close()
	for _, test := range []struct {
		name    string
		factory redisstore.Factory
		says    string
	}{
		{"a ring", redisstore.Factory{Client: ring}, "Ring"},
		{"a client of another kind", redisstore.Factory{Client: struct{ *redis.Client }{client}}, "WAIT"},
		{"a nil client", redisstore.Factory{Client: (*redis.Client)(nil)}, "nil"},
		{"a nil cluster client", redisstore.Factory{Client: (*redis.ClusterClient)(nil)}, "nil"},
		{"two of them", redisstore.Factory{Client: client, Conn: conn}, "several"},
	} {
		t.Run(test.name, func(t *testing.T) {
			store, err := test.factory.New(patientSpec(), redisstore.DefaultOptions())
			if err == nil || store != nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("answered %v, want it to say %q", err, test.says)
			}
		})
	}
	factory := redisstore.Factory{Client: client}
	if _, err := factory.New(stores.Spec{Name: "x"}, redisstore.DefaultOptions()); err == nil {
		t.Error("a store without timeout was built")
	}
	if store, err := (redisstore.Factory{}).Build(patientSpec(), &struct{}{}); err == nil || store != nil {
		t.Errorf("foreign options: %v, %v", store, err)
	}
}

func TestBuildAndCloseDoNoIO(t *testing.T) {
	factory := redisstore.Factory{}
	options := optionsFor("redis://192.0.2.1:6379", redisstore.WaitAuto()) // answers nobody
	begin := time.Now()
	store, err := factory.Build(patientSpec(), &options)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(store.Close(), store.Close()); err != nil || time.Since(begin) > time.Second {
		t.Errorf("build and close took %v: %v", time.Since(begin), err)
	}
	if err := store.Start(context.Background()); !errors.Is(err, stores.ErrClosed) {
		t.Errorf("start after close: %v", err)
	}
}
