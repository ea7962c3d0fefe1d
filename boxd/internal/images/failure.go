package images

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// Code says why a verb failed, in the words of the extension interface.
type Code string

// The codes that callers distinguish.
const (
	Validation  Code = "VALIDATION"
	Unsupported Code = "UNSUPPORTED"
	Capacity    Code = "CAPACITY"
	ImagePull   Code = "IMAGE_PULL"
	Internal    Code = "INTERNAL"
)

// Failure is an error with a code and a message for a person.
type Failure struct {
	Code    Code
	Message string
}

func (f *Failure) Error() string { return f.Message }

func fail(code Code, format string, args ...any) *Failure {
	return &Failure{code, fmt.Sprintf(format, args...)}
}

// failureOf gives each error a code. What a registry did wrong is a pull that failed.
func failureOf(image string, err error) *Failure {
	var known *Failure
	switch {
	case errors.As(err, &known):
		return &Failure{known.Code, fmt.Sprintf("image %s: %s", image, known.Message)}
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT):
		return fail(Capacity, "image %s: the disk has no room to unpack it: %v", image, err)
	case errors.Is(err, context.Canceled):
		return fail(ImagePull, "image %s could not be fetched: the call was cancelled", image)
	}
	return fail(ImagePull, "image %s could not be fetched: %v", image, err)
}
