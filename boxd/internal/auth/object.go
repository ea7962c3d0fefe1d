package auth

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// object is a JSON object whose names are exact and unique: two readers of one token must never see two meanings.
type object map[string]json.RawMessage

func parseObject(raw []byte) (object, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	fields := object{}
	for decoder.More() {
		if err := fields.readField(decoder); err != nil {
			return nil, err
		}
	}
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the object")
	}
	return fields, nil
}

func (o object) readField(decoder *json.Decoder) error {
	token, err := decoder.Token()
	if err != nil {
		return err
	}
	name, ok := token.(string)
	if !ok {
		return errors.New("a name is not a string")
	}
	if _, twice := o[name]; twice {
		return errors.New("a name stands twice")
	}
	var value json.RawMessage
	if err := decoder.Decode(&value); err != nil {
		return err
	}
	o[name] = value
	return nil
}

func (o object) text(name string) (string, bool) {
	raw := o[name]
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var value string
	err := json.Unmarshal(raw, &value)
	return value, err == nil && value != ""
}

func (o object) integer(name string) (int64, bool) {
	raw := o[name]
	if len(raw) == 0 || raw[0] == 'n' {
		return 0, false
	}
	var value int64
	err := json.Unmarshal(raw, &value)
	return value, err == nil
}

// single reads a string, or an array of exactly one.
func (o object) single(name string) (string, bool) {
	if value, ok := o.text(name); ok {
		return value, true
	}
	var values []json.RawMessage
	if json.Unmarshal(o[name], &values) != nil || len(values) != 1 {
		return "", false
	}
	return object{name: values[0]}.text(name)
}
