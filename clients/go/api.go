package cumulet

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// Error is a refusal of the emulator, or its silence. Status is the HTTP status; 0 if there was no
// answer.
type Error struct {
	Status  int
	Message string
}

func (e *Error) Error() string { return e.Message }

// RequestsError says that the requests in the journal are not as asserted. Requests are those that
// match, NearMisses those that meet all conditions but one.
type RequestsError struct {
	Message    string
	Matched    int
	Requests   []JournalEntry
	NearMisses []NearMiss
}

func (e *RequestsError) Error() string { return e.Message }

// api sends requests to the emulator's API below /_emulator.
type api struct {
	url    string
	token  string
	client *http.Client
}

func newAPI(address, token, cacert string) (*api, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	// A proxy would take an address of this machine for one of its own.
	transport.Proxy = nil
	if cacert != "" && strings.HasPrefix(address, "https:") {
		authority, err := os.ReadFile(cacert)
		if err != nil {
			return nil, &Error{Message: fmt.Sprintf(
				"the authority in OS_CACERT cannot be read: %v", err)}
		}
		roots, err := x509.SystemCertPool()
		if err != nil {
			roots = x509.NewCertPool()
		}
		roots.AppendCertsFromPEM(authority)
		transport.TLSClientConfig = &tls.Config{RootCAs: roots}
	}
	return &api{
		url:    strings.TrimRight(address, "/"),
		token:  token,
		client: &http.Client{Transport: transport, Timeout: 2 * time.Minute},
	}, nil
}

// request has what an operation needs. The body is sent as JSON, unless it is a reader.
type request struct {
	path  map[string]string
	query interface{}
	body  interface{}
}

// send calls an operation. The reply is decoded from JSON into the result, or copied if that is a
// writer. A nil result drops it.
func (a *api) send(operation string, r request, result interface{}) error {
	target := operations[operation]
	path := target[1]
	for name, value := range r.path {
		path = strings.Replace(path, "{"+name+"}", url.PathEscape(value), 1)
	}
	query, err := queryOf(r.query)
	if err != nil {
		return err
	}
	body, mediaType, err := bodyOf(r.body)
	if err != nil {
		return err
	}
	call, err := http.NewRequest(target[0], a.url+"/_emulator"+path+query, body)
	if err != nil {
		return err
	}
	if mediaType != "" {
		call.Header.Set("Content-Type", mediaType)
	}
	if a.token != "" {
		call.Header.Set("X-Control-Token", a.token)
	}
	reply, err := a.client.Do(call)
	if err != nil {
		return &Error{Message: fmt.Sprintf("no emulator answers at %s: %v", a.url, err)}
	}
	defer reply.Body.Close()
	if reply.StatusCode >= 400 {
		return a.refusal(reply)
	}
	switch into := result.(type) {
	case nil:
		return nil
	case io.Writer:
		_, err = io.Copy(into, reply.Body)
		return err
	default:
		return json.NewDecoder(reply.Body).Decode(into)
	}
}

func (a *api) refusal(reply *http.Response) error {
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		return err
	}
	var body struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
		Matched    int            `json:"matched"`
		Requests   []JournalEntry `json:"requests"`
		NearMisses []NearMiss     `json:"near_misses"`
	}
	if json.Unmarshal(text, &body) != nil || body.Error.Message == "" {
		return &Error{reply.StatusCode, fmt.Sprintf(
			"the server at %s is not a Cumulet emulator: it returns %s", a.url, reply.Status)}
	}
	if body.NearMisses != nil {
		return &RequestsError{body.Error.Message, body.Matched, body.Requests, body.NearMisses}
	}
	return &Error{reply.StatusCode, body.Error.Message}
}

func bodyOf(body interface{}) (io.Reader, string, error) {
	switch source := body.(type) {
	case nil:
		return nil, "", nil
	case io.Reader:
		return source, "application/x-ndjson", nil
	default:
		text, err := json.Marshal(source)
		return bytes.NewReader(text), "application/json", err
	}
}

// queryOf returns the query with the fields of values as JSON has them; nil gives an empty text.
func queryOf(values interface{}) (string, error) {
	if values == nil {
		return "", nil
	}
	text, err := json.Marshal(values)
	if err != nil {
		return "", err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var fields map[string]interface{}
	if err := decoder.Decode(&fields); err != nil {
		return "", err
	}
	query := url.Values{}
	for name, value := range fields {
		query.Set(name, fmt.Sprint(value))
	}
	if len(query) == 0 {
		return "", nil
	}
	return "?" + query.Encode(), nil
}

// optional has the fields that are not empty.
func optional(fields map[string]string) map[string]string {
	given := map[string]string{}
	for name, value := range fields {
		if value != "" {
			given[name] = value
		}
	}
	return given
}
