// What a token is to be for: what the client asks, or else the user's default project.
import type { Micros } from '../../../../kernel/clock.ts';
import { findProject, findProjectByName } from '../../store/resource/projects.ts';
import type { User } from '../records.ts';
import { isMissing, expecting, unauthenticated } from '../refusals.ts';
import { enabledDomain, type DomainReference } from './sign-in-methods.ts';
import { rolesIn, type Scope } from '../assignment/effective-roles.ts';
import { validTrust } from '../trust/trusts.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** A scope as a client asks for it. */
export type ScopeRequest =
  | string
  | {
      readonly project?: { readonly id?: string; readonly name?: string; readonly domain?: DomainReference };
      readonly domain?: DomainReference;
      readonly system?: { readonly all?: unknown };
      readonly unscoped?: unknown;
      readonly 'OS-TRUST:trust'?: { readonly id?: string };
    };

const kinds = ['project', 'domain', 'unscoped', 'system', 'OS-TRUST:trust'] as const;

/** The scope that was asked for; undefined for none, 'default' where nothing was said. @throws 400, 401, 403 */
export async function requestedScope(
  db: Db,
  asked: ScopeRequest | undefined,
  now: Micros,
): Promise<Scope | undefined | 'default'> {
  if (asked === undefined) return 'default';
  // Upstream looks for the names in a string just as in an object: "unscoped" is in "unscoped".
  const named = kinds.filter((kind) => (typeof asked === 'string' ? asked.includes(kind) : kind in asked));
  if (named.length !== 1) throw expecting('system, project, domain, OS-TRUST:trust or unscoped', 'scope');
  if (typeof asked === 'string' || named[0] === 'unscoped') return undefined;
  if (asked.system) return { kind: 'system' };
  if (asked.domain) return { kind: 'domain', id: (await enabledDomain(db, asked.domain)).id };
  if (asked.project) return { kind: 'project', id: await projectId(db, asked.project) };
  return trustScope(db, asked['OS-TRUST:trust']!, now);
}

/** The project of a trust. One without a project gives no token, which upstream finds out only when it issues one. */
async function trustScope(db: Db, { id }: { id?: string }, now: Micros): Promise<Scope> {
  if (!id) throw expecting('trust_id', 'trust');
  const trust = await validTrust(db, id, now).catch((error: unknown) => {
    throw isMissing(error, 'trust') ? unauthenticated() : error;
  });
  const place = trust.projectId === null ? 'None' : await projectId(db, { id: trust.projectId });
  return { kind: 'project', id: place, trustId: id };
}

async function projectId(
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

/** The user's default project, where it is enabled and the user has a role on it. */
export async function defaultScope(db: Db, user: User): Promise<Scope | undefined> {
  const project = user.defaultProjectId === null ? undefined : await findProject(db, user.defaultProjectId);
  if (!project?.enabled || project.domainId === null) return undefined;
  const domain = await findProject(db, project.domainId);
  const scope = { kind: 'project', id: project.id } as const;
  return domain?.enabled && (await rolesIn(db, user.id, scope)).length ? scope : undefined;
}
