package cumulet_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cumulet"
)

var shared *cumulet.Cloud

func TestMain(m *testing.M) {
	cloud, err := cumulet.Launch()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if os.Getenv(starterVariable) != "" {
		fmt.Println(cloud.URL)
		select {}
	}
	shared = cloud
	code := m.Run()
	cloud.Stop()
	os.Exit(code)
}

// starterVariable makes this program start an emulator and wait, instead of running tests.
const starterVariable = "STARTER_OF_AN_EMULATOR"

func TestEmulatorEndsIfItsStarterIsKilled(t *testing.T) {
	starter := exec.Command(os.Args[0])
	starter.Env = append(os.Environ(), starterVariable+"=1")
	output, err := starter.StdoutPipe()
	check(t, err)
	check(t, starter.Start())
	line, err := bufio.NewReader(output).ReadString('\n')
	check(t, err)
	url := strings.TrimSpace(line)
	cloud := must(cumulet.Connect(url))
	check(t, starter.Process.Kill())
	for err == nil {
		_, err = cloud.Health()
	}
	refused(t, err, 0)
	_ = starter.Wait()
}

// must returns a value, and panics with the error if there is one.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal[T comparable](t *testing.T, actual, expected T) {
	t.Helper()
	if actual != expected {
		t.Fatalf("got %v, want %v", actual, expected)
	}
}

// refused checks that the error is a refusal with this status.
func refused(t *testing.T, err error, status int) {
	t.Helper()
	var refusal *cumulet.Error
	if !errors.As(err, &refusal) || refusal.Status != status {
		t.Fatalf("got %v, want a refusal with status %d", err, status)
	}
}

// get sends a request without a token, and returns the status.
func get(t *testing.T, url string) int {
	t.Helper()
	reply, err := http.Get(url)
	check(t, err)
	defer reply.Body.Close()
	_, err = io.Copy(io.Discard, reply.Body)
	check(t, err)
	return reply.StatusCode
}

func hostNames(cloud *cumulet.Cloud, region string) string {
	var names []string
	for _, host := range must(cloud.Hosts.List(region)) {
		names = append(names, host.Name)
	}
	return strings.Join(names, " ")
}

var newYear = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

func TestCredentialsAreThoseOfAdmin(t *testing.T) {
	cloud := shared.Fresh(t)
	credentials := must(cloud.Credentials())
	equal(t, credentials.AuthURL, cloud.URL+"/identity/v3")
	equal(t, credentials.Username+credentials.Password+credentials.ProjectName, "adminsecretadmin")
	if !strings.Contains(must(cloud.CloudsYAML()), "cumulet-demo:") {
		t.Error("clouds.yaml lacks the user demo")
	}
}

func TestStartGivesACloudOfItsOwn(t *testing.T) {
	t.Parallel()
	cloud := cumulet.Start(t, cumulet.WithRegions("One", "Two"), cumulet.WithHosts(1),
		cumulet.WithClock(newYear), cumulet.WithJournal(5))
	equal(t, len(must(cloud.Regions.List())), 2)
	equal(t, len(must(cloud.Hosts.List("Two"))), 1)
	must(cloud.Clock.Advance(time.Hour))
	check(t, cloud.Reset())
	equal(t, must(cloud.Clock.Read()).Now, newYear)
}

func TestControlTokenIsSent(t *testing.T) {
	cloud := cumulet.Start(t, cumulet.WithFlags("--control-token", "sesame"))
	must(cloud.Info())
	t.Setenv("CUMULET_CONTROL_TOKEN", "wrong")
	_, err := cumulet.Connect(cloud.URL)
	refused(t, err, 403)
}

func TestConnectUsesTheVariable(t *testing.T) {
	t.Setenv("CUMULET_URL", shared.URL)
	cloud := must(cumulet.Connect(""))
	cloud.Stop()
	equal(t, must(cloud.Health()).Status, "ok")
	t.Setenv("CUMULET_URL", "")
	_, err := cumulet.Connect("")
	refused(t, err, 0)
	_, err = cumulet.Connect("http://127.0.0.1:9")
	refused(t, err, 0)
}

func TestStartReadsCumuletYaml(t *testing.T) {
	text := "options: { regions: [Mine], workers: 2, listen: none=1, control-token: sesame }\n" +
		"world: { hosts: 2 }\n"
	file := filepath.Join(t.TempDir(), "cumulet.yaml")
	check(t, os.WriteFile(file, []byte(text), 0o600))
	t.Setenv("CUMULET_CONFIG", file)
	cloud := cumulet.Start(t)
	equal(t, must(cloud.Regions.List())[0].Name, "Mine")
	equal(t, len(must(cloud.Hosts.List(""))), 2)
	preset := cumulet.Start(t, cumulet.WithPreset("three-zones"), cumulet.WithFlags("--no-config"))
	equal(t, len(must(preset.Hosts.List(""))), 9)
	check(t, cloud.ResetToPreset("full"))
	equal(t, cloud.ResetToPreset("two-zones") == nil, false)
}

func TestLaunchReportsACommandThatFails(t *testing.T) {
	_, err := cumulet.Launch(cumulet.WithFlags("--no-such-option"))
	if err == nil || !strings.Contains(err.Error(), "exit code 1") ||
		!strings.Contains(err.Error(), "unknown option '--no-such-option'") {
		t.Fatal(err)
	}
	_, err = cumulet.Launch(cumulet.WithCommand("sh", "-c", "exec sleep 60"),
		cumulet.WithTimeout(100*time.Millisecond))
	if err == nil || !strings.Contains(err.Error(), "no URL within 100ms") {
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir())
	_, err = cumulet.Launch()
	if err == nil || !strings.Contains(err.Error(), "neither cumulet nor npx") {
		t.Fatal(err)
	}
}

func TestStopEndsTheEmulator(t *testing.T) {
	cloud := must(cumulet.Launch())
	cloud.Stop()
	cloud.Stop()
	_, err := cloud.Health()
	refused(t, err, 0)
}

func TestResetReturnsToTheInitialState(t *testing.T) {
	cloud := shared.Fresh(t)
	before := hostNames(cloud, "")
	must(cloud.Hosts.Add(cumulet.NewHost{
		Name: "extra", VCPUs: 2, Ratios: &cumulet.Amounts{VCPUs: 1.5}, Zone: "az9"}))
	equal(t, hostNames(cloud, ""), before+" extra")
	must(cloud.Clock.FreezeAt(newYear))
	check(t, cloud.ResetPart("", "compute"))
	equal(t, must(cloud.Clock.Read()).Frozen, true)
	check(t, cloud.Reset())
	equal(t, must(cloud.Clock.Read()).Frozen, false)
	equal(t, hostNames(cloud, ""), before)
	refused(t, cloud.ResetPart("", "nova"), 400)
}

func TestDeletedProjectLeavesNothing(t *testing.T) {
	cloud := shared.Fresh(t)
	project := must(cloud.Projects.Create(cumulet.ProjectOptions{
		Name: "mine", Roles: []string{"reader"}, Quotas: map[string]map[string]int{"compute": {"cores": 1}}}))
	equal(t, project.Env["OS_PROJECT_NAME"], "mine")
	equal(t, must(cloud.Projects.List())[0].ID, project.ID)
	equal(t, must(cloud.Projects.Delete(project.ID))["networks"], 1)
	equal(t, len(must(cloud.Projects.List())), 0)
}

func TestRestoreReturnsToASnapshot(t *testing.T) {
	cloud := shared.Fresh(t)
	must(cloud.Hosts.Add(cumulet.NewHost{Name: "kept"}))
	equal(t, must(cloud.Snapshot("s")).Name, "s")
	check(t, cloud.Hosts.Delete("kept", ""))
	check(t, cloud.Restore("s"))
	if !strings.Contains(hostNames(cloud, ""), "kept") {
		t.Error("the host is missing")
	}
	equal(t, len(must(cloud.Snapshots.List())), 1)
	equal(t, must(cloud.Snapshots.Show("s")).Regions[0], "RegionOne")
	check(t, cloud.Snapshots.Delete("s"))
	refused(t, cloud.Restore("s"), 404)
}

func TestExportSeedsAnotherCloud(t *testing.T) {
	cloud := shared.Fresh(t)
	must(cloud.Hosts.Add(cumulet.NewHost{Name: "kept"}))
	var document bytes.Buffer
	check(t, cloud.ExportTo(&document, ""))
	file := filepath.Join(t.TempDir(), "cloud.ndjson")
	check(t, os.WriteFile(file, document.Bytes(), 0o600))
	check(t, cloud.Reset())
	check(t, cloud.ImportFrom(&document, false))
	seeded := cumulet.Start(t, cumulet.WithSeed(file))
	equal(t, hostNames(seeded, ""), hostNames(cloud, ""))
}

func TestClockIsFrozenSetAndAdvanced(t *testing.T) {
	cloud := shared.Fresh(t)
	must(cloud.Clock.FreezeAt(newYear))
	equal(t, must(cloud.Clock.Advance(90*time.Minute)).Now, newYear.Add(90*time.Minute))
	equal(t, must(cloud.Clock.AdvanceTo(newYear.AddDate(0, 1, 0))).Now, newYear.AddDate(0, 1, 0))
	equal(t, must(cloud.Clock.Set(newYear)).Frozen, true)
	equal(t, must(cloud.Clock.Unfreeze()).Frozen, false)
	equal(t, must(cloud.Clock.Freeze()).Frozen, true)
	_, err := cloud.Clock.AdvanceTo(newYear.AddDate(-1, 0, 0))
	refused(t, err, 400)
}

func TestFaultRuleHitsAsManyRequestsAsItSays(t *testing.T) {
	cloud := shared.Fresh(t)
	url := cloud.URL + "/identity/v3"
	rule := must(cloud.Faults.Add(cumulet.FaultPlan{
		Match:  cumulet.FaultMatch{Service: "identity"},
		Effect: cumulet.FaultEffect{Status: 503},
		Count:  1,
		Skip:   1,
	}))
	equal(t, fmt.Sprint(get(t, url), get(t, url), get(t, url)), "200 503 200")
	equal(t, must(cloud.Faults.Show(rule.ID)).Hit, 1)
	equal(t, must(cloud.Faults.List())[0].Spent, true)
	check(t, cloud.Faults.Delete(rule.ID))
	check(t, cloud.Faults.Clear())
	equal(t, len(must(cloud.Faults.List())), 0)
}

func TestJournalListsAndChecksRequests(t *testing.T) {
	cloud := shared.Fresh(t)
	get(t, cloud.URL+"/identity/v3")
	get(t, cloud.URL+"/compute/v2.1/servers?limit=1")
	refusals := must(cloud.Requests.List(
		cumulet.JournalMatch{Service: "compute", Status: "4xx", Inside: false}, cumulet.Page{Limit: 5}))
	equal(t, len(refusals), 1)
	equal(t, must(cloud.Requests.Show(refusals[0].RequestID)).ID, refusals[0].ID)
	if !strings.Contains(refusals[0].String(), "GET /compute/v2.1/servers?limit=1  401") {
		t.Error(refusals[0])
	}
	audited := must(cloud.Requests.Versions(cumulet.JournalMatch{Service: "compute"}))
	equal(t, audited[0].Service, "compute")
	none := ""
	unversioned := cumulet.JournalMatch{VersionAsked: &none}
	equal(t, len(must(cloud.Requests.List(unversioned))), 2)
	must(cloud.Requests.Check(cumulet.Assertion{Times: cumulet.Int(2)}))
	must(cloud.Requests.Check(cumulet.Assertion{
		Sequence: []cumulet.JournalMatch{{Service: "identity"}, {Service: "compute"}}}))
	_, err := cloud.Requests.Check(cumulet.Assertion{
		Match: cumulet.JournalMatch{Service: "identity", Method: "POST"}})
	var failure *cumulet.RequestsError
	if !errors.As(err, &failure) || failure.NearMisses[0].Condition != "method" {
		t.Fatal(err)
	}
	check(t, cloud.Requests.Clear())
	must(cloud.Requests.Check(cumulet.Assertion{Times: cumulet.Int(0)}))
}

func TestCheckOfAJournalThatIsOffIsRefused(t *testing.T) {
	cloud := shared.Fresh(t)
	check(t, cloud.Requests.Keep(0))
	_, err := cloud.Requests.Check(cumulet.Assertion{Never: true})
	refused(t, err, 409)
	check(t, cloud.Requests.Keep(1000))
}

func TestRegionIsForked(t *testing.T) {
	cloud := shared.Fresh(t)
	must(cloud.Hosts.Add(cumulet.NewHost{Name: "kept"}))
	equal(t, must(cloud.Regions.Add("Fork", "RegionOne")).Path, "/Fork")
	equal(t, hostNames(cloud, "Fork"), hostNames(cloud, ""))
	equal(t, must(cloud.Regions.Show("Fork")).Name, "Fork")
	check(t, cloud.Regions.Delete("Fork"))
	refused(t, cloud.Regions.Delete("../Fork"), 404)
}

func TestPodIsDrained(t *testing.T) {
	cloud := cumulet.Start(t, cumulet.WithProfile("six-pods"))
	plan := must(cloud.Pods.Drain("Pod1", cumulet.DrainOptions{DryRun: true}))
	equal(t, plan.Status, "PLANNED")
	migration := must(cloud.Pods.Drain("Pod1", cumulet.DrainOptions{Target: "Pod2"}))
	equal(t, must(cloud.Pods.Migration(*migration.ID)).Status, "SUCCESS")
	_, err := cloud.Pods.Migration("missing")
	refused(t, err, 404)
}

func TestEmulatorDescribesItself(t *testing.T) {
	cloud := shared.Fresh(t)
	equal(t, must(cloud.Info()).Services["compute"].MinVersion, "2.1")
	equal(t, must(cloud.Ready()).Ready, true)
	equal(t, len(must(cloud.Outbox("RegionOne"))), 0)
	description := must(cloud.OpenAPI("placement", "1.10"))
	equal(t, description["openapi"].(string), "3.1.0")
	equal(t, must(cloud.Purge("RegionOne", 1))["compute"], 0)
	equal(t, strings.Contains(must(cloud.Metrics()), "cumulet"), true)
}

func TestJobsNotificationsAndSettings(t *testing.T) {
	cloud := shared.Fresh(t)
	equal(t, len(must(cloud.Jobs.List(cumulet.JobFilter{Service: "compute", Limit: 5}))), 0)
	_, err := cloud.Jobs.Retry("0")
	refused(t, err, 404)
	refused(t, cloud.Jobs.Delete("0"), 404)
	check(t, cloud.Notifications.Keep(10))
	equal(t, len(must(cloud.Notifications.List(cumulet.NotificationFilter{After: 1}))), 0)
	check(t, cloud.Notifications.Clear())
	check(t, cloud.Notifications.Keep(0))
	changed := must(cloud.Settings.Update("compute", "", map[string]interface{}{"max_limit": 10}))
	equal(t, fmt.Sprint(changed["max_limit"]), "10")
	equal(t, fmt.Sprint(must(cloud.Settings.Show("compute", "RegionOne"))["max_limit"]), "10")
}

// failedTest is a test that has failed, and keeps its log.
type failedTest struct {
	testing.TB
	log     string
	cleanup []func()
}

func (f *failedTest) Helper()                              {}
func (f *failedTest) Failed() bool                         { return true }
func (f *failedTest) Cleanup(after func())                 { f.cleanup = append(f.cleanup, after) }
func (f *failedTest) Log(values ...interface{})            { f.log += fmt.Sprintln(values...) }
func (f *failedTest) Logf(format string, v ...interface{}) { f.Log(fmt.Sprintf(format, v...)) }

func TestFailedTestLogsItsRequests(t *testing.T) {
	get(t, shared.URL+"/network/")
	failed := &failedTest{TB: t}
	cloud := shared.Fresh(failed)
	get(t, cloud.URL+"/compute/v2.1/servers")
	failed.cleanup[0]()
	for _, part := range []string{"GET /compute/v2.1/servers  401", "reply: {"} {
		if !strings.Contains(failed.log, part) {
			t.Errorf("the log lacks %q: %s", part, failed.log)
		}
	}
	if strings.Contains(failed.log, "/network/") {
		t.Errorf("the log has requests from before the test: %s", failed.log)
	}
}
