package watch

import (
	"bytes"
	"encoding/binary"
	"testing"
)

func FuzzParse(f *testing.F) {
	f.Add([]byte{})
	f.Add(append(binary.NativeEndian.AppendUint32(make([]byte, 12), 4), "a\x00\x00\x00"...))
	f.Add(bytes.Repeat([]byte{0xff}, 40))
	f.Fuzz(func(t *testing.T, buffer []byte) {
		length := 0
		for _, one := range parse(buffer) {
			length += 16 + len(one.name)
		}
		if length > len(buffer) {
			t.Fatal(length)
		}
	})
}
