// The parents and the subtree of a project, as lists or as nested ids.
import { badRequest } from '../../../../kernel/errors.ts';
import { projectsOfUser } from '../../domain/assignment/user-projects.ts';
import type { Project } from '../../model.ts';
import { listProjects } from '../../store/resource/projects.ts';
import { flag } from '../lists.ts';
import { projectView } from '../../views/resource/projects.ts';
import type { Call } from '../../../../kernel/model.ts';
import {
  ancestors,
  childrenOf,
  subtree,
  type Children,
} from '../../domain/resource/project-tree.ts';

type IdTree = { [id: string]: IdTree } | null;

/**
 * The parents and the subtree, if the query requests them. Lists contain only projects on which the
 * caller has a role.
 * @throws 400
 */
export async function relatives(call: Call, project: Project): Promise<object> {
  const isRequested = (name: string): boolean => flag(call.query, name);
  for (const name of ['parents', 'subtree']) {
    if (isRequested(`${name}_as_list`) && isRequested(`${name}_as_ids`)) {
      throw badRequest(
        `Cannot use ${name}_as_list and ${name}_as_ids query params at the same time.`,
      );
    }
  }
  const children = childrenOf(await listProjects(call.db));
  return {
    ...(isRequested('parents_as_list')
      ? { parents: await accessibleViews(call, await ancestors(call.db, project.id)) }
      : {}),
    ...(isRequested('parents_as_ids')
      ? { parents: parentTree(await ancestors(call.db, project.id)) }
      : {}),
    ...(isRequested('subtree_as_list')
      ? { subtree: await accessibleViews(call, subtree(project.id, children)) }
      : {}),
    ...(isRequested('subtree_as_ids') ? { subtree: childTree(project.id, children) } : {}),
  };
}

async function accessibleViews(call: Call, projects: readonly Project[]): Promise<object[]> {
  const accessible = new Set(
    (await projectsOfUser(call, call.caller!.userId)).map((project) => project.id),
  );
  return projects
    .filter((project) => accessible.has(project.id))
    .map((project) => ({ project: projectView(call, project) }));
}

const parentTree = (above: readonly Project[]): IdTree =>
  above.reduceRight<IdTree>((tree, project) => ({ [project.id]: tree }), null);

function childTree(id: string, children: Children): IdTree {
  const own = children.get(id);
  return own
    ? Object.fromEntries(own.map((child) => [child.id, childTree(child.id, children)]))
    : null;
}
