// All routes of Identity. Handlers enforce policy themselves, as upstream's do, because the target
// of most rules is the resource in the path.
import * as accessTokens from './handlers/oauth/access-tokens.ts';
import * as accessRules from './handlers/application-credential/access-rules.ts';
import * as applicationCredentials from './handlers/application-credential/application-credentials.ts';
import * as authScopes from './handlers/auth/scopes.ts';
import * as tokens from './handlers/auth/tokens.ts';
import * as consumers from './handlers/oauth/consumers.ts';
import * as credentials from './handlers/credential/credentials.ts';
import * as domainConfigs from './handlers/resource/domain-configs.ts';
import * as domains from './handlers/resource/domains.ts';
import * as ec2Credentials from './handlers/credential/ec2-credentials.ts';
import * as ec2Tokens from './handlers/credential/ec2-tokens.ts';
import * as endpointFilters from './handlers/catalog/endpoint-filters.ts';
import * as endpointGroups from './handlers/catalog/endpoint-groups.ts';
import * as endpoints from './handlers/catalog/endpoints.ts';
import * as federation from './handlers/federation/sign-in.ts';
import * as grants from './handlers/assignment/grants.ts';
import * as groups from './handlers/identity/groups.ts';
import * as identityProviders from './handlers/federation/identity-providers.ts';
import * as impliedRoles from './handlers/assignment/implied-roles.ts';
import * as limits from './handlers/limit/limits.ts';
import * as mappings from './handlers/federation/mappings.ts';
import * as oauth2 from './handlers/auth/oauth2.ts';
import * as oauthTokens from './handlers/oauth/tokens.ts';
import * as oidc from './handlers/oidc/provider.ts';
import * as policies from './handlers/policy/policies.ts';
import * as policyAssociations from './handlers/policy/policy-associations.ts';
import * as projects from './handlers/resource/projects.ts';
import * as protocols from './handlers/federation/protocols.ts';
import * as tags from './handlers/resource/project-tags.ts';
import * as regions from './handlers/catalog/regions.ts';
import * as registeredLimits from './handlers/limit/registered-limits.ts';
import * as revocationEvents from './handlers/auth/revocation-events.ts';
import * as roleAssignments from './handlers/assignment/role-assignments.ts';
import * as roles from './handlers/assignment/roles.ts';
import * as saml from './handlers/saml/assertions.ts';
import * as samlProvider from './handlers/saml/provider.ts';
import * as samlServiceProvider from './handlers/saml/service-provider.ts';
import * as serviceProviders from './handlers/federation/service-providers.ts';
import * as services from './handlers/catalog/services.ts';
import * as singleSignOn from './handlers/federation/single-sign-on.ts';
import * as trusts from './handlers/trust/trusts.ts';
import * as users from './handlers/identity/users.ts';
import * as versions from './handlers/versions.ts';
import type { IdentityRoute } from './call.ts';

const inBody = (noun: string, name: string, generated = false) => ({ noun, name, generated });

// `open`: needs no token. `single`: opens its own transaction, if it needs one.
// `secret`: is hashed before the transaction begins.
const routes: readonly IdentityRoute[] = [
  { method: 'GET', path: '/', handler: versions.list, open: true, single: true },
  { method: 'GET', path: '/v3', handler: versions.show, open: true, single: true },

  { method: 'POST', path: '/v3/auth/tokens', handler: tokens.create, open: true, single: true, legacySchemaRoot: 'auth' },
  { method: 'GET', path: '/v3/auth/tokens', handler: tokens.show },
  { method: 'DELETE', path: '/v3/auth/tokens', handler: tokens.remove },
  { method: 'GET', path: '/v3/OS-REVOKE/events', handler: revocationEvents.list },
  { method: 'GET', path: '/v3/auth/catalog', handler: authScopes.showCatalog },
  { method: 'GET', path: '/v3/auth/projects', handler: authScopes.listProjects },
  { method: 'GET', path: '/v3/auth/domains', handler: authScopes.listDomains },
  { method: 'GET', path: '/v3/auth/system', handler: authScopes.listSystems },

  { method: 'GET', path: '/v3/users', handler: users.list },
  { method: 'POST', path: '/v3/users', handler: users.create, secret: inBody('user', 'password') },
  { method: 'GET', path: '/v3/users/:user_id', handler: users.show },
  { method: 'PATCH', path: '/v3/users/:user_id', handler: users.update, secret: inBody('user', 'password') },
  { method: 'DELETE', path: '/v3/users/:user_id', handler: users.remove },
  { method: 'POST', path: '/v3/users/:user_id/password', handler: users.changePassword, open: true, single: true, legacySchemaRoot: 'user' },
  { method: 'GET', path: '/v3/users/:user_id/groups', handler: groups.listOfUser },
  { method: 'GET', path: '/v3/users/:user_id/projects', handler: projects.listOfUser },
  { method: 'GET', path: '/v3/users/:user_id/application_credentials', handler: applicationCredentials.list },
  { method: 'POST', path: '/v3/users/:user_id/application_credentials', handler: applicationCredentials.create, secret: inBody('application_credential', 'secret', true) },
  { method: 'GET', path: '/v3/users/:user_id/application_credentials/:application_credential_id', handler: applicationCredentials.show },
  { method: 'DELETE', path: '/v3/users/:user_id/application_credentials/:application_credential_id', handler: applicationCredentials.remove },
  { method: 'GET', path: '/v3/users/:user_id/access_rules', handler: accessRules.list },
  { method: 'GET', path: '/v3/users/:user_id/access_rules/:access_rule_id', handler: accessRules.show },
  { method: 'DELETE', path: '/v3/users/:user_id/access_rules/:access_rule_id', handler: accessRules.remove },

  { method: 'GET', path: '/v3/users/:user_id/credentials/OS-EC2', handler: ec2Credentials.list },
  { method: 'POST', path: '/v3/users/:user_id/credentials/OS-EC2', handler: ec2Credentials.create },
  { method: 'GET', path: '/v3/users/:user_id/credentials/OS-EC2/:credential_id', handler: ec2Credentials.show },
  { method: 'DELETE', path: '/v3/users/:user_id/credentials/OS-EC2/:credential_id', handler: ec2Credentials.remove },
  { method: 'POST', path: '/v3/ec2tokens', handler: ec2Tokens.create },
  { method: 'POST', path: '/v3/s3tokens', handler: ec2Tokens.createForS3 },

  { method: 'GET', path: '/v3/groups', handler: groups.list },
  { method: 'POST', path: '/v3/groups', handler: groups.create },
  { method: 'GET', path: '/v3/groups/:group_id', handler: groups.show },
  { method: 'PATCH', path: '/v3/groups/:group_id', handler: groups.update },
  { method: 'DELETE', path: '/v3/groups/:group_id', handler: groups.remove },
  { method: 'GET', path: '/v3/groups/:group_id/users', handler: groups.listMembers },
  { method: 'PUT', path: '/v3/groups/:group_id/users/:user_id', handler: groups.createMember },
  { method: 'GET', path: '/v3/groups/:group_id/users/:user_id', handler: groups.showMember },
  { method: 'DELETE', path: '/v3/groups/:group_id/users/:user_id', handler: groups.removeMembership },

  { method: 'GET', path: '/v3/projects', handler: projects.list },
  { method: 'POST', path: '/v3/projects', handler: projects.create },
  { method: 'GET', path: '/v3/projects/:project_id', handler: projects.show },
  { method: 'PATCH', path: '/v3/projects/:project_id', handler: projects.update },
  { method: 'DELETE', path: '/v3/projects/:project_id', handler: projects.remove },
  { method: 'GET', path: '/v3/projects/:project_id/tags', handler: tags.list },
  { method: 'PUT', path: '/v3/projects/:project_id/tags', handler: tags.update },
  { method: 'DELETE', path: '/v3/projects/:project_id/tags', handler: tags.remove },
  { method: 'GET', path: '/v3/projects/:project_id/tags/:value', handler: tags.showOne },
  { method: 'PUT', path: '/v3/projects/:project_id/tags/:value', handler: tags.createOne },
  { method: 'DELETE', path: '/v3/projects/:project_id/tags/:value', handler: tags.removeOne },

  { method: 'GET', path: '/v3/domains', handler: domains.list },
  { method: 'POST', path: '/v3/domains', handler: domains.create },
  { method: 'GET', path: '/v3/domains/:domain_id', handler: domains.show },
  { method: 'PATCH', path: '/v3/domains/:domain_id', handler: domains.update },
  { method: 'DELETE', path: '/v3/domains/:domain_id', handler: domains.remove },

  { method: 'PUT', path: '/v3/domains/:domain_id/config', handler: domainConfigs.create },
  ...configRoutes('/v3/domains/:domain_id/config'),
  ...configRoutes('/v3/domains/:domain_id/config/:group'),
  ...configRoutes('/v3/domains/:domain_id/config/:group/:option'),
  { method: 'GET', path: '/v3/domains/config/default', handler: domainConfigs.showDefault },
  { method: 'GET', path: '/v3/domains/config/:group/default', handler: domainConfigs.showDefault },
  { method: 'GET', path: '/v3/domains/config/:group/:option/default', handler: domainConfigs.showDefault },

  { method: 'GET', path: '/v3/roles', handler: roles.list },
  { method: 'POST', path: '/v3/roles', handler: roles.create },
  { method: 'GET', path: '/v3/roles/:role_id', handler: roles.show },
  { method: 'PATCH', path: '/v3/roles/:role_id', handler: roles.update },
  { method: 'DELETE', path: '/v3/roles/:role_id', handler: roles.remove },
  { method: 'GET', path: '/v3/roles/:prior_role_id/implies', handler: impliedRoles.list },
  { method: 'GET', path: '/v3/roles/:prior_role_id/implies/:implied_role_id', handler: impliedRoles.show },
  { method: 'HEAD', path: '/v3/roles/:prior_role_id/implies/:implied_role_id', handler: impliedRoles.check },
  { method: 'PUT', path: '/v3/roles/:prior_role_id/implies/:implied_role_id', handler: impliedRoles.create },
  { method: 'DELETE', path: '/v3/roles/:prior_role_id/implies/:implied_role_id', handler: impliedRoles.remove },
  { method: 'GET', path: '/v3/role_inferences', handler: impliedRoles.listAll },
  { method: 'GET', path: '/v3/role_assignments', handler: roleAssignments.list },

  ...grantRoutes('/v3/projects/:project_id/users/:user_id/roles'),
  ...grantRoutes('/v3/projects/:project_id/groups/:group_id/roles'),
  ...grantRoutes('/v3/domains/:domain_id/users/:user_id/roles'),
  ...grantRoutes('/v3/domains/:domain_id/groups/:group_id/roles'),
  ...grantRoutes('/v3/system/users/:user_id/roles'),
  ...grantRoutes('/v3/system/groups/:group_id/roles'),
  ...grantedRoleRoutes('/v3/OS-INHERIT/projects/:project_id/users/:user_id/roles/:role_id/inherited_to_projects'),
  ...grantedRoleRoutes('/v3/OS-INHERIT/projects/:project_id/groups/:group_id/roles/:role_id/inherited_to_projects'),
  ...grantedRoleRoutes('/v3/OS-INHERIT/domains/:domain_id/users/:user_id/roles/:role_id/inherited_to_projects'),
  ...grantedRoleRoutes('/v3/OS-INHERIT/domains/:domain_id/groups/:group_id/roles/:role_id/inherited_to_projects'),
  { method: 'GET', path: '/v3/OS-INHERIT/domains/:domain_id/users/:user_id/roles/inherited_to_projects', handler: grants.list },
  { method: 'GET', path: '/v3/OS-INHERIT/domains/:domain_id/groups/:group_id/roles/inherited_to_projects', handler: grants.list },

  { method: 'GET', path: '/v3/services', handler: services.list },
  { method: 'POST', path: '/v3/services', handler: services.create },
  { method: 'GET', path: '/v3/services/:service_id', handler: services.show },
  { method: 'PATCH', path: '/v3/services/:service_id', handler: services.update },
  { method: 'DELETE', path: '/v3/services/:service_id', handler: services.remove },
  { method: 'GET', path: '/v3/endpoints', handler: endpoints.list },
  { method: 'POST', path: '/v3/endpoints', handler: endpoints.create },
  { method: 'GET', path: '/v3/endpoints/:endpoint_id', handler: endpoints.show },
  { method: 'PATCH', path: '/v3/endpoints/:endpoint_id', handler: endpoints.update },
  { method: 'DELETE', path: '/v3/endpoints/:endpoint_id', handler: endpoints.remove },
  { method: 'GET', path: '/v3/regions', handler: regions.list },
  { method: 'POST', path: '/v3/regions', handler: regions.create },
  { method: 'GET', path: '/v3/regions/:region_id', handler: regions.show },
  { method: 'PUT', path: '/v3/regions/:region_id', handler: regions.createById },
  { method: 'PATCH', path: '/v3/regions/:region_id', handler: regions.update },
  { method: 'DELETE', path: '/v3/regions/:region_id', handler: regions.remove },

  { method: 'GET', path: '/v3/OS-EP-FILTER/endpoint_groups', handler: endpointGroups.list },
  { method: 'POST', path: '/v3/OS-EP-FILTER/endpoint_groups', handler: endpointGroups.create },
  { method: 'GET', path: '/v3/OS-EP-FILTER/endpoint_groups/:endpoint_group_id', handler: endpointGroups.show },
  { method: 'PATCH', path: '/v3/OS-EP-FILTER/endpoint_groups/:endpoint_group_id', handler: endpointGroups.update },
  { method: 'DELETE', path: '/v3/OS-EP-FILTER/endpoint_groups/:endpoint_group_id', handler: endpointGroups.remove },
  { method: 'GET', path: '/v3/OS-EP-FILTER/endpoint_groups/:endpoint_group_id/endpoints', handler: endpointGroups.listEndpointsIn },
  { method: 'GET', path: '/v3/OS-EP-FILTER/endpoint_groups/:endpoint_group_id/projects', handler: endpointFilters.listProjectsOfGroup },
  { method: 'GET', path: '/v3/OS-EP-FILTER/endpoint_groups/:endpoint_group_id/projects/:project_id', handler: endpointFilters.showGroup },
  { method: 'PUT', path: '/v3/OS-EP-FILTER/endpoint_groups/:endpoint_group_id/projects/:project_id', handler: endpointFilters.addGroup },
  { method: 'DELETE', path: '/v3/OS-EP-FILTER/endpoint_groups/:endpoint_group_id/projects/:project_id', handler: endpointFilters.removeGroup },
  { method: 'GET', path: '/v3/OS-EP-FILTER/endpoints/:endpoint_id/projects', handler: endpointFilters.listProjectsOfEndpoint },
  { method: 'GET', path: '/v3/OS-EP-FILTER/projects/:project_id/endpoint_groups', handler: endpointFilters.listGroups },
  { method: 'GET', path: '/v3/OS-EP-FILTER/projects/:project_id/endpoints', handler: endpointFilters.listEndpoints },
  { method: 'GET', path: '/v3/OS-EP-FILTER/projects/:project_id/endpoints/:endpoint_id', handler: endpointFilters.checkEndpoint },
  { method: 'PUT', path: '/v3/OS-EP-FILTER/projects/:project_id/endpoints/:endpoint_id', handler: endpointFilters.addEndpoint },
  { method: 'DELETE', path: '/v3/OS-EP-FILTER/projects/:project_id/endpoints/:endpoint_id', handler: endpointFilters.removeEndpoint },

  { method: 'GET', path: '/v3/policies', handler: policies.list },
  { method: 'POST', path: '/v3/policies', handler: policies.create, legacySchemaRoot: 'policy' },
  { method: 'GET', path: '/v3/policies/:policy_id', handler: policies.show },
  { method: 'PATCH', path: '/v3/policies/:policy_id', handler: policies.update, legacySchemaRoot: 'policy' },
  { method: 'DELETE', path: '/v3/policies/:policy_id', handler: policies.remove },
  { method: 'GET', path: '/v3/policies/:policy_id/OS-ENDPOINT-POLICY/endpoints', handler: policyAssociations.listEndpointsOf },
  ...associationRoutes('/v3/policies/:policy_id/OS-ENDPOINT-POLICY/endpoints/:endpoint_id'),
  ...associationRoutes('/v3/policies/:policy_id/OS-ENDPOINT-POLICY/services/:service_id'),
  ...associationRoutes('/v3/policies/:policy_id/OS-ENDPOINT-POLICY/services/:service_id/regions/:region_id'),
  { method: 'GET', path: '/v3/endpoints/:endpoint_id/OS-ENDPOINT-POLICY/policy', handler: policyAssociations.showOfEndpoint },

  { method: 'GET', path: '/v3/registered_limits', handler: registeredLimits.list },
  { method: 'POST', path: '/v3/registered_limits', handler: registeredLimits.create },
  { method: 'GET', path: '/v3/registered_limits/:registered_limit_id', handler: registeredLimits.show },
  { method: 'PATCH', path: '/v3/registered_limits/:registered_limit_id', handler: registeredLimits.update },
  { method: 'DELETE', path: '/v3/registered_limits/:registered_limit_id', handler: registeredLimits.remove },
  { method: 'GET', path: '/v3/limits', handler: limits.list },
  { method: 'POST', path: '/v3/limits', handler: limits.create },
  { method: 'GET', path: '/v3/limits/model', handler: limits.showModel, single: true },
  { method: 'GET', path: '/v3/limits/:limit_id', handler: limits.show },
  { method: 'PATCH', path: '/v3/limits/:limit_id', handler: limits.update },
  { method: 'DELETE', path: '/v3/limits/:limit_id', handler: limits.remove },

  { method: 'GET', path: '/v3/OS-TRUST/trusts', handler: trusts.list },
  { method: 'POST', path: '/v3/OS-TRUST/trusts', handler: trusts.create },
  { method: 'GET', path: '/v3/OS-TRUST/trusts/:trust_id', handler: trusts.show },
  { method: 'DELETE', path: '/v3/OS-TRUST/trusts/:trust_id', handler: trusts.remove },
  { method: 'GET', path: '/v3/OS-TRUST/trusts/:trust_id/roles', handler: trusts.listRoles },
  { method: 'GET', path: '/v3/OS-TRUST/trusts/:trust_id/roles/:role_id', handler: trusts.showRole },

  { method: 'GET', path: '/v3/OS-OAUTH1/consumers', handler: consumers.list },
  { method: 'POST', path: '/v3/OS-OAUTH1/consumers', handler: consumers.create, legacySchemaRoot: 'consumer' },
  { method: 'GET', path: '/v3/OS-OAUTH1/consumers/:consumer_id', handler: consumers.show },
  { method: 'PATCH', path: '/v3/OS-OAUTH1/consumers/:consumer_id', handler: consumers.update, legacySchemaRoot: 'consumer' },
  { method: 'DELETE', path: '/v3/OS-OAUTH1/consumers/:consumer_id', handler: consumers.remove },
  { method: 'POST', path: '/v3/OS-OAUTH1/request_token', handler: oauthTokens.createRequest, open: true },
  { method: 'PUT', path: '/v3/OS-OAUTH1/authorize/:request_token_id', handler: oauthTokens.authorize, legacySchemaRoot: 'roles' },
  { method: 'POST', path: '/v3/OS-OAUTH1/access_token', handler: oauthTokens.createAccess, open: true },
  { method: 'POST', path: '/v3/OS-OAUTH2/token', handler: oauth2.create, open: true, single: true },
  { method: 'GET', path: '/v3/users/:user_id/OS-OAUTH1/access_tokens', handler: accessTokens.list },
  { method: 'GET', path: '/v3/users/:user_id/OS-OAUTH1/access_tokens/:access_token_id', handler: accessTokens.show },
  { method: 'DELETE', path: '/v3/users/:user_id/OS-OAUTH1/access_tokens/:access_token_id', handler: accessTokens.remove },
  { method: 'GET', path: '/v3/users/:user_id/OS-OAUTH1/access_tokens/:access_token_id/roles', handler: accessTokens.listRoles },
  { method: 'GET', path: '/v3/users/:user_id/OS-OAUTH1/access_tokens/:access_token_id/roles/:role_id', handler: accessTokens.showRole },

  { method: 'GET', path: '/v3/OS-FEDERATION/identity_providers', handler: identityProviders.list },
  { method: 'GET', path: '/v3/OS-FEDERATION/identity_providers/:identity_provider_id', handler: identityProviders.show },
  { method: 'PUT', path: '/v3/OS-FEDERATION/identity_providers/:identity_provider_id', handler: identityProviders.create },
  { method: 'PATCH', path: '/v3/OS-FEDERATION/identity_providers/:identity_provider_id', handler: identityProviders.update },
  { method: 'DELETE', path: '/v3/OS-FEDERATION/identity_providers/:identity_provider_id', handler: identityProviders.remove },
  { method: 'GET', path: '/v3/OS-FEDERATION/identity_providers/:identity_provider_id/protocols', handler: protocols.list },
  { method: 'GET', path: '/v3/OS-FEDERATION/identity_providers/:identity_provider_id/protocols/:protocol_id', handler: protocols.show },
  { method: 'PUT', path: '/v3/OS-FEDERATION/identity_providers/:identity_provider_id/protocols/:protocol_id', handler: protocols.create },
  { method: 'PATCH', path: '/v3/OS-FEDERATION/identity_providers/:identity_provider_id/protocols/:protocol_id', handler: protocols.update },
  { method: 'DELETE', path: '/v3/OS-FEDERATION/identity_providers/:identity_provider_id/protocols/:protocol_id', handler: protocols.remove },
  { method: 'GET', path: '/v3/OS-FEDERATION/identity_providers/:identity_provider_id/protocols/:protocol_id/auth', handler: federation.authenticate, open: true, lock: 'central' },
  { method: 'POST', path: '/v3/OS-FEDERATION/identity_providers/:identity_provider_id/protocols/:protocol_id/auth', handler: federation.authenticate, open: true },
  { method: 'GET', path: '/v3/OS-FEDERATION/saml2/metadata', handler: saml.showMetadata, open: true, single: true },
  { method: 'POST', path: '/v3/auth/OS-FEDERATION/saml2', handler: saml.create, open: true, single: true, checksBody: true },
  { method: 'POST', path: '/v3/auth/OS-FEDERATION/saml2/ecp', handler: saml.createForEcp, open: true, single: true, checksBody: true },
  { method: 'GET', path: '/v3/auth/OS-FEDERATION/websso/:protocol_id', handler: singleSignOn.signIn, open: true, lock: 'central' },
  { method: 'POST', path: '/v3/auth/OS-FEDERATION/websso/:protocol_id', handler: singleSignOn.signIn, open: true },
  { method: 'GET', path: '/v3/auth/OS-FEDERATION/identity_providers/:identity_provider_id/protocols/:protocol_id/websso', handler: singleSignOn.signInAt, open: true, lock: 'central' },
  { method: 'POST', path: '/v3/auth/OS-FEDERATION/identity_providers/:identity_provider_id/protocols/:protocol_id/websso', handler: singleSignOn.signInAt, open: true },
  { method: 'GET', path: '/v3/OS-FEDERATION/projects', handler: authScopes.listProjects },
  { method: 'GET', path: '/v3/OS-FEDERATION/domains', handler: authScopes.listDomains },
  { method: 'GET', path: '/v3/OS-FEDERATION/mappings', handler: mappings.list },
  { method: 'GET', path: '/v3/OS-FEDERATION/mappings/:mapping_id', handler: mappings.show },
  { method: 'PUT', path: '/v3/OS-FEDERATION/mappings/:mapping_id', handler: mappings.create, checksBody: true },
  { method: 'PATCH', path: '/v3/OS-FEDERATION/mappings/:mapping_id', handler: mappings.update, checksBody: true },
  { method: 'DELETE', path: '/v3/OS-FEDERATION/mappings/:mapping_id', handler: mappings.remove },
  { method: 'GET', path: '/v3/OS-FEDERATION/service_providers', handler: serviceProviders.list },
  { method: 'GET', path: '/v3/OS-FEDERATION/service_providers/:service_provider_id', handler: serviceProviders.show },
  { method: 'PUT', path: '/v3/OS-FEDERATION/service_providers/:service_provider_id', handler: serviceProviders.create },
  { method: 'PATCH', path: '/v3/OS-FEDERATION/service_providers/:service_provider_id', handler: serviceProviders.update },
  { method: 'DELETE', path: '/v3/OS-FEDERATION/service_providers/:service_provider_id', handler: serviceProviders.remove },

  { method: 'GET', path: '/oidc/:issuer/.well-known/openid-configuration', handler: oidc.discover, open: true, single: true },
  { method: 'GET', path: '/oidc/:issuer/jwks', handler: oidc.keys, open: true, single: true },
  { method: 'GET', path: '/oidc/:issuer/authorize', handler: oidc.authorize, open: true, single: true },
  { method: 'POST', path: '/oidc/:issuer/token', handler: oidc.createToken, open: true, single: true },

  { method: 'GET', path: '/saml/:issuer/metadata', handler: samlProvider.showMetadata, open: true, single: true },
  { method: 'POST', path: '/saml/:issuer/ecp', handler: samlProvider.issueAssertion, open: true, single: true },
  { method: 'GET', path: '/Shibboleth.sso/Metadata', handler: samlServiceProvider.showMetadata, open: true, single: true },
  { method: 'POST', path: '/Shibboleth.sso/SAML2/ECP', handler: samlServiceProvider.acceptAssertion, open: true, single: true },

  { method: 'GET', path: '/v3/credentials', handler: credentials.list },
  { method: 'POST', path: '/v3/credentials', handler: credentials.create },
  { method: 'GET', path: '/v3/credentials/:credential_id', handler: credentials.show },
  { method: 'PATCH', path: '/v3/credentials/:credential_id', handler: credentials.update },
  { method: 'DELETE', path: '/v3/credentials/:credential_id', handler: credentials.remove },
];

/** Routes for the list of an actor's roles on a target, and for one role of the list. */
function grantRoutes(path: string): IdentityRoute[] {
  return [{ method: 'GET', path, handler: grants.list }, ...grantedRoleRoutes(`${path}/:role_id`)];
}

function configRoutes(path: string): IdentityRoute[] {
  return [
    { method: 'GET', path, handler: domainConfigs.show },
    { method: 'PATCH', path, handler: domainConfigs.update },
    { method: 'DELETE', path, handler: domainConfigs.remove },
  ];
}

function associationRoutes(path: string): IdentityRoute[] {
  return [
    { method: 'GET', path, handler: policyAssociations.check },
    { method: 'PUT', path, handler: policyAssociations.create },
    { method: 'DELETE', path, handler: policyAssociations.remove },
  ];
}

function grantedRoleRoutes(path: string): IdentityRoute[] {
  return [
    { method: 'PUT', path, handler: grants.create },
    { method: 'GET', path, handler: grants.show },
    { method: 'DELETE', path, handler: grants.remove },
  ];
}

/**
 * Adds a HEAD route for each GET route, with the same handler, if the table has none, as Flask
 * does.
 */
function withHeads(table: readonly IdentityRoute[]): IdentityRoute[] {
  const own = new Set(table.filter(({ method }) => method === 'HEAD').map(({ path }) => path));
  return table.flatMap((route) =>
    route.method === 'GET' && !own.has(route.path) ? [route, { ...route, method: 'HEAD' }] : [route],
  );
}

export const identityRoutes: readonly IdentityRoute[] = withHeads(routes);
