// Projects and domains in the format of the API.
import type { Project } from '../../model.ts';
import { linkTo, type View } from '../links.ts';
import type { Call } from '../../../../kernel/model.ts';

export function projectView(call: Call, project: Project): View {
  return {
    ...project.extra,
    ...common(project),
    domain_id: project.domainId,
    parent_id: project.parentId,
    is_domain: project.isDomain,
    links: { self: linkTo(call, `projects/${project.id}`) },
  };
}

export function domainView(call: Call, domain: Project): View {
  return {
    ...domain.extra,
    ...common(domain),
    links: { self: linkTo(call, `domains/${domain.id}`) },
  };
}

const common = (project: Project) => ({
  id: project.id,
  name: project.name,
  description: project.description,
  enabled: project.enabled,
  tags: project.tags,
  options: project.options,
});
