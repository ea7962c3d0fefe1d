package web

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"

	"dev.sandboxer/boxd/internal/auth"
	"dev.sandboxer/boxd/internal/problem"
)

// Router finds the route of a request and checks, in this order: token, capability, that the sandbox is configured.
type Router struct {
	routes      map[string]map[string]Route // path, method
	patterns    []pattern
	verifier    *auth.Verifier
	configured  func() bool
	activity    *Activity
	headerBytes int
	log         *slog.Logger
}

// NewRouter makes a router of the routes; configured says whether the first configure has come.
func NewRouter(routes []Route, verifier *auth.Verifier, configured func() bool, activity *Activity, headerBytes int, log *slog.Logger) *Router {
	s := &Router{routes: map[string]map[string]Route{}, verifier: verifier, configured: configured, activity: activity, headerBytes: headerBytes, log: log}
	for _, route := range routes {
		if s.routes[route.Path] == nil {
			s.routes[route.Path] = map[string]Route{}
			if strings.Contains(route.Path, "{") {
				s.patterns = append(s.patterns, newPattern(route.Path))
			}
		}
		s.routes[route.Path][route.Method] = route
	}
	return s
}

func (s *Router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(r.Context())
	call := &Call{W: w, R: r.WithContext(ctx), ID: requestID(r), Trace: traceID(r), verifier: s.verifier, cancel: cancel}
	defer call.finish()
	w.Header().Set("X-Request-Id", call.ID)
	defer s.recovered(call)
	route, err := s.find(call)
	if err == nil {
		err = s.admit(call, route)
	}
	if err == nil {
		err = s.handle(call, route)
	}
	if err != nil {
		s.fail(call, err)
	}
}

func (s *Router) handle(call *Call, route Route) error {
	if !route.Quiet {
		if !s.activity.enter() {
			return problem.New(problem.InvalidState, "the sandbox is ending")
		}
		defer s.activity.leave()
	}
	return route.Handle(call)
}

func (s *Router) find(call *Call) (Route, error) {
	if size := headerSize(call.R); size > s.headerBytes {
		call.W.Header().Set("Connection", "close")
		return Route{}, problem.New(problem.HeadersTooLarge, "the request's head has %d bytes, the limit is %d (limits.header_bytes of the profile)", size, s.headerBytes)
	}
	methods, known := s.lookUp(call)
	if !known {
		return Route{}, problem.New(problem.NotFound, "there is no route %s %.500s", call.R.Method, call.R.URL.Path)
	}
	method := call.R.Method
	if route, any := methods[""]; any {
		return route, nil
	}
	if method == http.MethodHead {
		method = http.MethodGet
	}
	route, known := methods[method]
	if !known {
		allowed := slices.Sorted(maps.Keys(methods))
		call.W.Header().Set("Allow", strings.Join(allowed, ", "))
		return Route{}, problem.New(problem.MethodNotAllowed, "%.500s takes %s, not %s", call.R.URL.Path, strings.Join(allowed, ", "), call.R.Method)
	}
	return route, nil
}

func (s *Router) lookUp(call *Call) (map[string]Route, bool) {
	if methods, known := s.routes[call.R.URL.Path]; known && !strings.Contains(call.R.URL.Path, "{") {
		return methods, true
	}
	for _, one := range s.patterns {
		if params, fits := one.match(call.R.URL.Path); fits {
			call.Params = params
			return s.routes[one.path], true
		}
	}
	return nil, false
}

func headerSize(r *http.Request) int {
	size := len(r.Method) + len(r.RequestURI) + len(r.Host)
	for name, values := range r.Header {
		for _, value := range values {
			size += len(name) + len(value) + len(": \r\n")
		}
	}
	return size
}

func (s *Router) admit(call *Call, route Route) error {
	if route.Capability != "" && !(route.FirstFrame && len(call.R.Header["Authorization"]) == 0) {
		if _, err := call.Authenticate(bearer(call.R), route.Capability); err != nil {
			return err
		}
	}
	if !route.Anytime && !s.configured() {
		return problem.New(problem.SandboxStarting, "the sandbox is starting; try again in a moment")
	}
	return nil
}

// allowed is an error that names the capability when the grant lacks it.
func allowed(grant auth.Grant, capability string) error {
	if capability == auth.Any || grant.Allows(capability) {
		return nil
	}
	return problem.New(problem.CapabilityDenied, "the token lacks the capability %q", capability)
}

// unauthenticated is the one answer to every missing or bad token.
func unauthenticated() error {
	return problem.New(problem.Unauthenticated, "a valid token for this sandbox is needed")
}

func bearer(r *http.Request) string {
	headers := r.Header["Authorization"]
	if len(headers) != 1 {
		return ""
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return token
}

func (s *Router) fail(call *Call, err error) {
	var known *problem.Error
	if !errors.As(err, &known) {
		s.log.With(call.logged()...).Error("request failed", "event", "internal_error", "error", err.Error())
		known = problem.New(problem.Internal, "boxd could not do this; its log has the reason under the request id")
	}
	if known.Code == problem.Unauthenticated {
		call.W.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
	}
	problem.Write(call.W, known, call.ID)
}

func (s *Router) recovered(call *Call) {
	cause := recover()
	if cause == nil {
		return
	}
	if cause != http.ErrAbortHandler { //nolint:errorlint // net/http compares it the same way
		s.log.With(call.logged()...).Error("handler panicked", "event", "panic", "cause", cause)
	}
	panic(http.ErrAbortHandler)
}
