//go:build !windows

package cumulet

import (
	"os/exec"
	"syscall"
)

// supervisor runs a command until the end of stdin, which also comes when this process is killed,
// as by a timeout of go test.
const supervisor = `
"$@" </dev/null &
server=$!
exec >/dev/null 2>&1
cat
kill "$server"
wait "$server"
`

// supervised returns the command in a process group of its own, so that Ctrl-C leaves the emulator
// to the end of the tests.
func supervised(command []string) *exec.Cmd {
	child := exec.Command("/bin/sh", append([]string{"-c", supervisor, "sh"}, command...)...)
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return child
}

// end asks the command to end. The end of stdin, which precedes it, is enough.
func end(*exec.Cmd) {}

func kill(child *exec.Cmd) { _ = syscall.Kill(-child.Process.Pid, syscall.SIGKILL) }
