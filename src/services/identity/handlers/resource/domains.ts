// Domains: what projects, users and groups are in.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { badRequest } from '../../../../kernel/fault.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import { checkPlace, refuseReservedName, removeDomain } from '../../domain/resource/projects.ts';
import type { Project } from '../../domain/records.ts';
import { found } from '../../domain/refusals.ts';
import { findProject, insertProject, listProjects } from '../../store/resource/projects.ts';
import { listReply } from '../../views/links.ts';
import { domainView } from '../../views/resource/projects.ts';
import { changeProject, newProject, unique } from './projects.ts';
import { allow, bodyOf, domainScope, inDomainScope, normalized } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** GET /v3/domains */
export async function list(call: Call): Promise<Reply> {
  const id = domainScope(call);
  allow(call, 'list_domains', { domain: id === undefined ? undefined : { id } });
  const domains = await listProjects(call.db, { isDomain: true, name: call.query.last('name') });
  const shown = inDomainScope(call, domains, (domain) => domain.id);
  return listReply(
    call,
    'domains',
    shown.map((domain) => domainView(call, domain)),
    ['name', 'enabled'],
  );
}

/** POST /v3/domains */
export async function create(call: Call): Promise<Reply> {
  allow(call, 'create_domain');
  const { explicit_domain_id: chosen, ...fields } = normalized(bodyOf(call, 'domain'));
  if (chosen !== undefined && !/^[0-9a-f]{32}$/.test(chosen as string))
    throw badRequest('Domain ID does not conform to required UUID format.');
  const domain = newProject(fields, (chosen as string | undefined) ?? newHexId(), {
    isDomain: true,
    domainId: null,
    parentId: null,
  });
  await checkPlace(call.db, domain);
  await unique(domain, () => insertProject(call.db, domain));
  return created({ domain: domainView(call, domain) });
}

/** GET /v3/domains/{domain_id} */
export async function show(call: Call): Promise<Reply> {
  const domain = await target(call, 'get_domain');
  return ok({ domain: domainView(call, domain) });
}

/** PATCH /v3/domains/{domain_id} */
export async function update(call: Call): Promise<Reply> {
  const domain = await target(call, 'update_domain');
  const fields = bodyOf(call, 'domain');
  refuseReservedName({ id: domain.id, name: (fields['name'] as string | undefined) ?? '' });
  const next = await changeProject(call, domain, fields);
  return ok({ domain: domainView(call, next) });
}

/** DELETE /v3/domains/{domain_id} */
export async function remove(call: Call): Promise<Reply> {
  await removeDomain(call.db, await target(call, 'delete_domain'));
  await bumpAuthRevision(call.db);
  return noContent();
}

async function target(call: Call, rule: string): Promise<Project> {
  const id = call.params['domain_id']!;
  const project = await findProject(call.db, id);
  const domain = project?.isDomain ? project : undefined;
  allow(call, rule, { domain });
  return found(domain, 'domain', id);
}
