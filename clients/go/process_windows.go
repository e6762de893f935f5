package cumulet

import "os/exec"

func supervised(command []string) *exec.Cmd { return exec.Command(command[0], command[1:]...) }

// end asks the command to end.
func end(child *exec.Cmd) { kill(child) }

func kill(child *exec.Cmd) { _ = child.Process.Kill() }
