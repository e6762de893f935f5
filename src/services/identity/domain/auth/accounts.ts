// Finds the users and domains that sign-ins name.
import { findUser, findUserByName } from '../../store/identity/users.ts';
import { findProject, findProjectByName } from '../../store/resource/projects.ts';
import type { DomainReference, Project, User } from '../../model.ts';
import { isEnabledNow } from '../identity/inactivity.ts';
import { expecting, unauthenticated } from '../refusals.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Context } from '../../../../kernel/model.ts';

/** A user by id, or by name and domain. */
export interface UserReference extends DomainReference {
  readonly domain?: DomainReference | undefined;
}

/**
 * Finds a user in an enabled domain. The user must be enabled, and must not count as inactive.
 * @throws 400 if the reference is incomplete, 401 if there is no such user
 */
export async function enabledUser(
  context: Pick<Context, 'db' | 'now'>,
  { id, name, domain }: UserReference,
): Promise<User> {
  const { db } = context;
  if (!id && !name) throw expecting('id or name', 'user');
  if (name && !domain) throw expecting('domain', 'user');
  const namedDomain = name ? await enabledDomain(db, domain!) : undefined;
  const user = name ? await findUserByName(db, name, namedDomain!.id) : await findUser(db, id!);
  if (!user || !(await isEnabledNow(context, user))) throw unauthenticated();
  if (!namedDomain) await enabledDomain(db, { id: user.domainId });
  return user;
}

/**
 * Finds an enabled domain.
 * @throws 400 if the reference is empty, 401 if the domain does not exist or is disabled
 */
export async function enabledDomain(db: Db, { id, name }: DomainReference): Promise<Project> {
  if (!id && !name) throw expecting('id or name', 'domain');
  const domain = name ? await findProjectByName(db, name, null) : await findProject(db, id!);
  if (!domain?.isDomain || !domain.enabled) throw unauthenticated();
  return domain;
}
