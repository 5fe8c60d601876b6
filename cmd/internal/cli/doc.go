// Package cli is what the command-line tools of cosid have in common: flags, exit codes, how errors and results are
// written, and how stores are opened from a configuration.
package cli
