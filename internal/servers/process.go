package servers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// program says how one server is run.
type program struct {
	name  string                          // for messages, for instance "redis-server 6379"
	path  string                          // of the executable
	args  []string                        // the same at each start
	env   []string                        // besides the test's own
	dir   string                          // the working directory; output goes to dir/output.log
	user  string                          // run as this user where the test runs as root; empty = as the test
	forks bool                            // it works in child processes: what befalls it befalls them too
	ends  syscall.Signal                  // what Stop sends; 0 = SIGTERM
	ready func(ctx context.Context) error // nil once the server serves
}

// Process is one server. It is stopped when the test ends. Its methods may be called from any goroutine, one at a
// time.
type Process struct {
	program program

	mu    sync.Mutex
	cmd   *exec.Cmd
	ended chan struct{} // closed once cmd was waited for
}

// startPatience bounds how long a server may take until it serves, on a busy machine.
const startPatience = 60 * time.Second

// run starts a server and stops it when the test ends.
func run(tb testing.TB, p program) (*Process, error) {
	server := &Process{program: p}
	tb.Cleanup(func() {
		server.Kill()
		if tb.Failed() {
			tb.Logf("the end of the output of %s:\n%s", p.name, lastLines(server.Output(), 50))
		}
	})
	return server, server.Start()
}

// Start starts the server, again after Kill or Stop, and waits until it serves.
func (p *Process) Start() error {
	ctx, cancel := context.WithTimeout(context.Background(), startPatience)
	defer cancel()
	ended, err := p.spawn()
	if err != nil {
		return fmt.Errorf("start %s: %w", p.program.name, err)
	}
	for {
		err := p.program.ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ended:
			return fmt.Errorf("%s ended instead of serving (%w); its output:\n%s", p.program.name, err, p.Output())
		case <-ctx.Done():
			p.Kill()
			return fmt.Errorf("%s does not serve after %v: %w; its output:\n%s", p.program.name, startPatience, err, p.Output())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (p *Process) spawn() (ended chan struct{}, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil {
		return nil, errors.New("it is running")
	}
	output, err := os.OpenFile(p.outputPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer output.Close()
	cmd := exec.Command(p.program.path, p.program.args...)
	cmd.Dir, cmd.Env = p.program.dir, append(os.Environ(), p.program.env...)
	cmd.Stdout, cmd.Stderr = output, output
	if cmd.SysProcAttr, err = attributes(p.program.user); err != nil {
		return nil, err
	}
	ended = make(chan struct{})
	started := make(chan error)
	go func() {
		// The thread that started a child lives as long as the child: its end would end the child too (see attributes).
		defer holdThread()()
		err := cmd.Start()
		started <- err
		if err == nil {
			cmd.Wait()
			close(ended)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	p.cmd, p.ended = cmd, ended
	return ended, nil
}

// Kill ends the server at once, as a crash does, and waits for its end. It does nothing where it does not run.
func (p *Process) Kill() { p.end(syscall.SIGKILL) }

// Stop asks the server to end, waits for it, and kills it if that takes longer than ten seconds.
func (p *Process) Stop() { p.end(cmp.Or(p.program.ends, syscall.SIGTERM)) }

func (p *Process) end(signal syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return
	}
	if signal == syscall.SIGKILL {
		children := p.signalAll(syscall.SIGSTOP) // so that it starts no more of them
		signalEach(children, signal)
		defer awaitEnd(children)
	}
	p.cmd.Process.Signal(signal)
	p.signalAll(syscall.SIGCONT) // a frozen process does not end
	select {
	case <-p.ended:
	case <-time.After(10 * time.Second):
		p.cmd.Process.Kill()
		<-p.ended
	}
	p.cmd = nil
}

// Freeze stops the server from doing anything, until Thaw. Its connections stay open.
func (p *Process) Freeze() error { return p.signal(syscall.SIGSTOP) }

// Thaw lets a frozen server go on.
func (p *Process) Thaw() error { return p.signal(syscall.SIGCONT) }

func (p *Process) signal(signal syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return fmt.Errorf("%s does not run", p.program.name)
	}
	children := p.signalAll(signal)
	if signal == syscall.SIGSTOP {
		awaitStop(append(children, p.cmd.Process.Pid))
	}
	return nil
}

// signalAll signals the process, and its children after it, which it returns.
func (p *Process) signalAll(signal syscall.Signal) (children []int) {
	pid := p.cmd.Process.Pid
	p.cmd.Process.Signal(signal)
	if p.program.forks {
		children = childrenOf(pid)
		signalEach(children, signal)
	}
	return children
}

func signalEach(pids []int, signal syscall.Signal) {
	for _, pid := range pids {
		if process, err := os.FindProcess(pid); err == nil {
			process.Signal(signal)
		}
	}
}

// Output is what the server has written to its standard output and error so far.
func (p *Process) Output() string {
	text, err := os.ReadFile(p.outputPath())
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func lastLines(text string, n int) string {
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "")
}

func (p *Process) outputPath() string { return filepath.Join(p.program.dir, "output.log") }

// find returns the path of an executable, which may lie in one of more folders besides PATH. Where there is none the
// test is skipped, or fails if REQUIRE_SERVERS=1. With -short it is always skipped.
func find(tb testing.TB, command, debianPackage string, folders ...string) string {
	tb.Helper()
	if testing.Short() {
		tb.Skipf("left out by -short: it needs %s", command)
	}
	if path, err := exec.LookPath(command); err == nil {
		return path
	}
	for _, pattern := range folders {
		matches, _ := filepath.Glob(filepath.Join(pattern, command))
		if len(matches) > 0 {
			return matches[len(matches)-1] // the newest version
		}
	}
	if os.Getenv("REQUIRE_SERVERS") == "1" {
		tb.Fatalf("%s is missing, and REQUIRE_SERVERS=1 asks for it (Debian: %s)", command, debianPackage)
	}
	tb.Skipf("NOT TESTED: %s is missing (Debian: %s)", command, debianPackage)
	return ""
}
