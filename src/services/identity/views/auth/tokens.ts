// A token in the format of the API. It stays the same between requests, including the order of
// roles and catalog. Upstream: common/render_token.py.
import { isoMicros, naiveIsoOrNull } from '../../../../kernel/clock.ts';
import type {
  AccessToken,
  ApplicationCredential,
  Federation,
  Project,
  ServiceProvider,
  Token,
  Trust,
} from '../../model.ts';
import { accessRuleView } from '../application-credential/application-credentials.ts';
import { plainRoleView } from '../assignment/roles.ts';

/** The body of a token, with a catalog if one is given, and with the enabled service providers. */
export function tokenView(
  token: Token,
  catalog: unknown[] | undefined,
  serviceProviders: readonly ServiceProvider[],
): { token: object } {
  const { user, userDomain, federation } = token;
  return {
    token: {
      methods: token.methods,
      user: {
        domain: reference(userDomain),
        id: user.id,
        name: user.name,
        ...(federation
          ? { 'OS-FEDERATION': federationView(federation) }
          : { password_expires_at: naiveIsoOrNull(user.passwordExpiresAt) }),
      },
      audit_ids: token.auditIds,
      expires_at: isoMicros(token.expiresAt),
      issued_at: isoMicros(token.issuedAt),
      ...scopeView(token),
      ...(catalog ? { catalog } : {}),
      ...(serviceProviders.length
        ? { service_providers: serviceProviders.map(serviceProviderReference) }
        : {}),
      ...(token.applicationCredential
        ? { application_credential: credentialView(token.applicationCredential) }
        : {}),
      ...(token.accessToken ? { 'OS-OAUTH1': oauthView(token.accessToken) } : {}),
    },
  };
}

const federationView = ({ providerId, protocolId, groupIds }: Federation): object => ({
  groups: groupIds.map((id) => ({ id })),
  identity_provider: { id: providerId },
  protocol: { id: protocolId },
});

const serviceProviderReference = ({ id, authUrl, spUrl }: ServiceProvider): object => ({
  auth_url: authUrl,
  id,
  sp_url: spUrl,
});

const oauthView = ({ id, consumerId }: AccessToken): object => ({
  access_token_id: id,
  consumer_id: consumerId,
});

function scopeView({ scope, project, projectDomain, domain, roles, trust }: Token): object {
  if (!scope) return {};
  const projectPart = () => ({
    domain: reference(projectDomain!),
    id: project!.id,
    name: project!.name,
  });
  // Upstream shows the roles of a trust with all their attributes.
  if (trust)
    return {
      'OS-TRUST:trust': trustView(trust),
      project: projectPart(),
      roles: roles.map(plainRoleView),
    };
  const names = roles.map(({ id, name }) => ({ id, name }));
  if (scope.kind === 'system') return { roles: names, system: { all: true } };
  if (scope.kind === 'domain') return { domain: reference(domain!), roles: names };
  return { project: projectPart(), is_domain: false, roles: names };
}

const trustView = ({ id, trustorUserId, trusteeUserId, impersonation }: Trust): object => ({
  id,
  trustor_user: { id: trustorUserId },
  trustee_user: { id: trusteeUserId },
  impersonation,
});

const reference = ({ id, name }: Project): object => ({ id, name });

function credentialView(credential: ApplicationCredential): object {
  const { id, name, unrestricted, accessRules } = credential;
  return {
    id,
    name,
    restricted: !unrestricted,
    ...(accessRules.length ? { access_rules: accessRules.map(accessRuleView) } : {}),
  };
}
