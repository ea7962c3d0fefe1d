package seccomp

import (
	"maps"
	"slices"

	"golang.org/x/sys/unix"
)

// Where the kernel puts what a filter looks at (struct seccomp_data).
const (
	offsetNumber       = 0
	offsetArchitecture = 4
	offsetArguments    = 16
)

const (
	allow = unix.SECCOMP_RET_ALLOW
	kill  = unix.SECCOMP_RET_KILL_PROCESS
)

func errno(number unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(number) }

// program is the whole filter: foreign calling conventions end the process,
// some calls depend on their arguments, the rest is a table by number.
func program() []unix.SockFilter {
	var p assembly
	p.load(offsetArchitecture)
	p.unless(unix.BPF_JEQ, architecture, kill)
	p.load(offsetNumber)
	p.when(unix.BPF_JEQ, ^uint32(0), errno(unix.ENOSYS)) // -1: debuggers skip a call with it
	if otherABI != 0 {
		p.when(unix.BPF_JGE, otherABI, kill)
	}
	for _, number := range slices.Sorted(maps.Keys(conditions())) {
		p.block(uint32(number), conditions()[number])
	}
	p.table()
	return p
}

// assembly is a filter in the making. Every test returns on the spot, so no
// jump is long.
type assembly []unix.SockFilter

func (p *assembly) emit(code uint16, yes, no uint8, value uint32) {
	*p = append(*p, unix.SockFilter{Code: code, Jt: yes, Jf: no, K: value})
}

func (p *assembly) load(offset uint32) {
	p.emit(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, 0, 0, offset)
}

func (p *assembly) answer(action uint32) { p.emit(unix.BPF_RET|unix.BPF_K, 0, 0, action) }

// when answers if the test holds, else goes on.
func (p *assembly) when(test uint16, value, action uint32) {
	p.emit(unix.BPF_JMP|test|unix.BPF_K, 0, 1, value)
	p.answer(action)
}

// unless answers if the test does not hold, else goes on.
func (p *assembly) unless(test uint16, value, action uint32) {
	p.emit(unix.BPF_JMP|test|unix.BPF_K, 1, 0, value)
	p.answer(action)
}

// block is one call's rule; it always answers, so other calls jump over it.
func (p *assembly) block(number uint32, rule []unix.SockFilter) {
	p.emit(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, uint8(len(rule)), number)
	*p = append(*p, rule...)
}

// table answers by number, a run of equal answers at a time.
func (p *assembly) table() {
	actions := actionsByNumber()
	for number := range actions {
		if number+1 == len(actions) || actions[number+1] != actions[number] {
			p.emit(unix.BPF_JMP|unix.BPF_JGT|unix.BPF_K, 1, 0, uint32(number))
			p.answer(actions[number])
		}
	}
	p.answer(errno(unix.ENOSYS))
}

func actionsByNumber() []uint32 {
	numbers := slices.Concat(allowed, archAllowed, refused, archRefused)
	actions := make([]uint32, slices.Max(numbers)+1)
	for number := range actions {
		actions[number] = errno(unix.ENOSYS)
	}
	for _, number := range slices.Concat(allowed, archAllowed) {
		actions[number] = allow
	}
	for _, number := range slices.Concat(refused, archRefused) {
		actions[number] = errno(unix.EPERM)
	}
	return actions
}
