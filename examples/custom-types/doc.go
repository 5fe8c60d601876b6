// Package customtypes shows how a store, a strategy and a codec part that cosid does not have are written and handed
// over, by a user of cosid and with nothing that is not public:
//
//	filestore   a store, `type: files`: a directory of plain files     docs/write-a-store.md
//	sequence    a strategy, `strategy: sequence`: one call, one id      docs/write-a-strategy.md
//	luhn        a codec part, `luhn`: a number and its check digit     docs/write-a-codec.md
//
// The examples in its test hand them over in plain Go and through fx.
package customtypes
