// A token as a client sees it: the same at each look, down to the order of roles and catalog. Upstream: common/render_token.py.
import { isoMicros } from '../../../../kernel/clock.ts';
import type { ApplicationCredential, Project, Trust } from '../../domain/records.ts';
import { endpointsFor } from '../../domain/catalog/endpoint-filters.ts';
import type { Token } from '../../domain/auth/tokens.ts';
import { listEndpoints, listServices } from '../../store/catalog/catalog.ts';
import { accessRuleView } from '../application-credential/application-credentials.ts';
import { catalogView, type Subject } from '../catalog/catalog.ts';
import { plainRoleView } from '../assignment/roles.ts';
import type { Call } from '../../../../kernel/model.ts';

/** The body of a token, with the catalog unless the client does without; a token for nothing has none. */
export async function tokenView(call: Call, token: Token): Promise<{ token: object }> {
  const { user, userDomain, scope } = token;
  const wantsCatalog = scope !== undefined && !call.query.has('nocatalog');
  return {
    token: {
      methods: token.methods,
      user: { domain: reference(userDomain), id: user.id, name: user.name, password_expires_at: null },
      audit_ids: token.auditIds,
      expires_at: isoMicros(token.expiresAt),
      issued_at: isoMicros(token.issuedAt),
      ...scopeView(token),
      ...(wantsCatalog ? { catalog: await readCatalog(call, catalogSubject(token)) } : {}),
      ...(token.applicationCredential ? { application_credential: credentialView(token.applicationCredential) } : {}),
    },
  };
}

function scopeView({ scope, project, projectDomain, domain, roles, trust }: Token): object {
  if (!scope) return {};
  const place = () => ({ domain: reference(projectDomain!), id: project!.id, name: project!.name });
  // Upstream: the roles of a trust are the whole roles.
  if (trust) return { 'OS-TRUST:trust': trustView(trust), project: place(), roles: roles.map(plainRoleView) };
  const held = roles.map(({ id, name }) => ({ id, name }));
  if (scope.kind === 'system') return { roles: held, system: { all: true } };
  if (scope.kind === 'domain') return { domain: reference(domain!), roles: held };
  return { project: place(), is_domain: false, roles: held };
}

const trustView = ({ id, trustorUserId, trusteeUserId, impersonation }: Trust): object => ({
  id,
  trustor_user: { id: trustorUserId },
  trustee_user: { id: trusteeUserId },
  impersonation,
});

const reference = ({ id, name }: Project): object => ({ id, name });

/** The catalog of a token for a trust is the trustor's. */
const catalogSubject = ({ userId, project, trust }: Token): Subject => ({
  userId: trust?.trustorUserId ?? userId,
  projectId: project?.id,
});

/** The catalog for a user and a project; only with the endpoints that are for the project, where some are. */
export async function readCatalog(call: Call, subject: Subject): Promise<unknown[]> {
  const endpoints = await listEndpoints(call.db);
  const only = subject.projectId === undefined ? [] : await endpointsFor(call.db, subject.projectId, endpoints);
  return catalogView(call, await listServices(call.db), endpoints, subject, only);
}

function credentialView(credential: ApplicationCredential): object {
  const { id, name, unrestricted, accessRules } = credential;
  return {
    id,
    name,
    restricted: !unrestricted,
    ...(accessRules.length ? { access_rules: accessRules.map(accessRuleView) } : {}),
  };
}
