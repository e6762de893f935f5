// Domains, which contain projects, users and groups.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { normalized } from '../../domain/attributes.ts';
import type { Project } from '../../model.ts';
import { found } from '../../domain/refusals.ts';
import { createDomain, deleteDomain, updateDomain } from '../../domain/resource/domains.ts';
import { findProject, listProjects } from '../../store/resource/projects.ts';
import { domainView } from '../../views/resource/projects.ts';
import { listReply } from '../lists.ts';
import { allow, bodyOf, domainScope, inDomainScope } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** GET /v3/domains */
export async function list(call: Call): Promise<Reply> {
  const id = domainScope(call);
  allow(call, 'list_domains', { domain: id === undefined ? undefined : { id } });
  const domains = await listProjects(call.db, { isDomain: true, name: call.query.last('name') });
  const visible = inDomainScope(call, domains, (domain) => domain.id);
  return listReply(
    call,
    'domains',
    visible.map((domain) => domainView(call, domain)),
    ['name', 'enabled'],
  );
}

/** POST /v3/domains */
export async function create(call: Call): Promise<Reply> {
  allow(call, 'create_domain');
  const domain = await createDomain(call, normalized(bodyOf(call, 'domain')));
  return created({ domain: domainView(call, domain) });
}

/** GET /v3/domains/{domain_id} */
export async function show(call: Call): Promise<Reply> {
  return ok({ domain: domainView(call, await target(call, 'get_domain')) });
}

/** PATCH /v3/domains/{domain_id} */
export async function update(call: Call): Promise<Reply> {
  const domain = await updateDomain(
    call,
    await target(call, 'update_domain'),
    bodyOf(call, 'domain'),
  );
  return ok({ domain: domainView(call, domain) });
}

/** DELETE /v3/domains/{domain_id} */
export async function remove(call: Call): Promise<Reply> {
  await deleteDomain(call, await target(call, 'delete_domain'));
  return noContent();
}

async function target(call: Call, rule: string): Promise<Project> {
  const id = call.params['domain_id']!;
  const project = await findProject(call.db, id);
  const domain = project?.isDomain ? project : undefined;
  allow(call, rule, { domain });
  return found(domain, 'domain', id);
}
