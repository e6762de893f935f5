package cumulet

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	urlVariable   = "CUMULET_URL"
	tokenVariable = "CUMULET_CONTROL_TOKEN"
	// authorityVariable names the file with the authority of an emulator with --tls.
	authorityVariable = "OS_CACERT"
)

// ownVariables replace what the environment, or cumulet.yaml, says about an emulator that keeps
// running.
var ownVariables = map[string]string{
	"CUMULET_HOST":         "127.0.0.1",
	"CUMULET_LISTEN":       "",
	"CUMULET_NATIVE_PORTS": "off",
	"CUMULET_WORKERS":      "1",
}

// Option changes how an emulator is started.
type Option func(*settings)

type settings struct {
	command  []string
	flags    []string
	frozenAt *time.Time
	timeout  time.Duration
	journal  int
}

// WithRegions creates these regions, instead of RegionOne.
func WithRegions(names ...string) Option { return WithFlags("--regions", strings.Join(names, ",")) }

// WithHosts creates this number of hosts in each region.
func WithHosts(count int) Option { return WithFlags("--hosts", strconv.Itoa(count)) }

// WithSeed starts with the cloud in a file of Cloud.ExportTo, and returns to it at each reset.
func WithSeed(file string) Option { return WithFlags("--seed", file) }

// WithPreset starts with a named world, such as three-zones; "cumulet presets" lists them.
func WithPreset(name string) Option { return WithFlags("--preset", name) }

// WithProfile is WithPreset for six-pods and three-regions.
//
// Deprecated: use WithPreset.
func WithProfile(name string) Option { return WithFlags("--profile", name) }

// WithJournal keeps this number of requests in the journal, instead of 1,000.
func WithJournal(keep int) Option { return func(s *settings) { s.journal = keep } }

// WithClock freezes the clock at this time, at the start and after each reset.
func WithClock(now time.Time) Option { return func(s *settings) { s.frozenAt = &now } }

// WithFlags adds words to the command line of the emulator; docs/reference/options.md lists them.
func WithFlags(words ...string) Option {
	return func(s *settings) { s.flags = append(s.flags, words...) }
}

// WithCommand starts the emulator with this command, instead of cumulet or npx.
func WithCommand(words ...string) Option { return func(s *settings) { s.command = words } }

// WithTimeout is how long a start may take, instead of a minute.
func WithTimeout(timeout time.Duration) Option { return func(s *settings) { s.timeout = timeout } }

// Start starts an emulator with a new cloud in memory on a free port, and stops it when the test
// has ended. If the test fails, its log has the requests that the cloud received.
func Start(t testing.TB, options ...Option) *Cloud {
	t.Helper()
	cloud, err := Launch(options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cloud.logRequests(t)
		cloud.Stop()
	})
	return cloud
}

// Fresh resets the cloud for a test that shares it with others. If the test fails, its log has the
// requests that the cloud received.
func (c *Cloud) Fresh(t testing.TB) *Cloud {
	t.Helper()
	if err := c.Reset(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.logRequests(t) })
	return c
}

// Launch starts an emulator as Start does, for example in TestMain. The program is cumulet on PATH,
// or else npx --no-install cumulet. It runs until Cloud.Stop, or until this process ends. Options
// that are not given, and the world, are those of the closest cumulet.yaml.
func Launch(options ...Option) (*Cloud, error) {
	s := settings{timeout: time.Minute, journal: 1000}
	for _, option := range options {
		option(&s)
	}
	if s.command == nil {
		command, err := findCommand()
		if err != nil {
			return nil, err
		}
		s.command = command
	}
	words := append(append([]string{}, s.command...), "start", "--port", "0", "--database", "memory:",
		"--log-level", "warn", "--journal", strconv.Itoa(s.journal))
	started, err := startProcess(append(words, s.flags...), s.token(), s.timeout)
	if err != nil {
		return nil, err
	}
	cloud, err := newCloud(started.url, s.token(), started.cacert)
	if err != nil {
		started.stop()
		return nil, err
	}
	cloud.stop = started.stop
	cloud.frozenAt = s.frozenAt
	if s.frozenAt != nil {
		if _, err := cloud.Clock.FreezeAt(*s.frozenAt); err != nil {
			cloud.Stop()
			return nil, err
		}
	}
	return cloud, nil
}

func (s settings) token() string {
	for at, word := range s.flags {
		if word == "--control-token" && at+1 < len(s.flags) {
			return s.flags[at+1]
		}
	}
	return os.Getenv(tokenVariable)
}

func findCommand() ([]string, error) {
	if cumulet, err := exec.LookPath("cumulet"); err == nil {
		return []string{cumulet}, nil
	}
	if npx, err := exec.LookPath("npx"); err == nil {
		return []string{npx, "--no-install", "cumulet"}, nil
	}
	return nil, &Error{Message: "neither cumulet nor npx is on PATH: install Node.js and the npm " +
		"package cumulet, or use Connect with the address of a running emulator"}
}

// process is a running emulator.
type process struct {
	url string
	// cacert is the file with its authority, with TLS.
	cacert string
	stop   func()
}

// stopTimeout is how long an emulator may take to end before it is killed.
const stopTimeout = 10 * time.Second

var (
	listening = regexp.MustCompile(`listens at (\S+)`)
	authority = regexp.MustCompile(`^  CA +(.+)$`)
	lastLine  = regexp.MustCompile(`^  Stop `)
)

// startProcess starts an emulator, and returns when it has printed its URL.
func startProcess(command []string, token string, timeout time.Duration) (*process, error) {
	child := supervised(command)
	child.Env = environment(token)
	stdin, err := child.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := child.StdoutPipe()
	if err != nil {
		return nil, err
	}
	child.Stderr = child.Stdout
	if err := child.Start(); err != nil {
		return nil, &Error{Message: fmt.Sprintf(
			"'%s' cannot be started: %v", strings.Join(command, " "), err)}
	}
	found := make(chan process, 1)
	text := make(chan string, 1)
	ended := make(chan struct{})
	go func() {
		readOutput(output, found, text)
		_ = child.Wait()
		close(ended)
	}()
	stop := func() {
		stdin.Close()
		end(child)
		select {
		case <-ended:
		case <-time.After(stopTimeout):
			kill(child)
			<-ended
		}
	}
	failure := func(problem string) error {
		stop()
		return &Error{Message: fmt.Sprintf("'%s' %s%s\n%s",
			strings.Join(command, " "), problem, advice(command), <-text)}
	}
	select {
	case greeted, isFound := <-found:
		if !isFound {
			stop()
			return nil, failure(fmt.Sprintf("ended with exit code %d.", child.ProcessState.ExitCode()))
		}
		greeted.stop = stop
		return &greeted, nil
	case <-time.After(timeout):
		return nil, failure(fmt.Sprintf("printed no URL within %s.", timeout))
	}
}

// readOutput reads until the end, so that the emulator never waits for a reader. It reports the
// URL and the authority, or closes found at the end, and the first lines as text.
func readOutput(output io.Reader, found chan<- process, text chan<- string) {
	var first strings.Builder
	isFound := false
	var greeted process
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if isFound {
			continue
		}
		fmt.Fprintln(&first, lines.Text())
		if match := listening.FindStringSubmatch(lines.Text()); match != nil {
			greeted.url = match[1]
		}
		if match := authority.FindStringSubmatch(lines.Text()); match != nil {
			greeted.cacert = match[1]
		}
		if strings.HasPrefix(greeted.url, "http:") ||
			(greeted.url != "" && lastLine.MatchString(lines.Text())) {
			isFound = true
			found <- greeted
		}
	}
	_, _ = io.Copy(io.Discard, output)
	close(found)
	text <- first.String()
}

func advice(command []string) string {
	if strings.Contains(strings.Join(command, " "), "--no-install") {
		return " Install the npm package cumulet in this project or globally."
	}
	return ""
}

// environment returns the variables of the emulator, with the control token that this process sends.
func environment(token string) []string {
	kept := []string{tokenVariable + "=" + token}
	for name, value := range ownVariables {
		kept = append(kept, name+"="+value)
	}
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if _, isOwn := ownVariables[name]; !isOwn && name != urlVariable && name != tokenVariable {
			kept = append(kept, variable)
		}
	}
	return kept
}
