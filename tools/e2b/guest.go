package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// guest is one sandbox: a process tree in its own pid, mount and network namespaces, whose pid 1 (guestInit) dials
// ports inside for us over a unix socket that it inherited.
type guest struct {
	cmd  *exec.Cmd
	sock string
	dir  string
	mu   sync.Mutex
	open map[net.Conn]bool
	gone chan int
}

func startGuest(dir, envd, lower string) (*guest, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	g := &guest{sock: filepath.Join(dir, "s"), dir: dir, open: map[net.Conn]bool{}, gone: make(chan int)}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: g.sock})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false)
	defer l.Close()
	f, err := l.File()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out, _ := os.Create(filepath.Join(dir, "log"))
	c := exec.Command("/proc/self/exe", "guest-init")
	c.Env = append(os.Environ(), "FE_ENVD="+envd, "FE_LOWER="+lower, "FE_DIR="+dir)
	c.ExtraFiles, c.Stdout, c.Stderr = []*os.File{f}, out, out
	flags := uintptr(syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS)
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags, Pdeathsig: syscall.SIGKILL}
	if err := startPinned(c, g.gone); err != nil {
		return nil, err
	}
	g.cmd = c
	return g, nil
}

// Pdeathsig fires when the starting thread ends, so all guests are started from one thread that never ends.
var spawn = make(chan func())

func init() {
	go func() {
		lockThread()
		for f := range spawn {
			f()
		}
	}()
}

func startPinned(c *exec.Cmd, gone chan int) error {
	e := make(chan error)
	spawn <- func() { e <- c.Start() }
	err := <-e
	if err == nil {
		go func() { c.Wait(); close(gone) }()
	}
	return err
}

func (g *guest) ask(line string) (net.Conn, *bufio.Reader, error) {
	c, err := net.DialTimeout("unix", g.sock, 5*time.Second)
	if err != nil {
		return nil, nil, err
	}
	fmt.Fprintf(c, "%s\n", line)
	r := bufio.NewReader(c)
	a, err := r.ReadString('\n')
	if err != nil || a != "+\n" {
		c.Close()
		return nil, nil, fmt.Errorf("guest: %q %v", strings.TrimSpace(a), err)
	}
	return c, r, nil
}

type tracked struct {
	net.Conn
	r *bufio.Reader
	g *guest
}

func (t tracked) Read(p []byte) (int, error) { return t.r.Read(p) }
func (t tracked) Close() error {
	t.g.mu.Lock()
	delete(t.g.open, t.Conn)
	t.g.mu.Unlock()
	return t.Conn.Close()
}

func (g *guest) dialHTTP(_ context.Context, _, addr string) (net.Conn, error) {
	_, port, _ := net.SplitHostPort(addr)
	c, r, err := g.ask("P " + port)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	g.open[c] = true
	g.mu.Unlock()
	return tracked{c, r, g}, nil
}

// freeze stops or continues every process and cuts the connections, as a pause does.
func (g *guest) freeze(on bool) {
	v := "C"
	if on {
		v = "S"
		g.mu.Lock()
		for c := range g.open {
			c.Close()
		}
		g.mu.Unlock()
	}
	if c, _, err := g.ask(v); err == nil {
		c.Close()
	}
}

func (g *guest) kill() {
	g.cmd.Process.Kill()
	os.RemoveAll(g.dir)
}

func must(what string, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, what, err)
		os.Exit(1)
	}
}

// guestInit is pid 1 of a sandbox.
func guestInit() {
	l, err := net.FileListener(os.NewFile(3, "l"))
	must("listener", err)
	loUp()
	must("private", syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""))
	dir, envd := os.Getenv("FE_DIR"), os.Getenv("FE_ENVD")
	cmd := []string{"/proc/self/exe", "guest-envd"}
	root := filepath.Join(dir, "r")
	must("tmpfs", syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=755"))
	for _, d := range []string{"u", "w", "r"} {
		os.MkdirAll(filepath.Join(dir, d), 0o755)
	}
	must("overlay", syscall.Mount("overlay", root, "overlay", 0, "lowerdir="+os.Getenv("FE_LOWER")+",upperdir="+dir+"/u,workdir="+dir+"/w"))
	for _, d := range []string{"proc", "dev", "tmp", "run", "home/user"} {
		os.MkdirAll(filepath.Join(root, d), 0o755)
	}
	must("dev", syscall.Mount("/dev", root+"/dev", "", syscall.MS_BIND|syscall.MS_REC, ""))
	must("tmp", syscall.Mount("tmpfs", root+"/tmp", "tmpfs", 0, "mode=1777"))
	must("run", syscall.Mount("tmpfs", root+"/run", "tmpfs", 0, "mode=755"))
	must("proc", syscall.Mount("proc", root+"/proc", "proc", 0, ""))
	addLine(root+"/etc/passwd", "user:", "user:x:1000:1000::/home/user:/bin/bash\n")
	addLine(root+"/etc/group", "user:", "user:x:1000:\n")
	os.Chown(root+"/home/user", 1000, 1000)
	if envd != "" {
		b, err := os.ReadFile(envd)
		must("envd", err)
		must("envd", os.WriteFile(root+"/usr/bin/envd", b, 0o755))
		cmd = []string{"/usr/bin/envd", "-isnotfc", "-no-cgroups", "-port", "49983"}
	}
	must("chroot", syscall.Chroot(root))
	os.Chdir("/")
	pr, err := os.StartProcess(cmd[0], cmd, &os.ProcAttr{Env: []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root"}, Files: []*os.File{nil, os.Stdout, os.Stderr}})
	must("start", err)
	_ = pr
	go func() {
		c := make(chan os.Signal, 16)
		signal.Notify(c, syscall.SIGCHLD)
		for range c {
			for {
				if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); err != nil || pid <= 0 {
					break
				}
			}
		}
	}()
	for {
		c, err := l.Accept()
		if err != nil {
			os.Exit(0)
		}
		go func() {
			defer c.Close()
			r := bufio.NewReader(c)
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			switch line[0] {
			case 'S':
				syscall.Kill(-1, syscall.SIGSTOP)
				io.WriteString(c, "+\n")
			case 'C':
				syscall.Kill(-1, syscall.SIGCONT)
				io.WriteString(c, "+\n")
			case 'P':
				t, err := net.DialTimeout("tcp", "127.0.0.1:"+strings.TrimSpace(line[2:]), 5*time.Second)
				if err != nil {
					fmt.Fprintf(c, "-%v\n", err)
					return
				}
				defer t.Close()
				io.WriteString(c, "+\n")
				done := make(chan int, 2)
				go func() { io.Copy(t, r); t.(*net.TCPConn).CloseWrite(); done <- 1 }()
				go func() { io.Copy(c, t); c.(*net.UnixConn).CloseWrite(); done <- 1 }()
				<-done
				<-done
			}
		}()
	}
}

func addLine(path, prefix, line string) {
	b, _ := os.ReadFile(path)
	if !strings.Contains("\n"+string(b), "\n"+prefix) {
		os.WriteFile(path, append([]byte(line), b...), 0o644) // first, so that uid 1000 reads as user
	}
}

func loUp() {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
	must("socket", err)
	var req [40]byte
	copy(req[:], "lo")
	req[16] = syscall.IFF_UP | syscall.IFF_RUNNING
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&req[0]))); e != 0 {
		must("lo", e)
	}
	syscall.Close(fd)
}
