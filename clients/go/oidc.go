package cumulet

// OidcUsers are the users of OpenID providers, with which tests sign in by federation. Any name is
// a provider.
type OidcUsers struct{ api *api }

// List lists the users of a provider, sorted by name.
func (o *OidcUsers) List(issuer string) ([]OidcUser, error) {
	var reply struct {
		Users []OidcUser `json:"users"`
	}
	path := map[string]string{"issuer": issuer}
	err := o.api.send("oidc_users:list", request{path: path}, &reply)
	return reply.Users, err
}

// Set creates a user with a password and claims, or replaces it.
func (o *OidcUsers) Set(issuer, name, password string, claims map[string]any) (OidcUser, error) {
	if claims == nil {
		claims = map[string]any{}
	}
	var reply struct {
		User OidcUser `json:"user"`
	}
	path := map[string]string{"issuer": issuer, "name": name}
	body := map[string]any{"password": password, "claims": claims}
	err := o.api.send("oidc_users:update", request{path: path, body: body}, &reply)
	return reply.User, err
}

// Delete deletes a user.
func (o *OidcUsers) Delete(issuer, name string) error {
	path := map[string]string{"issuer": issuer, "name": name}
	return o.api.send("oidc_users:delete", request{path: path}, nil)
}
