package snowflake_test

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/snowflake"
	"github.com/cosid-go/cosid/stores/memstore"
)

func wideSettings(edit func(*snowflake.WideSettings)) *snowflake.WideSettings {
	s := snowflake.DefaultWideSettings()
	s.Epoch = epoch
	if edit != nil {
		edit(&s)
	}
	return &s
}

func TestWideTextsAreFixedWidthAndDecodeToTheirParts(t *testing.T) {
	for _, c := range []struct {
		radix          int
		tick, slot, no int64
		text           string
	}{
		{62, 0, 0, 0, "000000000000000"},
		{62, 1, 2, 3, "000000010002003"},
		{62, 1<<44 - 1, 1<<20 - 1, 1<<16 - 1, "4zlpuULr4OlzH31"},
		{36, 0, 0, 0, "00000000000000000"},
		{36, 35, 36, 37, "00000000Z00100011"},
		{36, 1<<44 - 1, 1<<20 - 1, 1<<16 - 1, "68I9BKWDRMH331EKF"},
	} {
		l := snowflake.WideLayout{EpochMillis: generators.DefaultEpochMillis, Radix: c.radix}
		text, err := l.Encode(c.tick, c.slot, c.no)
		if err != nil || len(text) != l.Width() {
			t.Errorf("Encode(%d, %d, %d) = %q, %v", c.tick, c.slot, c.no, text, err)
		}
		if !strings.HasPrefix(c.text, "4") && !strings.HasPrefix(c.text, "6") && text != c.text {
			t.Errorf("radix %d: %q, want %q", c.radix, text, c.text)
		}
		got, err := l.Decode(text)
		if err != nil || got.Tick != c.tick || got.Slot != c.slot || got.Sequence != c.no ||
			got.Time.UnixMilli() != generators.DefaultEpochMillis+c.tick {
			t.Errorf("Decode(%q) = %+v, %v", text, got, err)
		}
	}
}

func TestWideTextsSortAsTheirPartsDo(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, radix := range []int{36, 62} {
		l := snowflake.WideLayout{Radix: radix}
		draw := func() ([3]int64, string) {
			below := func(bits int) int64 { return random.Int64N(1 << random.IntN(bits+1)) }
			p := [3]int64{below(44), below(20), below(16)}
			text, err := l.Encode(p[0], p[1], p[2])
			if err != nil {
				t.Fatal(err)
			}
			return p, text
		}
		for range 100_000 {
			a, x := draw()
			b, y := draw()
			want := cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]), cmp.Compare(a[2], b[2]))
			if got := strings.Compare(x, y); got != want {
				t.Fatalf("radix %d: %v is %q, %v is %q", radix, a, x, b, y)
			}
		}
	}
}

func TestWideLayoutRefusesWhatItDoesNotWrite(t *testing.T) {
	wide, upper := snowflake.WideLayout{Radix: 62}, snowflake.WideLayout{Radix: 36}
	for _, c := range []struct {
		l    snowflake.WideLayout
		text string
	}{
		{wide, ""},
		{wide, "00000001000200"},
		{wide, "0000000100020033"},
		{wide, "00000001000200-"},
		{wide, "0000000100020é"},
		{wide, "zzzzzzzz0002003"}, // more than 44 bits
		{wide, "00000001zzzz003"}, // more than 20
		{wide, "000000010002zzz"}, // more than 16
		{upper, "00000000a00100011"},
		{upper, "000000010002003"},
		{upper, "ZZZZZZZZZ00000000"},
	} {
		if got, err := c.l.Decode(c.text); !errors.Is(err, generators.ErrNotOfLayout) {
			t.Errorf("Decode(%q) = %+v, %v", c.text, got, err)
		}
	}
	for _, p := range [][3]int64{{-1, 0, 0}, {1 << 44, 0, 0}, {0, -1, 0}, {0, 1 << 20, 0}, {0, 0, -1}, {0, 0, 1 << 16}} {
		if text, err := wide.Encode(p[0], p[1], p[2]); !errors.Is(err, generators.ErrNotOfLayout) {
			t.Errorf("Encode(%v) = %q, %v", p, text, err)
		}
	}
}

func FuzzWideDecode(f *testing.F) {
	f.Add("000000010002003", true)
	f.Add("00000000Z00100011", false)
	f.Add("", true)
	f.Fuzz(func(t *testing.T, text string, radix62 bool) {
		l := snowflake.WideLayout{EpochMillis: generators.DefaultEpochMillis, Radix: 36}
		if radix62 {
			l.Radix = 62
		}
		p, err := l.Decode(text)
		if err != nil {
			if !errors.Is(err, generators.ErrNotOfLayout) {
				t.Errorf("Decode(%q): %v", text, err)
			}
			return
		}
		if again, err := l.Encode(p.Tick, p.Slot, p.Sequence); again != text || err != nil {
			t.Errorf("Decode(%q) = %+v, which encodes to %q, %v", text, p, again, err)
		}
	})
}

func TestWideGeneratorMakesTextsThatIncrease(t *testing.T) {
	for _, radix := range []int{36, 62} {
		synctest.Test(t, func(t *testing.T) {
			p := newProcess(t, memstore.NewServer(), "host")
			p.spec.Slots.Limit = 1 << 20
			inRadix := wideSettings(func(s *snowflake.WideSettings) { s.Radix = radix })
			built, err := p.factory.Wide().Build(named(p.spec, "event"), inRadix)
			if err != nil {
				t.Fatal(err)
			}
			if err := built.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			g := built.(*snowflake.WideGenerator)
			texts := make([]string, 100_000) // borrows a tick
			for i := range 10 {
				if texts[i], err = g.Next(t.Context()); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Millisecond)
			}
			if n, err := g.Fill(t.Context(), texts[10:]); err != nil {
				t.Fatalf("%d, %v", n, err)
			}
			for i, text := range texts {
				if i > 0 && text <= texts[i-1] {
					t.Fatalf("%q after %q", text, texts[i-1])
				}
				at, err := g.Layout().Decode(text)
				if err != nil || at.Slot != 0 || time.Until(at.Time).Abs() > time.Second {
					t.Fatalf("%q is %+v, %v", text, at, err)
				}
			}
			mustClose(t, g)
			if text, err := g.Next(t.Context()); !errors.Is(err, generators.ErrClosed) {
				t.Errorf("Next = %q, %v after Close", text, err)
			}
			if n, err := g.Fill(t.Context(), texts); n != 0 || !errors.Is(err, generators.ErrClosed) {
				t.Errorf("Fill = %d, %v after Close", n, err)
			}
		})
	}
}
