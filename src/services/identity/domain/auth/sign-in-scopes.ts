// Finds the scope of a new token: the requested one, or else the user's default project. Upstream:
// keystone/auth/core.py.
import { findProject, findProjectByName } from '../../store/resource/projects.ts';
import { rolesInScope } from '../assignment/effective-roles.ts';
import type { DomainReference, Scope, User } from '../../model.ts';
import { expecting, isMissing, unauthenticated } from '../refusals.ts';
import { validTrust } from '../trust/trusts.ts';
import { enabledDomain } from './accounts.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Context } from '../../../../kernel/model.ts';

/** A scope in a request. */
export type ScopeRequest =
  | string
  | {
      readonly project?: {
        readonly id?: string;
        readonly name?: string;
        readonly domain?: DomainReference;
      };
      readonly domain?: DomainReference;
      readonly system?: { readonly all?: unknown };
      readonly unscoped?: unknown;
      readonly 'OS-TRUST:trust'?: { readonly id?: string };
    };

const kinds = ['project', 'domain', 'unscoped', 'system', 'OS-TRUST:trust'] as const;

/**
 * The requested scope; undefined for an unscoped token, 'default' if the request names no scope.
 * @throws 400, 401, 403
 */
export async function requestedScope(
  context: Context,
  request: ScopeRequest | undefined,
): Promise<Scope | undefined | 'default'> {
  if (request === undefined) return 'default';
  // Upstream tests strings like objects, with the operator `in`: "unscoped" is in "unscoped".
  const named = kinds.filter((kind) =>
    typeof request === 'string' ? request.includes(kind) : kind in request,
  );
  if (named.length !== 1)
    throw expecting('system, project, domain, OS-TRUST:trust or unscoped', 'scope');
  if (typeof request === 'string' || named[0] === 'unscoped') return undefined;
  if (request.system) return { kind: 'system' };
  if (request.domain)
    return { kind: 'domain', id: (await enabledDomain(context.db, request.domain)).id };
  if (request.project)
    return { kind: 'project', id: await projectIdOf(context.db, request.project) };
  return trustScope(context, request['OS-TRUST:trust']!);
}

/**
 * The project of a trust. A trust without a project is rejected when the token is issued, as
 * upstream.
 */
async function trustScope(context: Context, { id }: { id?: string }): Promise<Scope> {
  if (!id) throw expecting('trust_id', 'trust');
  const trust = await validTrust(context, id).catch((error: unknown) => {
    throw isMissing(error, 'trust') ? unauthenticated() : error;
  });
  const projectId =
    trust.projectId === null ? 'None' : await projectIdOf(context.db, { id: trust.projectId });
  return { kind: 'project', id: projectId, trustId: id };
}

async function projectIdOf(
  db: Db,
  { id, name, domain }: { id?: string; name?: string; domain?: DomainReference },
): Promise<string> {
  if (name && !domain) throw expecting('domain', 'project');
  const project = name
    ? await findProjectByName(db, name, (await enabledDomain(db, domain!)).id)
    : await findProject(db, id ?? '');
  if (!project?.enabled || project.domainId === null) throw unauthenticated();
  return project.id;
}

/**
 * The user's default project; undefined if it does not exist or is disabled, or if the user has no
 * role on it.
 */
export async function defaultScope(context: Context, user: User): Promise<Scope | undefined> {
  const { db } = context;
  const project =
    user.defaultProjectId === null ? undefined : await findProject(db, user.defaultProjectId);
  if (!project?.enabled || project.domainId === null) return undefined;
  const domain = await findProject(db, project.domainId);
  const scope = { kind: 'project', id: project.id } as const;
  return domain?.enabled && (await rolesInScope(context, user.id, scope)).length
    ? scope
    : undefined;
}
