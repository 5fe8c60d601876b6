package cli

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cosid-go/cosid/internal/names"
)

// Result is what a command found. Its fields are the JSON form; ids and other numbers that may pass 2^53 are strings
// there.
type Result interface {
	// Text writes the form for people.
	Text(p *Page)
}

// format is a value of --output.
type format string

const (
	formatTable format = "table"
	formatJSON  format = "json"
)

func formatNames() []string { return []string{string(formatTable), string(formatJSON)} }

// String and its like make format a flag.
func (f *format) String() string {
	if *f == "" {
		return string(formatTable)
	}
	return string(*f)
}

// Type is what help calls the value.
func (f *format) Type() string { return "FORMAT" }

// Set accepts the known formats.
func (f *format) Set(word string) error {
	switch format(word) {
	case formatTable, formatJSON:
		*f = format(word)
		return nil
	default:
		return fmt.Errorf("have %s", names.List(formatNames()))
	}
}

// JSON tells whether results are written for programs.
func (t *Tool) JSON() bool { return t.format == formatJSON }

// Show writes a result to Stdout in the form that --output asks for.
func (t *Tool) Show(r Result) error {
	out := bufio.NewWriter(t.Stdout)
	if t.JSON() {
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(r); err != nil {
			return fmt.Errorf("write the result: %w", err)
		}
	} else {
		r.Text(&Page{Style: t.outStyle(), out: out})
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}

// Page takes the text of a Result. What fails in writing is reported by Show.
type Page struct {
	Style
	out io.Writer
}

// Linef writes one line.
func (p *Page) Linef(format string, args ...any) { fmt.Fprintf(p.out, format+"\n", args...) }

// Cell is one cell of a table; Right moves it there, as numbers are.
type Cell struct {
	Text  string
	Right bool
}

// Left and Right make cells.
func Left(text string) Cell { return Cell{Text: text} }

// Right makes the cell of a number.
func Right(text string) Cell { return Cell{Text: text, Right: true} }

// Table writes rows in columns under a headline. An empty cell is written as "-", and a column of empty cells not at all.
func (p *Page) Table(headline []string, rows [][]Cell) {
	lines := make([][]Cell, len(rows)+1)
	var widths []int
	for i, title := range headline {
		column := []Cell{{Text: title, Right: len(rows) > 0 && rows[0][i].Right}}
		for _, row := range rows {
			column = append(column, row[i])
		}
		if !slices.ContainsFunc(column[1:], func(c Cell) bool { return c.Text != "" }) {
			continue
		}
		width := 0
		for n, cell := range column {
			if n > 0 {
				cell.Text = cmp.Or(cell.Text, "-")
			}
			lines[n] = append(lines[n], cell)
			width = max(width, utf8.RuneCountInString(cell.Text))
		}
		widths = append(widths, width)
	}
	for n, line := range lines {
		text := tableLine(line, widths)
		if n == 0 {
			text = p.Bold(text)
		}
		p.Linef("%s", text)
	}
}

func tableLine(line []Cell, widths []int) string {
	cells := make([]string, len(line))
	for i, cell := range line {
		padding := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell.Text))
		if cell.Right {
			cells[i] = padding + cell.Text
		} else {
			cells[i] = cell.Text + padding
		}
	}
	return strings.TrimRight(strings.Join(cells, "  "), " ")
}
