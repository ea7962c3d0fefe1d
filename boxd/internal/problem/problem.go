// Package problem is the one error body of the dataplane: RFC 9457 with the platform's codes.
package problem

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// Code names an error for programs; each has one status.
type Code string

// The codes that boxd answers with.
const (
	Validation         Code = "VALIDATION"
	Unauthenticated    Code = "UNAUTHENTICATED"
	Forbidden          Code = "FORBIDDEN"
	CapabilityDenied   Code = "CAPABILITY_DENIED"
	NotFound           Code = "NOT_FOUND"
	MethodNotAllowed   Code = "METHOD_NOT_ALLOWED"
	InvalidState       Code = "INVALID_STATE"
	PreconditionFailed Code = "GENERATION_CONFLICT"
	TooLarge           Code = "TOO_LARGE"
	UnsupportedMedia   Code = "UNSUPPORTED_MEDIA_TYPE"
	SandboxStarting    Code = "SANDBOX_STARTING"
	QuotaExceeded      Code = "QUOTA_EXCEEDED"
	ProcessLimit       Code = "PROCESS_LIMIT"
	ConnectionLimit    Code = "CONNECTION_LIMIT"
	WatchLimit         Code = "WATCH_LIMIT"
	SearchLimit        Code = "SEARCH_LIMIT"
	HeadersTooLarge    Code = "HEADERS_TOO_LARGE"
	PortUnreachable    Code = "PORT_UNREACHABLE"
	Unsupported        Code = "UNSUPPORTED"
	StorageFull        Code = "STORAGE_FULL"
	Internal           Code = "INTERNAL"
)

var statuses = map[Code]int{
	Validation:         http.StatusBadRequest,
	Unauthenticated:    http.StatusUnauthorized,
	Forbidden:          http.StatusForbidden,
	CapabilityDenied:   http.StatusForbidden,
	NotFound:           http.StatusNotFound,
	MethodNotAllowed:   http.StatusMethodNotAllowed,
	InvalidState:       http.StatusConflict,
	PreconditionFailed: http.StatusPreconditionFailed,
	TooLarge:           http.StatusRequestEntityTooLarge,
	UnsupportedMedia:   http.StatusUnsupportedMediaType,
	SandboxStarting:    http.StatusLocked,
	QuotaExceeded:      http.StatusTooManyRequests,
	ProcessLimit:       http.StatusTooManyRequests,
	ConnectionLimit:    http.StatusTooManyRequests,
	WatchLimit:         http.StatusTooManyRequests,
	SearchLimit:        http.StatusTooManyRequests,
	HeadersTooLarge:    http.StatusRequestHeaderFieldsTooLarge,
	PortUnreachable:    http.StatusBadGateway,
	Unsupported:        http.StatusUnprocessableEntity,
	StorageFull:        http.StatusInsufficientStorage,
	Internal:           http.StatusInternalServerError,
}

// Error is a failure as the client sees it.
type Error struct {
	Code    Code
	Message string
	HTTP    int // a status other than the code's; 0 for none
}

// New makes an Error; the message says what was wrong, with what value, and what to do.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Status is the HTTP status of the error.
func (e *Error) Status() int {
	if e.HTTP != 0 {
		return e.HTTP
	}
	return statuses[e.Code]
}

// Retryable says whether the same request may succeed later.
func (e *Error) Retryable() bool {
	switch e.Code {
	case SandboxStarting, QuotaExceeded, ProcessLimit, ConnectionLimit, WatchLimit, SearchLimit, PortUnreachable:
		return true
	default:
		return false
	}
}

type detail struct {
	Code      Code   `json:"code"`
	Message   string `json:"message"`
	Retryable bool   `json:"retryable"`
	RequestID string `json:"request_id"`
}

type body struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Error  detail `json:"error"`
}

// Body is the JSON of the error.
func (e *Error) Body(requestID string) []byte {
	status := e.Status()
	encoded, err := json.Marshal(body{
		Type:   "about:blank",
		Title:  http.StatusText(status),
		Status: status,
		Detail: e.Message,
		Error:  detail{e.Code, e.Message, e.Retryable(), requestID},
	})
	if err != nil {
		return []byte(`{"status":500}`)
	}
	return encoded
}

// Write answers with the error; nothing may have been written before.
func Write(w http.ResponseWriter, e *Error, requestID string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Del("Content-Length")
	w.Header().Del("ETag")
	w.Header().Del("Last-Modified")
	w.Header().Del("Content-Disposition")
	w.WriteHeader(e.Status())
	_, _ = w.Write(e.Body(requestID))
}
