package cumulet

// SamlProviders are the identity providers whose SAML assertions a cloud accepts besides its own.
type SamlProviders struct{ api *api }

// List lists the providers, sorted by name.
func (s *SamlProviders) List() ([]SamlProvider, error) {
	var reply struct {
		Providers []SamlProvider `json:"providers"`
	}
	err := s.api.send("saml_providers:list", request{}, &reply)
	return reply.Providers, err
}

// Set registers a provider by its metadata in XML, or replaces it.
func (s *SamlProviders) Set(name, metadata string) (SamlProvider, error) {
	var reply struct {
		Provider SamlProvider `json:"provider"`
	}
	path := map[string]string{"name": name}
	body := map[string]any{"metadata": metadata}
	err := s.api.send("saml_providers:update", request{path: path, body: body}, &reply)
	return reply.Provider, err
}

// Delete deletes a provider.
func (s *SamlProviders) Delete(name string) error {
	path := map[string]string{"name": name}
	return s.api.send("saml_providers:delete", request{path: path}, nil)
}
