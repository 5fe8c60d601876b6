package codecs

import "fmt"

// Builtin is the parts of this package, each under the name by which a configuration writes it: radix, decimal,
// prefix, suffix, date-prefix, period and friendly.
func Builtin() []PartFactory {
	return []PartFactory{
		factory[RadixSettings]{"radix", DefaultRadixSettings, Radix},
		factory[DecimalSettings]{"decimal", zero[DecimalSettings], decimalFrom},
		factory[LiteralSettings]{"prefix", zero[LiteralSettings], literalFrom(Prefix)},
		factory[LiteralSettings]{"suffix", zero[LiteralSettings], literalFrom(Suffix)},
		factory[DatePrefixSettings]{"date-prefix", zero[DatePrefixSettings], DatePrefix},
		factory[PeriodSettings]{"period", zero[PeriodSettings], Period},
		factory[FriendlySettings]{"friendly", zero[FriendlySettings], Friendly},
	}
}

// factory is the PartFactory of a part with the settings S.
type factory[S any] struct {
	name     string
	defaults func() S
	build    func(S) (Part, error)
}

func (f factory[S]) Name() string { return f.name }

func (f factory[S]) NewSettings() any {
	settings := f.defaults()
	return &settings
}

func (f factory[S]) Build(settings any) (Part, error) {
	s, ok := settings.(*S)
	if !ok {
		return nil, fmt.Errorf("codecs: %s: settings are a %T, not a %T", f.name, settings, (*S)(nil))
	}
	return f.build(*s)
}

func zero[S any]() (s S) { return s }
