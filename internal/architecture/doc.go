// Package architecture guards design section 2 with a test: which package may import which, who may link a
// driver, and that no package keeps state of its own. It holds no code that a program could use.
//
// The rules are a table in rules_test.go. `go test ./internal/architecture -run 'TestArchitecture/drivers'`
// checks one of them.
package architecture
