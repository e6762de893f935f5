// Package cumulet starts and controls clouds of Cumulet, an OpenStack emulator, in tests.
//
//	func TestThreeWeeksLater(t *testing.T) {
//		cloud := cumulet.Start(t)
//		... // use cloud.Credentials() with gophercloud
//		cloud.Clock.Advance(3 * 7 * 24 * time.Hour)
//	}
package cumulet

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"time"
)

// Cloud is a running emulator.
type Cloud struct {
	// URL is its address, such as http://127.0.0.1:6060.
	URL string
	// Clock is what all dates, leases and expiries follow.
	Clock *ClockControl
	// Faults are rules that make requests fail or slow them down.
	Faults *Faults
	// Requests is the journal of the requests that the cloud received.
	Requests *Requests
	// Snapshots are the named snapshots.
	Snapshots *Snapshots
	// Regions are the regions of the cloud.
	Regions *Regions
	// OidcUsers are the users of OpenID providers, with which tests sign in by federation.
	OidcUsers *OidcUsers
	// SamlProviders are the identity providers whose SAML assertions the cloud accepts.
	SamlProviders *SamlProviders
	// Projects are the throw-away projects.
	Projects *Projects
	// Hosts are the hosts of Compute.
	Hosts *Hosts
	// Pods are the pods of Tricircle.
	Pods *Pods
	// Explanations says why services decide as they do.
	Explanations *Explanations
	// Capacity says how many more servers or allocations fit.
	Capacity *CapacityCounts
	// Jobs is what is to happen at a later time.
	Jobs *Jobs
	// Notifications is what services publish on their message bus.
	Notifications *Notifications
	// Settings is what upstream reads from configuration files.
	Settings *Settings

	api      *api
	frozenAt *time.Time
	stop     func()
}

// Connect connects to a running emulator, at CUMULET_URL if the address is empty, with the token in
// CUMULET_CONTROL_TOKEN, and the authority of its certificate in OS_CACERT. Stop leaves it running.
func Connect(address string) (*Cloud, error) {
	if address == "" {
		address = os.Getenv(urlVariable)
	}
	if address == "" {
		return nil, &Error{Message: "give the URL of the emulator, or set " + urlVariable + " to it"}
	}
	cloud, err := newCloud(address, os.Getenv(tokenVariable), os.Getenv(authorityVariable))
	if err != nil {
		return nil, err
	}
	_, err = cloud.Health()
	return cloud, err
}

func newCloud(address, token, cacert string) (*Cloud, error) {
	api, err := newAPI(address, token, cacert)
	if err != nil {
		return nil, err
	}
	return &Cloud{
		URL:           api.url,
		Clock:         &ClockControl{api},
		Faults:        &Faults{api},
		Requests:      &Requests{api},
		Snapshots:     &Snapshots{api},
		Regions:       &Regions{api},
		Projects:      &Projects{api},
		OidcUsers:     &OidcUsers{api},
		SamlProviders: &SamlProviders{api},
		Hosts:         &Hosts{api},
		Pods:          &Pods{api},
		Explanations:  &Explanations{api},
		Capacity:      &CapacityCounts{api},
		Jobs:          &Jobs{api},
		Notifications: &Notifications{api},
		Settings:      &Settings{api},
		api:           api,
		stop:          func() {},
	}, nil
}

// Stop stops the emulator, if this package has started it.
func (c *Cloud) Stop() { c.stop() }

// Env returns the variables with which OpenStack clients sign in as admin: OS_AUTH_URL and so on.
func (c *Cloud) Env() (map[string]string, error) {
	var reply struct {
		Environment map[string]string `json:"environment"`
	}
	err := c.api.send("environment:show", request{}, &reply)
	return reply.Environment, err
}

// Credentials are what a client needs to sign in.
type Credentials struct {
	AuthURL           string
	Username          string
	Password          string
	UserDomainName    string
	ProjectName       string
	ProjectDomainName string
	RegionName        string
}

// Credentials returns those of admin in the project admin.
func (c *Cloud) Credentials() (Credentials, error) {
	env, err := c.Env()
	return Credentials{
		AuthURL:           env["OS_AUTH_URL"],
		Username:          env["OS_USERNAME"],
		Password:          env["OS_PASSWORD"],
		UserDomainName:    env["OS_USER_DOMAIN_NAME"],
		ProjectName:       env["OS_PROJECT_NAME"],
		ProjectDomainName: env["OS_PROJECT_DOMAIN_NAME"],
		RegionName:        env["OS_REGION_NAME"],
	}, err
}

// CloudsYAML returns a clouds.yaml with the clouds cumulet, cumulet-demo and cumulet-system.
func (c *Cloud) CloudsYAML() (string, error) {
	var text bytes.Buffer
	err := c.api.send("clouds_yaml:show", request{}, &text)
	return text.String(), err
}

// Reset resets the cloud to its initial state. A clock that was frozen at the start is frozen at
// that time again.
func (c *Cloud) Reset() error { return c.ResetToPreset("") }

// ResetToPreset resets the cloud to a preset, such as three-zones, instead of its initial state.
func (c *Cloud) ResetToPreset(preset string) error {
	if err := c.reset("", "", preset); err != nil || c.frozenAt == nil {
		return err
	}
	_, err := c.Clock.FreezeAt(*c.frozenAt)
	return err
}

// ResetPart resets only a region or a service. An empty name is every one.
func (c *Cloud) ResetPart(region, service string) error {
	return c.reset(region, service, "")
}

func (c *Cloud) reset(region, service, preset string) error {
	body := optional(map[string]string{"region": region, "service": service, "preset": preset})
	return c.api.send("reset:create", request{body: body}, nil)
}

// Snapshot saves the current state, and overwrites an existing snapshot of that name.
func (c *Cloud) Snapshot(name string) (Snapshot, error) {
	var reply struct {
		Snapshot Snapshot `json:"snapshot"`
	}
	err := c.api.send("snapshots:save", request{path: map[string]string{"name": name}}, &reply)
	return reply.Snapshot, err
}

// Restore restores the state that a snapshot has saved.
func (c *Cloud) Restore(name string) error {
	return c.api.send("snapshots:restore", request{path: map[string]string{"name": name}}, nil)
}

// ExportTo writes the current state, or that of a snapshot if one is named, for ImportFrom and
// --seed. It contains keys and hashes of passwords.
func (c *Cloud) ExportTo(target io.Writer, snapshot string) error {
	query := optional(map[string]string{"snapshot": snapshot})
	return c.api.send("export:show", request{query: query}, target)
}

// ImportFrom restores the state that ExportTo has written. With allowInconsistent, it may refer to
// resources that it lacks.
func (c *Cloud) ImportFrom(source io.Reader, allowInconsistent bool) error {
	query := map[string]string{"allow_inconsistent": strconv.FormatBool(allowInconsistent)}
	return c.api.send("import:create", request{query: query, body: source}, nil)
}

// Purge removes the records of resources that were deleted this long ago, in one region or in all,
// and returns how many of each service.
func (c *Cloud) Purge(region string, olderThanSeconds float64) (map[string]int, error) {
	var reply struct {
		Purged map[string]int `json:"purged"`
	}
	body := map[string]interface{}{"older_than_seconds": olderThanSeconds}
	if region != "" {
		body["region"] = region
	}
	err := c.api.send("purge:create", request{body: body}, &reply)
	return reply.Purged, err
}

// Audit reports what is inconsistent in one region or in all, each with the commands that repair it.
// It changes nothing.
func (c *Cloud) Audit(region string) (Audit, error) {
	var reply struct {
		Audit Audit `json:"audit"`
	}
	query := optional(map[string]string{"region": region})
	err := c.api.send("audit:show", request{query: query}, &reply)
	return reply.Audit, err
}

// FailureDomains lists what may fail in a region: each host, zone or aggregate, by the kind.
func (c *Cloud) FailureDomains(kind, region string) ([]FailureDomain, error) {
	var reply struct {
		Domains []FailureDomain `json:"domains"`
	}
	err := c.api.send("host_failures:list", request{
		path:  map[string]string{"kind": kind},
		query: optional(map[string]string{"region": region}),
	}, &reply)
	return reply.Domains, err
}

// RehearseFailure says which servers and reservations find a place on other hosts if a host, a zone
// or an aggregate fails. It changes nothing.
func (c *Cloud) RehearseFailure(kind, name, region string) (HostFailure, error) {
	var reply struct {
		Failure HostFailure `json:"failure"`
	}
	err := c.api.send("host_failures:show", request{
		path:  map[string]string{"kind": kind, "name": name},
		query: optional(map[string]string{"region": region}),
	}, &reply)
	return reply.Failure, err
}

// WhatIf makes changes in a copy of the cloud, each a map with one key such as "drain_host", and
// compares the answers to questions before and after them. Without questions, it counts how many
// servers of each flavor fit.
func (c *Cloud) WhatIf(question WhatIfRequest) (WhatIf, error) {
	var reply struct {
		WhatIf WhatIf `json:"what_if"`
	}
	err := c.api.send("what_if:create", request{body: question}, &reply)
	return reply.WhatIf, err
}

// Replay plays arrivals of servers and leases in a copy of the cloud, under a configuration of the
// scheduler, and reports what is rejected and how full the region was.
func (c *Cloud) Replay(trace ReplayRequest) (Replay, error) {
	var reply struct {
		Replay Replay `json:"replay"`
	}
	err := c.api.send("replay:create", request{body: trace}, &reply)
	return reply.Replay, err
}

// Outbox lists the messages to servers outside of the cloud that have not been delivered.
func (c *Cloud) Outbox(region string) ([]OutboxMessage, error) {
	var reply struct {
		Messages []OutboxMessage `json:"messages"`
	}
	query := optional(map[string]string{"region": region})
	err := c.api.send("outbox:list", request{query: query}, &reply)
	return reply.Messages, err
}

// OpenAPI returns the description of a service's API as a document of OpenAPI 3.1: that of one
// microversion, or with an empty one that of all, whose differences are in x-openstack.
func (c *Cloud) OpenAPI(service, microversion string) (map[string]interface{}, error) {
	var reply map[string]interface{}
	err := c.api.send("api_descriptions:show", request{
		path:  map[string]string{"service": service},
		query: optional(map[string]string{"microversion": microversion}),
	}, &reply)
	return reply, err
}

// Info returns the emulator's version, services, regions, database and time.
func (c *Cloud) Info() (Info, error) {
	var reply Info
	err := c.api.send("info:show", request{}, &reply)
	return reply, err
}

// Health returns at once if the process runs.
func (c *Cloud) Health() (Health, error) {
	var reply Health
	err := c.api.send("health:show", request{}, &reply)
	return reply, err
}

// Ready returns the state of the databases, or an Error with status 503 if requests are not served.
func (c *Cloud) Ready() (Readiness, error) {
	var reply Readiness
	err := c.api.send("ready:show", request{}, &reply)
	return reply, err
}

// Metrics returns counters and latencies in the format of Prometheus.
func (c *Cloud) Metrics() (string, error) {
	var text bytes.Buffer
	err := c.api.send("metrics:show", request{}, &text)
	return text.String(), err
}
