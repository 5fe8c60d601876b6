package filestore

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/cosid-go/cosid/stores"
)

// counter is the state of a key, and what its file says: `shop/bill next=101 sealed=false`.
type counter struct {
	found  bool  // the key has a file
	next   int64 // the first id that is not reserved
	sealed bool
}

const format = "%s next=%d sealed=%t\n"

func (c counter) text(key string) string { return fmt.Sprintf(format, key, c.next, c.sealed) }

// fileName is a hash, because keys may be longer than file names, and some file systems take Bill for bill.
func fileName(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// read returns the counter of key. No file is a new key; a file that is not what text writes is an error, because
// starting over would repeat ids.
func read(root *os.Root, key string) (counter, error) {
	content, err := root.ReadFile(fileName(key))
	if errors.Is(err, fs.ErrNotExist) {
		return counter{}, nil
	}
	if err != nil {
		return counter{}, err
	}
	c := counter{found: true}
	var written string
	_, err = fmt.Sscanf(string(content), format, &written, &c.next, &c.sealed)
	if err != nil || c.next < 0 || c.text(key) != string(content) {
		return counter{}, fmt.Errorf("file %s is damaged: %q; write what it should say, and nothing lower",
			fileName(key), content)
	}
	return c, nil
}

// replace puts a file in place of the named one, if any, and returns once the disk has it. Under the directory's lock.
func replace(root *os.Root, dir *os.File, name, content string) error {
	draft := name + ".new" // one that a killed process left is written over
	f, err := root.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	// Up to here nothing has changed. From here on an error does not say whether the disk has the new file.
	if err := errors.Join(root.Rename(draft, name), dir.Sync()); err != nil {
		return fmt.Errorf("%w: %w", stores.ErrOutcomeUnknown, err)
	}
	return nil
}
