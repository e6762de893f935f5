package cumulet

import (
	"encoding/json"
	"time"
)

// The types have the names and fields of the schemas in api-ref/emulator.yaml.

// Clock is the emulated time.
type Clock struct {
	Now          time.Time `json:"now"`
	Frozen       bool      `json:"frozen"`
	AheadSeconds float64   `json:"ahead_seconds"`
}

// MovedClock is the emulated time after a move, with what has happened on the way.
type MovedClock struct {
	Now           time.Time `json:"now"`
	Frozen        bool      `json:"frozen"`
	AheadSeconds  float64   `json:"ahead_seconds"`
	JobsRun       int       `json:"jobs_run"`
	RoundsSkipped int       `json:"rounds_skipped"`
	JobsSetAside  int       `json:"jobs_set_aside"`
}

// Region is a region. Path is the prefix of its services; empty for the first region.
type Region struct {
	Name    string `json:"name"`
	Path    string `json:"path"`
	Central bool   `json:"central"`
}

// Snapshot describes a named snapshot.
type Snapshot struct {
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"created_at"`
	Now       time.Time `json:"now"`
	Version   string    `json:"version"`
	Regions   []string  `json:"regions"`
	Size      int64     `json:"size"`
	Rows      int64     `json:"rows"`
}

// FaultMatch has conditions for requests, all of which must hold. An empty match selects every
// request.
type FaultMatch struct {
	Service    string            `json:"service,omitempty"`
	Region     string            `json:"region,omitempty"`
	Method     string            `json:"method,omitempty"`
	Path       string            `json:"path,omitempty"`
	Operation  string            `json:"operation,omitempty"`
	Project    string            `json:"project,omitempty"`
	User       string            `json:"user,omitempty"`
	MinVersion string            `json:"min_version,omitempty"`
	MaxVersion string            `json:"max_version,omitempty"`
	Headers    map[string]string `json:"headers,omitempty"`
	Inside     bool              `json:"inside,omitempty"`
}

// FaultEffect is what happens to a request: an error status, a dropped connection, or a delay.
type FaultEffect struct {
	Status  int               `json:"status,omitempty"`
	Message string            `json:"message,omitempty"`
	Code    string            `json:"code,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	DelayMS int               `json:"delay_ms,omitempty"`
	Drop    bool              `json:"drop,omitempty"`
	When    string            `json:"when,omitempty"`
}

// FaultPlan is a fault rule to add. Without Count, it affects every request that matches.
type FaultPlan struct {
	Match       FaultMatch  `json:"match"`
	Effect      FaultEffect `json:"effect"`
	Count       int         `json:"count,omitempty"`
	Skip        int         `json:"skip,omitempty"`
	Probability float64     `json:"probability,omitempty"`
	Seed        string      `json:"seed,omitempty"`
}

// FaultScenario is a named list of fault rules for what clients meet in production.
type FaultScenario struct {
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Rules       []FaultPlan `json:"rules"`
}

// FaultRule is a fault rule with its counters.
type FaultRule struct {
	ID          int         `json:"id"`
	Match       FaultMatch  `json:"match"`
	Effect      FaultEffect `json:"effect"`
	Count       int         `json:"count"`
	Skip        int         `json:"skip"`
	Probability float64     `json:"probability"`
	Seed        string      `json:"seed"`
	Matched     int         `json:"matched"`
	Hit         int         `json:"hit"`
	Spent       bool        `json:"spent"`
	CreatedAt   time.Time   `json:"created_at"`
}

// JournalMatch has conditions for recorded requests, all of which must hold. Status is a number, a
// class such as "4xx", or "dropped". Inside is a bool or "any". Since is the number of an entry or
// a time of the machine's clock.
type JournalMatch struct {
	Service      string      `json:"service,omitempty"`
	Region       string      `json:"region,omitempty"`
	Operation    string      `json:"operation,omitempty"`
	Method       string      `json:"method,omitempty"`
	Path         string      `json:"path,omitempty"`
	Status       interface{} `json:"status,omitempty"`
	Project      string      `json:"project,omitempty"`
	User         string      `json:"user,omitempty"`
	MinVersion   string      `json:"min_version,omitempty"`
	MaxVersion   string      `json:"max_version,omitempty"`
	VersionAsked *string     `json:"version_asked,omitempty"`
	UserAgent    string      `json:"user_agent,omitempty"`
	Inside       interface{} `json:"inside,omitempty"`
	Since        interface{} `json:"since,omitempty"`
	Body         interface{} `json:"body,omitempty"`
}

// Page selects a part of a list of requests: at most Limit, numbered below Before.
type Page struct {
	Limit  int `json:"limit,omitempty"`
	Before int `json:"before,omitempty"`
}

// Assertion says how many requests match (at least one by default), or that they match in order.
type Assertion struct {
	Match    JournalMatch   `json:"match"`
	Sequence []JournalMatch `json:"sequence,omitempty"`
	Times    *int           `json:"times,omitempty"`
	AtLeast  *int           `json:"at_least,omitempty"`
	AtMost   *int           `json:"at_most,omitempty"`
	Never    bool           `json:"never,omitempty"`
}

// JournalEntry is a recorded request.
type JournalEntry struct {
	ID              int         `json:"id"`
	RequestID       string      `json:"request_id"`
	Time            time.Time   `json:"time"`
	MachineTime     time.Time   `json:"machine_time"`
	DurationMS      float64     `json:"duration_ms"`
	Method          string      `json:"method"`
	Prefix          string      `json:"prefix"`
	Path            string      `json:"path"`
	Query           string      `json:"query"`
	Service         *string     `json:"service"`
	Region          *string     `json:"region"`
	Operation       *string     `json:"operation"`
	Action          *string     `json:"action"`
	Inside          bool        `json:"inside"`
	VersionAsked    *string     `json:"version_asked"`
	Version         *string     `json:"version"`
	ProjectID       *string     `json:"project_id"`
	ProjectName     *string     `json:"project_name"`
	UserID          *string     `json:"user_id"`
	UserName        *string     `json:"user_name"`
	UserAgent       *string     `json:"user_agent"`
	Status          *int        `json:"status"`
	Dropped         bool        `json:"dropped"`
	FaultRules      []int       `json:"fault_rules"`
	RequestBody     interface{} `json:"request_body"`
	RequestBodyCut  bool        `json:"request_body_cut"`
	RequestBytes    *int64      `json:"request_bytes"`
	ResponseBody    interface{} `json:"response_body"`
	ResponseBodyCut bool        `json:"response_body_cut"`
	Explanation     *string     `json:"explanation"`
}

// NearMiss is a request that meets all conditions of an assertion but one.
type NearMiss struct {
	Request   JournalEntry `json:"request"`
	Condition string       `json:"condition"`
	Expected  interface{}  `json:"expected"`
	Actual    interface{}  `json:"actual"`
}

// AuditedClient has the microversions that a client asked for.
type AuditedClient struct {
	Service     string             `json:"service"`
	UserAgent   *string            `json:"user_agent"`
	MinVersion  string             `json:"min_version"`
	MaxVersion  string             `json:"max_version"`
	Requests    int                `json:"requests"`
	Unversioned int                `json:"unversioned"`
	Versions    []AskedVersion     `json:"versions"`
	Unchanged   int                `json:"unchanged"`
	Operations  []AuditedOperation `json:"operations"`
}

// AskedVersion is a microversion that a client asked for, and the one that the service used.
type AskedVersion struct {
	Asked    *string `json:"asked"`
	Used     *string `json:"used"`
	Requests int     `json:"requests"`
}

// AuditedOperation is an operation that is different at the newest version.
type AuditedOperation struct {
	Operation   string            `json:"operation"`
	Action      *string           `json:"action"`
	Version     string            `json:"version"`
	Requests    int               `json:"requests"`
	Unversioned int               `json:"unversioned"`
	Latest      string            `json:"latest"`
	Changes     []VersionChange   `json:"changes"`
	Request     VersionDifference `json:"request"`
	Response    VersionDifference `json:"response"`
}

// VersionChange is a version that changed an operation.
type VersionChange struct {
	Version  string `json:"version"`
	Summary  string `json:"summary"`
	Request  bool   `json:"request"`
	Response bool   `json:"response"`
}

// VersionDifference has the fields that another version of an operation adds and removes.
type VersionDifference struct {
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
}

// Amounts has an amount for each kind of resource of a host.
type Amounts struct {
	VCPUs    float64 `json:"vcpus,omitempty"`
	MemoryMB float64 `json:"memory_mb,omitempty"`
	DiskGB   float64 `json:"disk_gb,omitempty"`
}

// NewHost is a host to add. Omitted properties are those of a new region's hosts.
type NewHost struct {
	Name     string   `json:"name"`
	Region   string   `json:"region,omitempty"`
	VCPUs    int      `json:"vcpus,omitempty"`
	MemoryMB int      `json:"memory_mb,omitempty"`
	DiskGB   int      `json:"disk_gb,omitempty"`
	Ratios   *Amounts `json:"ratios,omitempty"`
	Reserved *Amounts `json:"reserved,omitempty"`
	Traits   []string `json:"traits,omitempty"`
	Zone     string   `json:"zone,omitempty"`
}

// Host is a host of Compute.
type Host struct {
	UUID     string `json:"uuid"`
	Name     string `json:"name"`
	VCPUs    int    `json:"vcpus"`
	MemoryMB int    `json:"memory_mb"`
	DiskGB   int    `json:"disk_gb"`
	Enabled  bool   `json:"enabled"`
	Up       bool   `json:"up"`
}

// DrainOptions change a drain: the region to move to, and whether the reply is only a plan.
type DrainOptions struct {
	Target string `json:"target,omitempty"`
	DryRun bool   `json:"dry_run,omitempty"`
}

// Migration is a migration between pods. ID is nil if it is only a plan.
type Migration struct {
	ID      *string                  `json:"id"`
	Status  string                   `json:"status"`
	Moves   []map[string]interface{} `json:"moves"`
	Refused []map[string]interface{} `json:"refused"`
}

// ProjectOptions are the properties of a new throw-away project. Those that are left out have
// defaults: a generated name and password, the roles member and reader, and a network.
type ProjectOptions struct {
	Name     string                    `json:"name,omitempty"`
	Roles    []string                  `json:"roles,omitempty"`
	Password string                    `json:"password,omitempty"`
	Quotas   map[string]map[string]int `json:"quotas,omitempty"`
	Network  *bool                     `json:"network,omitempty"`
}

// Project is a throw-away project.
type Project struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	DomainID  string `json:"domain_id"`
	UserID    string `json:"user_id"`
	CreatedAt string `json:"created_at"`
}

// SamlProvider is an identity provider whose SAML assertions are accepted.
type SamlProvider struct {
	Name string `json:"name"`
	// EntityID is the issuer of its assertions.
	EntityID string `json:"entity_id"`
	// Certificates are those of the keys that it signs with, in PEM.
	Certificates []string `json:"certificates"`
}

// OidcUser is a user of an OpenID provider for tests.
type OidcUser struct {
	Name   string         `json:"name"`
	Claims map[string]any `json:"claims"`
}

// NewProject is a new throw-away project with the credentials of its user.
type NewProject struct {
	ID         string            `json:"id"`
	Name       string            `json:"name"`
	DomainID   string            `json:"domain_id"`
	UserID     string            `json:"user_id"`
	CreatedAt  string            `json:"created_at"`
	Roles      []string          `json:"roles"`
	Password   string            `json:"password"`
	Token      string            `json:"token"`
	Env        map[string]string `json:"env"`
	CloudsYAML string            `json:"clouds_yaml"`
	Networks   []ProjectNetwork  `json:"networks"`
}

// ProjectNetwork is the network of a throw-away project in a region. ExternalIP is nil if the
// external network has no address left for the router.
type ProjectNetwork struct {
	Region     string  `json:"region"`
	NetworkID  string  `json:"network_id"`
	SubnetID   string  `json:"subnet_id"`
	RouterID   string  `json:"router_id"`
	ExternalIP *string `json:"external_ip"`
}

// ExplanationFilter selects explanations.
type ExplanationFilter struct {
	Region  string `json:"region,omitempty"`
	Kind    string `json:"kind,omitempty"`
	Subject string `json:"subject,omitempty"`
	Request string `json:"request,omitempty"`
	Outcome string `json:"outcome,omitempty"`
	Limit   int    `json:"limit,omitempty"`
}

// CandidatesQuestion is a query of allocation candidates. Without a microversion, it is the newest.
type CandidatesQuestion struct {
	Query        string `json:"query"`
	Microversion string `json:"microversion,omitempty"`
	Region       string `json:"region,omitempty"`
}

// Explanation says why a service decided as it did. RequestID and Time are empty for a question.
type Explanation struct {
	Format    int             `json:"format"`
	Region    string          `json:"region"`
	RequestID string          `json:"request_id"`
	Time      string          `json:"time"`
	Kind      string          `json:"kind"`
	Subject   *string         `json:"subject"`
	Name      *string         `json:"name"`
	Outcome   string          `json:"outcome"`
	Summary   string          `json:"summary"`
	Text      []string        `json:"text"`
	Details   json.RawMessage `json:"details"`
}

// ServersQuestion is a request for servers whose capacity is counted. Flavor and Image are ids or
// names, Group is the id of a server group, and GroupPolicy is the policy of a new one.
type ServersQuestion struct {
	Flavor           string `json:"flavor"`
	Image            string `json:"image,omitempty"`
	Zone             string `json:"zone,omitempty"`
	Group            string `json:"group,omitempty"`
	GroupPolicy      string `json:"group_policy,omitempty"`
	MaxServerPerHost int    `json:"max_server_per_host,omitempty"`
	Project          string `json:"project,omitempty"`
	Region           string `json:"region,omitempty"`
}

// LeasesQuestion is a request for leases whose capacity is counted: of Hosts, or of Instances of a
// Flavor or a size. Start is now, a time, or a duration after now such as +2d; For is a duration.
type LeasesQuestion struct {
	Hosts      int    `json:"hosts,omitempty"`
	Instances  int    `json:"instances,omitempty"`
	Flavor     string `json:"flavor,omitempty"`
	VCPUs      int    `json:"vcpus,omitempty"`
	MemoryMB   int    `json:"memory_mb,omitempty"`
	DiskGB     int    `json:"disk_gb,omitempty"`
	Affinity   *bool  `json:"affinity,omitempty"`
	Properties string `json:"properties,omitempty"`
	Start      string `json:"start,omitempty"`
	For        string `json:"for,omitempty"`
	Region     string `json:"region,omitempty"`
}

// Capacity says how many more identical requests fit, where, and what runs out first.
type Capacity struct {
	Format     int                `json:"format"`
	Region     string             `json:"region"`
	Count      int                `json:"count"`
	Summary    string             `json:"summary"`
	Text       []string           `json:"text"`
	Reasons    []CapacityReason   `json:"reasons"`
	Hosts      []CapacityHost     `json:"hosts"`
	Zones      []CapacitySum      `json:"zones"`
	Aggregates []CapacitySum      `json:"aggregates"`
	Resources  []CapacityResource `json:"resources"`
}

// CapacityReason says why no more fit on some hosts. A reason without hosts holds for all.
type CapacityReason struct {
	Reason string   `json:"reason"`
	Count  int      `json:"count"`
	Hosts  []string `json:"hosts"`
}

// CapacityHost is a host, or a provider tree, and how many fit there.
type CapacityHost struct {
	UUID       string   `json:"uuid"`
	Name       string   `json:"name"`
	Zone       *string  `json:"zone"`
	Aggregates []string `json:"aggregates"`
	Count      int      `json:"count"`
	Reason     string   `json:"reason"`
}

// CapacitySum says how many fit on the hosts of a zone or an aggregate.
type CapacitySum struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
	Hosts int    `json:"hosts"`
}

// CapacityResource says how much of a class is free in sum, and where the largest piece is.
type CapacityResource struct {
	ResourceClass string  `json:"resource_class"`
	Requested     int     `json:"requested"`
	Free          int     `json:"free"`
	Largest       int     `json:"largest"`
	LargestOn     *string `json:"largest_on"`
	FitsInSum     int     `json:"fits_in_sum"`
}

// TimelineQuestion is a request for servers of a flavor, leases, or a query of allocation candidates,
// up to a time such as 2030-01-01T12:00:00Z.
type TimelineQuestion struct {
	Until            string `json:"until"`
	Flavor           string `json:"flavor,omitempty"`
	Query            string `json:"query,omitempty"`
	Image            string `json:"image,omitempty"`
	Zone             string `json:"zone,omitempty"`
	Group            string `json:"group,omitempty"`
	GroupPolicy      string `json:"group_policy,omitempty"`
	MaxServerPerHost int    `json:"max_server_per_host,omitempty"`
	Project          string `json:"project,omitempty"`
	Profile          string `json:"profile,omitempty"`
	Hosts            int    `json:"hosts,omitempty"`
	Instances        int    `json:"instances,omitempty"`
	VCPUs            int    `json:"vcpus,omitempty"`
	MemoryMB         int    `json:"memory_mb,omitempty"`
	DiskGB           int    `json:"disk_gb,omitempty"`
	Affinity         *bool  `json:"affinity,omitempty"`
	Properties       string `json:"properties,omitempty"`
	Start            string `json:"start,omitempty"`
	For              string `json:"for,omitempty"`
	Region           string `json:"region,omitempty"`
}

// Timeline is the periods in which the same number fits.
type Timeline struct {
	Format  int      `json:"format"`
	Region  string   `json:"region"`
	Periods []Period `json:"periods"`
	Text    []string `json:"text"`
}

// Period is what fits from a time on. The number is nil if the question was refused.
type Period struct {
	From  string `json:"from"`
	Count *int   `json:"count"`
	Text  string `json:"text"`
}

// ReplayRequest is arrivals, each a map such as {"at": 60, "server": {...}, "lasts": 3600}, and the
// configuration under which they are played: settings by service, and changes.
type ReplayRequest struct {
	Region        string           `json:"region,omitempty"`
	Configuration map[string]any   `json:"configuration,omitempty"`
	Arrivals      []map[string]any `json:"arrivals"`
}

// Replay is what was accepted and rejected of a trace.
type Replay struct {
	Format        int             `json:"format"`
	Region        string          `json:"region"`
	Configuration string          `json:"configuration"`
	From          string          `json:"from"`
	Until         string          `json:"until"`
	Arrivals      int             `json:"arrivals"`
	Accepted      int             `json:"accepted"`
	Rejected      int             `json:"rejected"`
	Causes        []ReplayedCause `json:"causes"`
	Use           []ReplayedClass `json:"use"`
	Samples       []ReplaySample  `json:"samples"`
	Changes       []MadeChange    `json:"changes"`
	Text          []string        `json:"text"`
}

// ReplayedCause is why arrivals were rejected, and how many.
type ReplayedCause struct {
	Cause string `json:"cause"`
	Count int    `json:"count"`
}

// ReplayedClass is how full a resource class was, as fractions of its capacity.
type ReplayedClass struct {
	ResourceClass string  `json:"resource_class"`
	Mean          float64 `json:"mean"`
	Peak          float64 `json:"peak"`
}

// ReplaySample is how full each resource class was at a time.
type ReplaySample struct {
	Time string             `json:"time"`
	Use  map[string]float64 `json:"use"`
}

// WhatIfRequest is changes in a copy of the cloud, and questions, each a map with one key.
type WhatIfRequest struct {
	Region    string           `json:"region,omitempty"`
	Changes   []map[string]any `json:"changes"`
	Questions []map[string]any `json:"questions,omitempty"`
}

// WhatIf is what became of changes in a copy of the cloud.
type WhatIf struct {
	Format    int               `json:"format"`
	Region    string            `json:"region"`
	Changes   []MadeChange      `json:"changes"`
	Questions []ComparedAnswers `json:"questions"`
	Text      []string          `json:"text"`
}

// MadeChange is what became of a change.
type MadeChange struct {
	Change string `json:"change"`
	Text   string `json:"text"`
	Failed bool   `json:"failed"`
}

// ComparedAnswers is a question with its answers before and after the changes. The difference is nil
// if a question was refused.
type ComparedAnswers struct {
	Question   string `json:"question"`
	Before     Answer `json:"before"`
	After      Answer `json:"after"`
	Difference *int   `json:"difference"`
}

// Answer is a number with what limits it. The number is nil if the question was refused.
type Answer struct {
	Count *int   `json:"count"`
	Text  string `json:"text"`
}

// FailureDomain is hosts that may fail together.
type FailureDomain struct {
	Kind  string   `json:"kind"`
	Name  string   `json:"name"`
	Hosts []string `json:"hosts"`
}

// HostFailure says what happens if hosts fail.
type HostFailure struct {
	Format    int         `json:"format"`
	Region    string      `json:"region"`
	Kind      string      `json:"kind"`
	Name      string      `json:"name"`
	Hosts     []string    `json:"hosts"`
	Survives  bool        `json:"survives"`
	Summary   string      `json:"summary"`
	Displaced []Displaced `json:"displaced"`
	Text      []string    `json:"text"`
}

// Displaced is what was on the hosts. The noun is servers or reservations.
type Displaced struct {
	Noun  string      `json:"noun"`
	Moved []MovedPart `json:"moved"`
	Lost  []LostPart  `json:"lost"`
}

// MovedPart is a server or a reservation that has found a place, and on which hosts.
type MovedPart struct {
	ID   string   `json:"id"`
	Name string   `json:"name"`
	To   []string `json:"to"`
}

// LostPart is a server or a reservation that has found no place, and why.
type LostPart struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Audit says what was examined, and what is inconsistent.
type Audit struct {
	Format          int             `json:"format"`
	Examined        map[string]int  `json:"examined"`
	Count           int             `json:"count"`
	Inconsistencies []Inconsistency `json:"inconsistencies"`
	Text            []string        `json:"text"`
}

// Inconsistency is something inconsistent, with the commands that repair it.
type Inconsistency struct {
	Region   string          `json:"region"`
	Service  string          `json:"service"`
	Check    string          `json:"check"`
	Resource AuditedResource `json:"resource"`
	Text     string          `json:"text"`
	Repair   []string        `json:"repair"`
}

// AuditedResource is the resource that an administrator changes to repair an inconsistency.
type AuditedResource struct {
	Type string  `json:"type"`
	ID   string  `json:"id"`
	Name *string `json:"name"`
}

// JobFilter selects jobs.
type JobFilter struct {
	Region  string `json:"region,omitempty"`
	Service string `json:"service,omitempty"`
	Kind    string `json:"kind,omitempty"`
	State   string `json:"state,omitempty"`
	Limit   int    `json:"limit,omitempty"`
}

// Job is something that happens at a later time.
type Job struct {
	ID            string   `json:"id"`
	Region        *string  `json:"region"`
	Service       string   `json:"service"`
	Kind          string   `json:"kind"`
	Subject       string   `json:"subject"`
	DueAt         string   `json:"due_at"`
	State         string   `json:"state"`
	PeriodSeconds *float64 `json:"period_seconds"`
	Failures      int      `json:"failures"`
	Error         *string  `json:"error"`
}

// NotificationFilter selects notifications.
type NotificationFilter struct {
	Region    string `json:"region,omitempty"`
	Service   string `json:"service,omitempty"`
	EventType string `json:"event_type,omitempty"`
	Project   string `json:"project,omitempty"`
	Request   string `json:"request,omitempty"`
	After     int    `json:"after,omitempty"`
	Limit     int    `json:"limit,omitempty"`
}

// Notification is what a service publishes on its message bus.
type Notification struct {
	ID          int                    `json:"id"`
	Service     string                 `json:"service"`
	MessageID   string                 `json:"message_id"`
	PublisherID string                 `json:"publisher_id"`
	EventType   string                 `json:"event_type"`
	Priority    string                 `json:"priority"`
	Timestamp   string                 `json:"timestamp"`
	UserID      *string                `json:"user_id"`
	ProjectID   *string                `json:"project_id"`
	RequestID   string                 `json:"request_id"`
	Payload     map[string]interface{} `json:"payload"`
}

// OutboxMessage is a message to a server outside of the cloud that has not been delivered.
type OutboxMessage struct {
	Kind      string                 `json:"kind"`
	Payload   map[string]interface{} `json:"payload"`
	CreatedAt string                 `json:"created_at"`
	Status    string                 `json:"status"`
	Error     *string                `json:"error"`
}

// Health says that the process runs.
type Health struct {
	Status string `json:"status"`
}

// Readiness says which databases are reachable, and which of them catch up with the clock.
type Readiness struct {
	Ready      bool            `json:"ready"`
	Databases  map[string]bool `json:"databases"`
	CatchingUp []CatchingUp    `json:"catching_up"`
}

// CatchingUp is a database whose jobs run now, because the clock has moved.
type CatchingUp struct {
	Database      string  `json:"database"`
	At            string  `json:"at"`
	Until         string  `json:"until"`
	JobsRun       int     `json:"jobs_run"`
	RoundsSkipped int     `json:"rounds_skipped"`
	Seconds       float64 `json:"seconds"`
}

// Info describes the emulator.
type Info struct {
	Version  string                 `json:"version"`
	Database string                 `json:"database"`
	Auth     string                 `json:"auth"`
	Regions  []string               `json:"regions"`
	Services map[string]ServiceInfo `json:"services"`
	Now      time.Time              `json:"now"`
}

// ServiceInfo describes a service of the cloud.
type ServiceInfo struct {
	Path       string `json:"path"`
	MinVersion string `json:"min_version"`
	MaxVersion string `json:"max_version"`
	Operations int    `json:"operations"`
}
