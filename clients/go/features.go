package cumulet

import (
	"strconv"
	"time"
)

// ClockControl controls the clock of a cloud.
type ClockControl struct{ api *api }

// Read returns the emulated time.
func (c *ClockControl) Read() (Clock, error) {
	var reply Clock
	err := c.api.send("clock:show", request{}, &reply)
	return reply, err
}

// Freeze stops the clock.
func (c *ClockControl) Freeze() (MovedClock, error) { return c.update(nil, boolean(true)) }

// FreezeAt stops the clock at this time.
func (c *ClockControl) FreezeAt(now time.Time) (MovedClock, error) {
	return c.update(&now, boolean(true))
}

// Unfreeze lets the clock run on from its time.
func (c *ClockControl) Unfreeze() (MovedClock, error) { return c.update(nil, boolean(false)) }

// Set sets the time. A frozen clock stays frozen.
func (c *ClockControl) Set(now time.Time) (MovedClock, error) { return c.update(&now, nil) }

// Advance moves the clock forward, and returns when everything that becomes due has happened.
func (c *ClockControl) Advance(by time.Duration) (MovedClock, error) {
	return c.advance(nil, by.Seconds())
}

// AdvanceTo moves the clock forward to this time, as Advance does.
func (c *ClockControl) AdvanceTo(to time.Time) (MovedClock, error) { return c.advance(&to, 0) }

func (c *ClockControl) update(now *time.Time, frozen *bool) (MovedClock, error) {
	body := map[string]interface{}{}
	if now != nil {
		body["now"] = now.Format(time.RFC3339Nano)
	}
	if frozen != nil {
		body["frozen"] = *frozen
	}
	var reply MovedClock
	err := c.api.send("clock:update", request{body: body}, &reply)
	return reply, err
}

func (c *ClockControl) advance(to *time.Time, seconds float64) (MovedClock, error) {
	body := map[string]interface{}{"seconds": seconds}
	if to != nil {
		body["to"] = to.Format(time.RFC3339Nano)
	}
	var reply MovedClock
	err := c.api.send("clock:advance", request{body: body}, &reply)
	return reply, err
}

func boolean(value bool) *bool { return &value }

// Int returns a pointer to a number, for the counts of an Assertion.
func Int(value int) *int { return &value }

// Faults are rules that make requests fail or slow them down.
type Faults struct{ api *api }

type oneFault struct {
	Fault FaultRule `json:"fault"`
}

// Add adds a rule, and returns it with its id once it is in force.
func (f *Faults) Add(plan FaultPlan) (FaultRule, error) {
	var reply oneFault
	err := f.api.send("faults:create", request{body: plan}, &reply)
	return reply.Fault, err
}

// List lists the rules with their counters, the oldest first.
func (f *Faults) List() ([]FaultRule, error) {
	var reply struct {
		Faults []FaultRule `json:"faults"`
	}
	err := f.api.send("faults:list", request{}, &reply)
	return reply.Faults, err
}

// Show returns a rule with its counters.
func (f *Faults) Show(id int) (FaultRule, error) {
	var reply oneFault
	path := map[string]string{"id": strconv.Itoa(id)}
	err := f.api.send("faults:show", request{path: path}, &reply)
	return reply.Fault, err
}

// Delete removes a rule.
func (f *Faults) Delete(id int) error {
	path := map[string]string{"id": strconv.Itoa(id)}
	return f.api.send("faults:delete", request{path: path}, nil)
}

// Clear removes all rules.
func (f *Faults) Clear() error { return f.api.send("faults:clear", request{}, nil) }

// Scenarios lists the failure scenarios, sorted by name, with the rules of each.
func (f *Faults) Scenarios() ([]FaultScenario, error) {
	var reply struct {
		Scenarios []FaultScenario `json:"scenarios"`
	}
	err := f.api.send("fault_scenarios:list", request{}, &reply)
	return reply.Scenarios, err
}

// AddScenario adds the rules of a scenario, such as "flaky-network", and returns them.
func (f *Faults) AddScenario(name string) ([]FaultRule, error) {
	var reply struct {
		Faults []FaultRule `json:"faults"`
	}
	path := map[string]string{"name": name}
	err := f.api.send("fault_scenarios:add", request{path: path}, &reply)
	return reply.Faults, err
}

// Requests is the journal: the requests that the cloud received, without those to the emulator's
// API.
type Requests struct{ api *api }

// List lists the newest requests that match, 100 without a limit, in the order of their arrival.
func (r *Requests) List(match JournalMatch, page ...Page) ([]JournalEntry, error) {
	query := struct {
		JournalMatch
		Page
	}{JournalMatch: match}
	if len(page) > 0 {
		query.Page = page[0]
	}
	var reply struct {
		Requests []JournalEntry `json:"requests"`
	}
	err := r.api.send("requests:list", request{query: query}, &reply)
	return reply.Requests, err
}

// Show returns a request by its number, as text, or by its request id.
func (r *Requests) Show(id string) (JournalEntry, error) {
	var reply struct {
		Request JournalEntry `json:"request"`
	}
	path := map[string]string{"id": id}
	err := r.api.send("requests:show", request{path: path}, &reply)
	return reply.Request, err
}

// Check returns the requests that match, or a RequestsError with near misses if the assertion does
// not hold.
func (r *Requests) Check(assertion Assertion) ([]JournalEntry, error) {
	var reply struct {
		Requests []JournalEntry `json:"requests"`
	}
	body := struct {
		Assertion
		// An assertion has a match or a sequence.
		Match *JournalMatch `json:"match,omitempty"`
	}{Assertion: assertion}
	if assertion.Sequence == nil {
		body.Match = &assertion.Match
	}
	err := r.api.send("requests:assert", request{body: body}, &reply)
	return reply.Requests, err
}

// Versions returns the microversions that each client asked for, and what newer ones change.
func (r *Requests) Versions(match JournalMatch) ([]AuditedClient, error) {
	var reply struct {
		Clients []AuditedClient `json:"clients"`
	}
	err := r.api.send("requests:versions", request{query: match}, &reply)
	return reply.Clients, err
}

// Keep sets how many requests the journal keeps; 0 switches it off.
func (r *Requests) Keep(keep int) error {
	return r.api.send("requests:update", request{body: map[string]int{"keep": keep}}, nil)
}

// Clear empties the journal.
func (r *Requests) Clear() error { return r.api.send("requests:clear", request{}, nil) }

// Snapshots are the named snapshots. Cloud.Snapshot takes one, Cloud.Restore returns to it.
type Snapshots struct{ api *api }

// List lists the snapshots, sorted by name.
func (s *Snapshots) List() ([]Snapshot, error) {
	var reply struct {
		Snapshots []Snapshot `json:"snapshots"`
	}
	err := s.api.send("snapshots:list", request{}, &reply)
	return reply.Snapshots, err
}

// Show returns a snapshot.
func (s *Snapshots) Show(name string) (Snapshot, error) {
	var reply struct {
		Snapshot Snapshot `json:"snapshot"`
	}
	path := map[string]string{"name": name}
	err := s.api.send("snapshots:show", request{path: path}, &reply)
	return reply.Snapshot, err
}

// Delete deletes a snapshot.
func (s *Snapshots) Delete(name string) error {
	return s.api.send("snapshots:delete", request{path: map[string]string{"name": name}}, nil)
}

// Regions are the regions of the cloud.
type Regions struct{ api *api }

type oneRegion struct {
	Region Region `json:"region"`
}

// List lists the regions, in the order in which they were added.
func (r *Regions) List() ([]Region, error) {
	var reply struct {
		Regions []Region `json:"regions"`
	}
	err := r.api.send("regions:list", request{}, &reply)
	return reply.Regions, err
}

// Show returns a region.
func (r *Regions) Show(name string) (Region, error) {
	var reply oneRegion
	path := map[string]string{"name": name}
	err := r.api.send("regions:show", request{path: path}, &reply)
	return reply.Region, err
}

// Add adds a region: a new one, or a copy of another if from names one.
func (r *Regions) Add(name, from string) (Region, error) {
	var reply oneRegion
	body := optional(map[string]string{"name": name, "from": from})
	err := r.api.send("regions:create", request{body: body}, &reply)
	return reply.Region, err
}

// Delete drops a region with all its data.
func (r *Regions) Delete(name string) error {
	return r.api.send("regions:delete", request{path: map[string]string{"name": name}}, nil)
}

// Hosts are the hosts of Compute. An empty region is the first one.
type Hosts struct{ api *api }

// List lists the hosts of a region.
func (h *Hosts) List(region string) ([]Host, error) {
	var reply struct {
		Hosts []Host `json:"hosts"`
	}
	query := optional(map[string]string{"region": region})
	err := h.api.send("hosts:list", request{query: query}, &reply)
	return reply.Hosts, err
}

// Add adds a host.
func (h *Hosts) Add(host NewHost) (Host, error) {
	var reply Host
	err := h.api.send("hosts:create", request{body: host}, &reply)
	return reply, err
}

// Delete removes a host without servers.
func (h *Hosts) Delete(name, region string) error {
	return h.api.send("hosts:delete", request{
		path:  map[string]string{"name": name},
		query: optional(map[string]string{"region": region}),
	}, nil)
}

// Pods are the pods of Tricircle.
type Pods struct{ api *api }

// Drain puts a pod under maintenance, and moves its servers and volumes to other pods.
func (p *Pods) Drain(region string, options DrainOptions) (Migration, error) {
	var reply Migration
	path := map[string]string{"region": region}
	err := p.api.send("pods:drain", request{path: path, body: options}, &reply)
	return reply, err
}

// Migration returns a migration of Drain with its progress.
func (p *Pods) Migration(migrationId string) (Migration, error) {
	var reply Migration
	path := map[string]string{"migration_id": migrationId}
	err := p.api.send("migrations:show", request{path: path}, &reply)
	return reply, err
}

// Projects are the throw-away projects: for tests that share a cloud and run at the same time.
type Projects struct{ api *api }

// List lists the projects, the oldest first.
func (p *Projects) List() ([]Project, error) {
	var reply struct {
		Projects []Project `json:"projects"`
	}
	err := p.api.send("projects:list", request{}, &reply)
	return reply.Projects, err
}

// Create creates a project in a domain of its own, with a user and a network.
func (p *Projects) Create(options ProjectOptions) (NewProject, error) {
	var reply struct {
		Project NewProject `json:"project"`
	}
	err := p.api.send("projects:create", request{body: options}, &reply)
	return reply.Project, err
}

// Delete deletes a project and everything in it, and returns how many resources of each kind.
func (p *Projects) Delete(id string) (map[string]int, error) {
	var reply struct {
		Removed map[string]int `json:"removed"`
	}
	path := map[string]string{"id": id}
	err := p.api.send("projects:delete", request{path: path}, &reply)
	return reply.Removed, err
}

// Explanations says why services decide as they do. A cloud explains failures only, unless Update
// says all.
type Explanations struct{ api *api }

// List lists the newest explanations that match, the newest first.
func (e *Explanations) List(filter ExplanationFilter) ([]Explanation, error) {
	var reply struct {
		Explanations []Explanation `json:"explanations"`
	}
	err := e.api.send("explanations:list", request{query: filter}, &reply)
	return reply.Explanations, err
}

// Update explains all decisions from now on, or failures only.
func (e *Explanations) Update(all bool) error {
	return e.api.send("explanations:update", request{body: map[string]bool{"all": all}}, nil)
}

// Show shows the last decision about a subject of a kind, such as "servers" or "requests".
func (e *Explanations) Show(kind, id, region string) (Explanation, error) {
	var reply struct {
		Explanation Explanation `json:"explanation"`
	}
	err := e.api.send("explanations:show", request{
		path:  map[string]string{"kind": kind, "id": id},
		query: optional(map[string]string{"region": region}),
	}, &reply)
	return reply.Explanation, err
}

// Candidates explains which provider trees Placement offers for a query.
func (e *Explanations) Candidates(question CandidatesQuestion) (Explanation, error) {
	var reply struct {
		Explanation Explanation `json:"explanation"`
	}
	err := e.api.send("explanations:candidates", request{query: question}, &reply)
	return reply.Explanation, err
}

// Action explains what an action would do to a cluster now. The action is the body that Clustering
// takes, such as {"scale_out": {"count": 2}}.
func (e *Explanations) Action(cluster string, action map[string]any, region string) (Explanation, error) {
	var reply struct {
		Explanation Explanation `json:"explanation"`
	}
	err := e.api.send("explanations:action", request{
		query: optional(map[string]string{"region": region}),
		body:  map[string]any{"cluster": cluster, "action": action},
	}, &reply)
	return reply.Explanation, err
}

// CapacityCounts says how many more servers or allocations fit now, where, and what runs out first.
type CapacityCounts struct{ api *api }

// Servers counts how many more servers of a flavor fit if they are created one at a time.
func (c *CapacityCounts) Servers(question ServersQuestion) (Capacity, error) {
	var reply struct {
		Capacity Capacity `json:"capacity"`
	}
	err := c.api.send("capacity:servers", request{query: question}, &reply)
	return reply.Capacity, err
}

// Nodes counts how many more nodes of a profile fit if they are created one at a time. An empty region
// means the first one.
func (c *CapacityCounts) Nodes(profile, region string) (Capacity, error) {
	var reply struct {
		Capacity Capacity `json:"capacity"`
	}
	query := map[string]string{"profile": profile}
	if region != "" {
		query["region"] = region
	}
	err := c.api.send("capacity:nodes", request{query: query}, &reply)
	return reply.Capacity, err
}

// Leases counts how many more leases of hosts or instances fit if they are created one at a time.
func (c *CapacityCounts) Leases(question LeasesQuestion) (Capacity, error) {
	var reply struct {
		Capacity Capacity `json:"capacity"`
	}
	err := c.api.send("capacity:leases", request{query: question}, &reply)
	return reply.Capacity, err
}

// Candidates counts how often Placement serves a query if each answer is claimed.
func (c *CapacityCounts) Candidates(question CandidatesQuestion) (Capacity, error) {
	var reply struct {
		Capacity Capacity `json:"capacity"`
	}
	err := c.api.send("capacity:candidates", request{query: question}, &reply)
	return reply.Capacity, err
}

// Timeline counts after each start and end of a lease, too, in a copy of the cloud.
func (c *CapacityCounts) Timeline(question TimelineQuestion) (Timeline, error) {
	var reply struct {
		Timeline Timeline `json:"timeline"`
	}
	err := c.api.send("capacity:timeline", request{query: question}, &reply)
	return reply.Timeline, err
}

// Jobs is what is to happen at a later time.
type Jobs struct{ api *api }

// List lists the jobs in the order in which they run, and those that were set aside.
func (j *Jobs) List(filter JobFilter) ([]Job, error) {
	var reply struct {
		Jobs []Job `json:"jobs"`
	}
	err := j.api.send("jobs:list", request{query: filter}, &reply)
	return reply.Jobs, err
}

// Retry lets a job that was set aside run again.
func (j *Jobs) Retry(id string) (Job, error) {
	var reply struct {
		Job Job `json:"job"`
	}
	path := map[string]string{"id": id}
	err := j.api.send("jobs:retry", request{path: path}, &reply)
	return reply.Job, err
}

// Delete deletes a job, so that what it would do never happens.
func (j *Jobs) Delete(id string) error {
	return j.api.send("jobs:delete", request{path: map[string]string{"id": id}}, nil)
}

// Notifications is what services publish on their message bus. A cloud keeps none by default.
type Notifications struct{ api *api }

// List lists the newest notifications that match, 100 without a limit, the oldest first.
func (n *Notifications) List(filter NotificationFilter) ([]Notification, error) {
	var reply struct {
		Notifications []Notification `json:"notifications"`
	}
	err := n.api.send("notifications:list", request{query: filter}, &reply)
	return reply.Notifications, err
}

// Keep sets how many notifications each region keeps; 0 deletes them.
func (n *Notifications) Keep(keep int) error {
	return n.api.send("notifications:update", request{body: map[string]int{"keep": keep}}, nil)
}

// Clear deletes the notifications of all regions.
func (n *Notifications) Clear() error { return n.api.send("notifications:clear", request{}, nil) }

// Settings is what upstream reads from configuration files; docs/reference/settings.md lists it. An
// empty region is the first one.
type Settings struct{ api *api }

// Show returns the settings of a service by name.
func (s *Settings) Show(service, region string) (map[string]interface{}, error) {
	var reply map[string]interface{}
	err := s.api.send("service_settings:show", request{
		path:  map[string]string{"service": service},
		query: optional(map[string]string{"region": region}),
	}, &reply)
	return reply, err
}

// Update changes settings of a service, and returns all of them.
func (s *Settings) Update(
	service, region string, settings map[string]interface{},
) (map[string]interface{}, error) {
	body := map[string]interface{}{}
	for name, value := range settings {
		body[name] = value
	}
	if region != "" {
		body["region"] = region
	}
	var reply map[string]interface{}
	path := map[string]string{"service": service}
	err := s.api.send("service_settings:update", request{path: path, body: body}, &reply)
	return reply, err
}
