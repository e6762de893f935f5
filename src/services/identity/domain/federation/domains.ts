// Finds the domains that mappings name.
import type { Db } from '../../../../kernel/db/database.ts';
import { findProject, findProjectByName } from '../../store/resource/projects.ts';
import type { DomainReference } from '../../model.ts';
import { found } from '../refusals.ts';

/**
 * The id of a domain, which may not exist if the reference has an id.
 * @throws 404 for an unknown name
 */
export async function domainIdOf(db: Db, { id, name = 'None' }: DomainReference): Promise<string> {
  if (id) return id;
  const domain = await findProjectByName(db, name, null);
  return found(domain?.isDomain ? domain : undefined, 'domain', name).id;
}

/**
 * The domain of a mapped user or project: the provider's, unless the mapping names one.
 * @throws 404
 */
export async function mappedDomainId(
  db: Db,
  domain: DomainReference | undefined,
  fallback: string,
): Promise<string> {
  const id = domain ? await domainIdOf(db, domain) : fallback;
  const known = await findProject(db, id);
  return found(known?.isDomain ? known : undefined, 'domain', id).id;
}
