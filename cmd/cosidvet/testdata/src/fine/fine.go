// Package fine has nothing to report where the configuration is disabled.
package fine

type Row struct {
	A string `cosid:"bill"`
}
