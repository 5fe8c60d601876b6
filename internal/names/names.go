// Package names helps messages about names: what there is, and what was probably meant.
package names

import (
	"slices"
	"strings"
)

// List joins names in order: "bill, order". No names are "nothing".
func List(known []string) string {
	if len(known) == 0 {
		return "nothing"
	}
	sorted := slices.Clone(known)
	slices.Sort(sorted)
	return strings.Join(slices.Compact(sorted), ", ")
}

// Nearest is the known name that word is probably a slip of the pen for, or "".
func Nearest(word string, known []string) string {
	best, distance := "", len(word)/3+2
	for _, name := range known {
		if d := editDistance(strings.ToLower(word), strings.ToLower(name)); d < distance {
			best, distance = name, d
		}
	}
	return best
}

// editDistance counts the insertions, deletions, replacements and swaps of neighbours between two words.
func editDistance(a, b string) int {
	beforeLast, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := last[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(last[j]+1, row[j-1]+1, replace)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], beforeLast[j-2]+1)
			}
		}
		beforeLast, last = last, row
	}
	return last[len(b)]
}
