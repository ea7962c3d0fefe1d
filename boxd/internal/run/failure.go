package run

import (
	"errors"
	"os"
	"syscall"

	"dev.sandboxer/boxd/internal/problem"
	"dev.sandboxer/boxd/internal/process"
)

// explainStart says why the kernel did not run the command.
func (r *Runner) explain(spec process.Spec, err error) error {
	if errors.Is(err, process.ErrClosing) {
		return problem.New(problem.InvalidState, "the sandbox is ending")
	}
	var missing *noTerminal
	if errors.As(err, &missing) {
		return problem.New(problem.Unsupported, "this sandbox has no terminals: %v", missing.cause)
	}
	if why := badFolder(spec.Dir); why != nil {
		return why
	}
	switch {
	case errors.Is(err, syscall.ENOENT) && spec.Path == shell:
		return problem.New(problem.Validation, "this image has no %s; send the command as an array", shell)
	case errors.Is(err, syscall.ENOENT), errors.Is(err, syscall.ENOTDIR):
		return problem.New(problem.Validation, "program %.200q was not found, or the interpreter that it names was not", spec.Path)
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		return problem.New(problem.Validation, "program %.200q may not be executed: it is no file with execute permission", spec.Path)
	case errors.Is(err, syscall.ENOEXEC):
		return problem.New(problem.Validation, "program %.200q is no program for this machine: it has no #! line, or is for another architecture", spec.Path)
	case errors.Is(err, syscall.E2BIG):
		return problem.New(problem.Validation, "command and environment are longer than the kernel takes")
	case errors.Is(err, syscall.EAGAIN):
		return r.noProcess()
	case errors.Is(err, syscall.ENOMEM):
		return problem.New(problem.QuotaExceeded, "memory ran out (%v): the profile's resources.memory is how much there is", err)
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return problem.New(problem.QuotaExceeded, "too many files are open (%v): the profile's resources.open_files is how many a process may open", err)
	}
	return problem.New(problem.Validation, "program %.200q did not start: %v", spec.Path, err)
}

func (r *Runner) noProcess() error {
	const why = "the sandbox runs as many processes and threads as its profile allows; end some of them, or raise the limit in the profile"
	if r.pids == 0 {
		return problem.New(problem.QuotaExceeded, "resources.pids is used up: %s", why)
	}
	return problem.New(problem.QuotaExceeded, "resources.pids = %d is used up: %s", r.pids, why)
}

func badFolder(folder string) error {
	info, err := os.Stat(folder)
	switch {
	case err != nil:
		return problem.New(problem.Validation, "cwd %.200q cannot be used: %v", folder, errors.Unwrap(err))
	case !info.IsDir():
		return problem.New(problem.Validation, "cwd %.200q is not a folder", folder)
	}
	return nil
}

// noTerminal is a pseudo-terminal that could not be made.
type noTerminal struct{ cause error }

func (n *noTerminal) Error() string { return n.cause.Error() }
