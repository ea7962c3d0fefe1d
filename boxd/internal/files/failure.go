package files

import (
	"errors"
	"os"
	"syscall"

	"dev.sandboxer/boxd/internal/problem"
)

// explain says what the file system refused; path is what the client called it.
func explain(path string, err error) error {
	var known *problem.Error
	var errno syscall.Errno
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case !errors.As(err, &errno):
		return err
	}
	switch errno {
	case syscall.ENOENT:
		return problem.New(problem.NotFound, "%.500q does not exist", path)
	case syscall.ENOTDIR:
		return problem.New(problem.InvalidState, "a part of %.500q is a file where a folder is meant", path)
	case syscall.EISDIR, syscall.EEXIST, syscall.ENOTEMPTY:
		return problem.New(problem.InvalidState, "%.500q is a folder where a file is meant, or a file where a folder is", path)
	case syscall.EACCES, syscall.EPERM, syscall.EROFS:
		return problem.New(problem.Forbidden, "the sandbox's user may not do this to %.500q: %v", path, errno)
	case syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG:
		return problem.New(problem.StorageFull, "there is no room for %.500q: %v; nothing that was there is changed. The profile's resources.workspace is the size of /workspace, resources.tmp that of /tmp", path, errno)
	case syscall.ENAMETOOLONG, syscall.EINVAL, syscall.ELOOP:
		return problem.New(problem.Validation, "path %.500q cannot be used: %v", path, errno)
	case syscall.EMFILE, syscall.ENFILE:
		return problem.New(problem.QuotaExceeded, "too many files are open (%v): the profile's resources.open_files is how many a process may open", errno)
	case syscall.ENOMEM:
		return problem.New(problem.QuotaExceeded, "memory ran out (%v): the profile's resources.memory is how much there is", errno)
	}
	return problem.New(problem.InvalidState, "%.500q cannot be used so: %v", path, errno)
}

func folderInstead(path string) error {
	return problem.New(problem.InvalidState, "%.500q is a folder; download it with archive=tar, fill it with extract=tar", path)
}

func notAFile(path string, mode os.FileMode) error {
	return problem.New(problem.InvalidState, "%.500q is not a file but a %s", path, kindOf(mode))
}
