package jail

import (
	"bufio"
	"io"
	"os"
	"strings"
)

// fields is an ordered list of names and values, written as one name=value
// line each: the form that Java's Properties reads without a library.
type fields struct {
	names  []string
	values map[string]string
}

func newFields() *fields { return &fields{values: map[string]string{}} }

func (f *fields) set(name, value string) {
	if _, known := f.values[name]; !known {
		f.names = append(f.names, name)
	}
	f.values[name] = value
}

func (f *fields) get(name string) string { return f.values[name] }

var (
	escaper   = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`)
	unescaper = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r")
)

func (f *fields) write(out io.Writer) error {
	var text strings.Builder
	for _, name := range f.names {
		text.WriteString(name + "=" + escaper.Replace(f.values[name]) + "\n")
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// save replaces a file whole, so that no reader sees half of it.
func (f *fields) save(path string) error {
	var text strings.Builder
	_ = f.write(&text)
	if err := os.WriteFile(path+".tmp", []byte(text.String()), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".tmp", path)
}

func loadFields(path string) (*fields, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f := newFields()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if name, value, ok := strings.Cut(lines.Text(), "="); ok {
			f.set(name, unescaper.Replace(value))
		}
	}
	return f, lines.Err()
}
