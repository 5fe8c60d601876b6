package tags

import "github.com/cosid-go/cosid/internal/tagrules"

// Key is the name of the struct tag, and Skip the value of it that keeps filling away from a field.
const (
	Key  = tagrules.Key
	Skip = tagrules.Skip
)
