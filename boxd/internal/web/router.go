package web

import (
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"dev.sandboxer/boxd/internal/auth"
	"dev.sandboxer/boxd/internal/problem"
)

// Router finds the route of a request and checks, in this order: token, capability, that the sandbox is configured.
type Router struct {
	routes     map[string]map[string]Route // path, method
	verifier   *auth.Verifier
	configured func() bool
	log        *slog.Logger
}

// NewRouter makes a router of the routes; configured says whether the first configure has come.
func NewRouter(routes []Route, verifier *auth.Verifier, configured func() bool, log *slog.Logger) *Router {
	byPath := map[string]map[string]Route{}
	for _, route := range routes {
		if byPath[route.Path] == nil {
			byPath[route.Path] = map[string]Route{}
		}
		byPath[route.Path][route.Method] = route
	}
	return &Router{routes: byPath, verifier: verifier, configured: configured, log: log}
}

func (s *Router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	call := &Call{W: w, R: r, ID: requestID(r), verifier: s.verifier}
	w.Header().Set("X-Request-Id", call.ID)
	defer s.recovered(call)
	route, err := s.find(call)
	if err == nil {
		err = s.admit(call, route)
	}
	if err == nil {
		err = route.Handle(call)
	}
	if err != nil {
		s.fail(call, err)
	}
}

func (s *Router) find(call *Call) (Route, error) {
	methods, known := s.routes[call.R.URL.Path]
	if !known {
		return Route{}, problem.New(problem.NotFound, "there is no route %s %s", call.R.Method, call.R.URL.Path)
	}
	method := call.R.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	route, known := methods[method]
	if !known {
		allowed := make([]string, 0, len(methods))
		for name := range methods {
			allowed = append(allowed, name)
		}
		slices.Sort(allowed)
		call.W.Header().Set("Allow", strings.Join(allowed, ", "))
		return Route{}, problem.New(problem.MethodNotAllowed, "%s takes %s, not %s", call.R.URL.Path, strings.Join(allowed, ", "), call.R.Method)
	}
	return route, nil
}

func (s *Router) admit(call *Call, route Route) error {
	if route.Capability != "" && !(route.FirstFrame && len(call.R.Header["Authorization"]) == 0) {
		grant, err := call.Authenticate(bearer(call.R), route.Capability)
		if err != nil {
			return err
		}
		call.Grant = grant
	}
	if !route.Anytime && !s.configured() {
		return problem.New(problem.SandboxStarting, "the sandbox is starting; try again in a moment")
	}
	return nil
}

// allowed is an error that names the capability when the grant lacks it.
func allowed(grant auth.Grant, capability string) error {
	if grant.Allows(capability) {
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
		s.log.Error("request failed", "event", "internal_error", "request_id", call.ID, "path", call.R.URL.Path, "error", err.Error())
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
		s.log.Error("handler panicked", "event", "panic", "request_id", call.ID, "path", call.R.URL.Path, "cause", cause)
	}
	panic(http.ErrAbortHandler)
}
