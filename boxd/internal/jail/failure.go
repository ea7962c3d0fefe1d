package jail

import "fmt"

// Code says why a verb failed, in the words of the extension interface.
type Code string

// The codes that callers tell apart.
const (
	Usage       Code = "USAGE"
	Validation  Code = "VALIDATION"
	Unsupported Code = "UNSUPPORTED"
	Unavailable Code = "UNAVAILABLE"
	Capacity    Code = "CAPACITY"
	Timeout     Code = "TIMEOUT"
	Crash       Code = "CRASH"
	Internal    Code = "INTERNAL"
)

// Failure is an error with a code and a message for a person.
type Failure struct {
	Code    Code
	Message string
	Left    bool // something may remain that kill has to remove
}

func (f *Failure) Error() string { return f.Message }

func fail(code Code, format string, args ...any) *Failure {
	return &Failure{Code: code, Message: fmt.Sprintf(format, args...)}
}
