package jail

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// boxdBytes is memory that nothing fills which outlives the processes of user code.
const boxdBytes = 48 << 20

// fit makes the file systems in memory smaller, all in proportion, where they could fill the sandbox's memory: they keep what they hold
// when every process has ended, and with nothing else left to end the kernel would end boxd. A quarter is for their inodes.
func (s *Spec) fit() {
	sizes := []*int64{&s.Resources.TmpBytes}
	if s.ownWorkspace() {
		sizes = append(sizes, &s.Resources.WorkspaceBytes)
	}
	for i := range s.Mounts {
		if s.Mounts[i].Source == "" {
			sizes = append(sizes, &s.Mounts[i].Bytes)
		}
	}
	var wanted int64
	for _, size := range sizes {
		wanted += *size
	}
	room := (s.Resources.MemoryBytes - min(boxdBytes, s.Resources.MemoryBytes/2)) / 4 * 3
	if wanted <= room {
		return
	}
	for _, size := range sizes {
		*size = max(1, int64(float64(*size)/float64(wanted)*float64(room))>>pageBits) << pageBits
	}
}

const pageBits = 12

// ipcLimits are the rest of what outlives processes: shared memory then ends with its last user, and queues and semaphores are few.
var ipcLimits = map[string]string{"shm_rmid_forced": "1", "msgmni": "32", "sem": "250 32000 100 128"}

// newIPC gives the thread, and the jail after it, an IPC namespace with limits. An ordinary user cannot set them on every kernel.
func newIPC(mustHold bool) error {
	if err := unix.Unshare(unix.CLONE_NEWIPC); err != nil {
		return fail(Unavailable, "an IPC namespace cannot be made: %v", err)
	}
	for name, value := range ipcLimits {
		if err := os.WriteFile("/proc/sys/kernel/"+name, []byte(value), 0); err != nil && mustHold {
			return fmt.Errorf("limit kernel.%s of the jail: %w", name, err)
		}
	}
	return nil
}
