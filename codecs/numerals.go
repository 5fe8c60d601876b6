package codecs

import (
	"math"
	"math/bits"
)

// defaultAlphabet has the digits of every radix up to 62; its characters ascend.
const defaultAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// maxDigits is room for the longest number, MaxInt64 in radix 2.
const maxDigits = 64

const noDigit = 0xff

// numerals writes and reads numbers up to MaxInt64 in one radix.
type numerals struct {
	radix   uint64
	square  divisor         // divides by two digits at a time
	inverse uint64          // 2^32 / radix, rounded up: pair * inverse >> 32 == pair / radix below radix^2
	digits  [maxDigits]byte // digit of a value
	values  [256]byte       // value of a digit, or noDigit
}

// newNumerals takes an alphabet of 2 to 62 distinct bytes, the zero digit first.
func newNumerals(alphabet string) *numerals {
	radix := uint64(len(alphabet))
	s := &numerals{radix: radix, square: newDivisor(radix * radix), inverse: (1<<32 + radix - 1) / radix}
	for i := range s.values {
		s.values[i] = noDigit
	}
	for i := range len(alphabet) {
		s.digits[i] = alphabet[i]
		s.values[alphabet[i]] = byte(i)
	}
	return s
}

// format writes n at the end of buf, without leading zeros, and returns the index of its first digit. It takes two
// digits at a time, because each division has to wait for the one before.
func (s *numerals) format(buf *[maxDigits]byte, n uint64) int {
	i := len(buf)
	for n >= s.square.by {
		var pair uint64
		n, pair = s.square.divide(n)
		i -= 2
		s.put(buf, i, pair)
	}
	if n >= s.radix {
		i -= 2
		s.put(buf, i, n)
		return i
	}
	i--
	buf[i] = s.digits[n%maxDigits]
	return i
}

// put writes the two digits of pair at i.
func (s *numerals) put(buf *[maxDigits]byte, i int, pair uint64) {
	high := pair * s.inverse >> 32
	buf[i+1] = s.digits[(pair-high*s.radix)%maxDigits]
	buf[i] = s.digits[high%maxDigits]
}

// parse reads the digits of text. If it fails, at is the byte that is no digit, or the one that leads above
// MaxInt64.
func (s *numerals) parse(text string) (n uint64, at int, ok bool) {
	limit := math.MaxInt64 / s.radix
	for i := range len(text) {
		value := s.values[text[i]]
		if value == noDigit || n > limit {
			return 0, i, false
		}
		if n = n*s.radix + uint64(value); n > math.MaxInt64 {
			return 0, i, false
		}
	}
	return n, 0, true
}

// divisor divides numbers up to MaxInt64 by a multiplication, which is several times as fast as the machine's
// division by a number that the compiler does not know.
type divisor struct {
	by         uint64
	multiplier uint64
	shift      uint8
}

// newDivisor takes a number from 2 to 2^32. With 2^k the least power of two that is not below it, the multiplier is
// 2^(63+k) / by, rounded up. So it is too great by e / by, where e < by <= 2^k; then n * e < 2^(63+k), too little to
// lift the quotient of any n < 2^63.
func newDivisor(by uint64) divisor {
	k := bits.Len64(by - 1)
	multiplier, _ := bits.Div64(1<<(k-1), by-1, by)
	return divisor{by: by, multiplier: multiplier, shift: uint8(k - 1)}
}

func (d *divisor) divide(n uint64) (quotient, remainder uint64) {
	high, _ := bits.Mul64(n, d.multiplier)
	quotient = high >> (d.shift % 64)
	return quotient, n - quotient*d.by
}
