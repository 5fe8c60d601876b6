package endurance_test

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// origin says who made the ids of a journal: a goroutine, its lane, of a runtime that a process has opened.
type origin struct {
	worker  int // its place in the fleet
	life    int // which process in that place
	opening int // which runtime of that process
	lane    string
}

func (o origin) String() string {
	return fmt.Sprintf("%03d-%04d-%04d-%s", o.worker, o.life, o.opening, o.lane)
}

const journalSuffix = ".ids"

func (o origin) path(dir string) string { return filepath.Join(dir, o.String()+journalSuffix) }

func originOf(path string) (o origin, err error) {
	name := filepath.Base(path)
	_, err = fmt.Sscanf(name[:len(name)-len(journalSuffix)], "%d-%d-%d-%s", &o.worker, &o.life, &o.opening, &o.lane)
	return o, err
}

// journal is a file of ids. Each batch is one write(2), with the time and the number of ids before it: what was
// written stays, even if the process is killed at once.
type journal struct {
	file  *os.File
	bytes []byte
}

const batchHeaderBytes = 16

func newJournal(dir string, o origin) (*journal, error) {
	file, err := os.OpenFile(o.path(dir), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	return &journal{file: file}, err
}

func (j *journal) write(ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	b := binary.LittleEndian.AppendUint64(j.bytes[:0], uint64(time.Now().UnixMilli()))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(ids)))
	for _, id := range ids {
		b = binary.LittleEndian.AppendUint64(b, uint64(id))
	}
	j.bytes = b
	_, err := j.file.Write(b)
	return err
}

// readJournal calls each with every batch: when it was written, and its ids, valid until each returns. A last batch
// that was cut short, as by a kill, counts as far as it goes.
func readJournal(path string, each func(at time.Time, ids []int64)) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	const largest = 1 << 20
	r := bufio.NewReaderSize(file, 1<<16)
	var header [batchHeaderBytes]byte
	var bytes []byte
	var ids []int64
	for {
		if _, err := io.ReadFull(r, header[:]); err != nil {
			return endOfJournal(path, err)
		}
		millis, n := binary.LittleEndian.Uint64(header[:]), binary.LittleEndian.Uint64(header[8:])
		if n == 0 || n > largest {
			return fmt.Errorf("%s: a batch of %d ids", path, n)
		}
		if uint64(cap(bytes)) < 8*n {
			bytes = make([]byte, 8*n)
		}
		read, err := io.ReadFull(r, bytes[:8*n])
		ids = ids[:0]
		for i := 0; i+8 <= read; i += 8 {
			ids = append(ids, int64(binary.LittleEndian.Uint64(bytes[i:])))
		}
		each(time.UnixMilli(int64(millis)), ids)
		if err != nil {
			return endOfJournal(path, err)
		}
	}
}

func endOfJournal(path string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return fmt.Errorf("%s: %w", path, err)
}
