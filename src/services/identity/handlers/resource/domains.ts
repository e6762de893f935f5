// Domains, which contain projects, users and groups.
import { plainHandlers } from '../../../../kernel/http/plain-resource.ts';
import type { Call } from '../../../../kernel/model.ts';
import type { Fields } from '../../domain/attributes.ts';
import { found } from '../../domain/refusals.ts';
import { createDomain, deleteDomain, updateDomain } from '../../domain/resource/domains.ts';
import type { Project } from '../../model.ts';
import { findProject, listProjects } from '../../store/resource/projects.ts';
import { domainView } from '../../views/resource/projects.ts';
import { bodiesOf, ruleOf } from '../plain.ts';
import { enforce, domainScope, inDomainScope } from '../requests.ts';

/**
 * The operations of /v3/domains. Policy is enforced before a missing domain is a 404 when it is
 * shown, and after that when it is updated or deleted, as upstream (get_member_from_driver in
 * api/domains.py).
 */
export const { list, show, create, update, remove } = plainHandlers<Call, Project, Fields>({
  ...bodiesOf({
    noun: 'domain',
    collection: 'domains',
    filters: ['name', 'enabled'],
    view: domainView,
  }),
  async list(call) {
    const id = domainScope(call);
    enforce(call, 'list_domains', { domain: id === undefined ? undefined : { id } });
    const domains = await listProjects(call.db, { isDomain: true, name: call.query.last('name') });
    return inDomainScope(call, domains, (domain) => domain.id);
  },
  async find(call, operation) {
    const id = call.params['domain_id']!;
    const project = await findProject(call.db, id);
    const domain = project?.isDomain ? project : undefined;
    if (operation !== 'show') found(domain, 'domain', id);
    enforce(call, ruleOf(operation, 'domain'), { domain });
    return found(domain, 'domain', id);
  },
  create(call, fields) {
    enforce(call, 'create_domain');
    return createDomain(call, fields);
  },
  update: updateDomain,
  remove: deleteDomain,
});
