package cumulet

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

const (
	reportedRequests = 100
	longestBody      = 300
)

// logRequests adds the requests of a failed test to its log.
func (c *Cloud) logRequests(t testing.TB) {
	t.Helper()
	if !t.Failed() {
		return
	}
	entries, err := c.Requests.List(JournalMatch{}, Page{Limit: reportedRequests})
	if err != nil {
		t.Logf("The journal cannot be read: %v", err)
		return
	}
	lines := []string{"Requests to the cloud since the test began:"}
	for _, entry := range entries {
		lines = append(lines, entry.lines()...)
	}
	t.Log(strings.Join(lines, "\n"))
}

// String describes a request in a line: `#17  POST /compute/v2.1/servers  202  servers:create`.
func (e JournalEntry) String() string { return e.lines()[0] }

// lines describes a request, with the bodies if it was refused.
func (e JournalEntry) lines() []string {
	status := "dropped"
	if e.Status != nil {
		status = fmt.Sprint(*e.Status)
	}
	words := []string{fmt.Sprintf("#%d", e.ID), e.target(), status}
	for _, word := range []*string{e.operation(), e.Version} {
		if word != nil {
			words = append(words, *word)
		}
	}
	words = append(words, fmt.Sprintf("%gms", e.DurationMS))
	for _, rule := range e.FaultRules {
		words = append(words, fmt.Sprintf("fault %d", rule))
	}
	lines := []string{strings.Join(words, "  ")}
	if e.Status == nil || *e.Status >= 400 {
		lines = append(lines, bodyLine("request", e.RequestBody)...)
		lines = append(lines, bodyLine("reply", e.ResponseBody)...)
	}
	return lines
}

func (e JournalEntry) target() string {
	query := ""
	if e.Query != "" {
		query = "?" + e.Query
	}
	return e.Method + " " + e.Prefix + e.Path + query
}

func (e JournalEntry) operation() *string {
	if e.Action != nil {
		return e.Action
	}
	return e.Operation
}

func bodyLine(name string, body interface{}) []string {
	if body == nil {
		return nil
	}
	text, isText := body.(string)
	if !isText {
		encoded, err := json.Marshal(body)
		if err != nil {
			return nil
		}
		text = string(encoded)
	}
	if len(text) > longestBody {
		text = text[:longestBody] + "…"
	}
	return []string{"      " + name + ": " + text}
}
