// The ancestors and descendants of a project, as a list or as ids that nest.
import { badRequest } from '../../../../kernel/fault.ts';
import { subtree } from '../../domain/assignment/assignments.ts';
import { projectsOf } from '../../domain/assignment/user-projects.ts';
import type { Project } from '../../domain/records.ts';
import { ancestors } from '../../domain/assignment/effective-roles.ts';
import { listProjects } from '../../store/resource/projects.ts';
import { flag } from '../../views/links.ts';
import { projectView } from '../../views/resource/projects.ts';
import type { Call } from '../../../../kernel/model.ts';

type IdTree = { [id: string]: IdTree } | null;

/** What the query asks for; in lists only those that the caller has a role on. @throws 400 where list and ids are both asked for */
export async function relatives(call: Call, project: Project): Promise<object> {
  const asks = (name: string): boolean => flag(call.query, name);
  for (const kind of ['parents', 'subtree']) {
    if (asks(`${kind}_as_list`) && asks(`${kind}_as_ids`)) {
      throw badRequest(`Cannot use ${kind}_as_list and ${kind}_as_ids query params at the same time.`);
    }
  }
  const all = await listProjects(call.db);
  return {
    ...(asks('parents_as_list') ? { parents: await listed(call, await ancestors(call.db, project.id)) } : {}),
    ...(asks('parents_as_ids') ? { parents: upwards(await ancestors(call.db, project.id)) } : {}),
    ...(asks('subtree_as_list') ? { subtree: await listed(call, subtree(project.id, all)) } : {}),
    ...(asks('subtree_as_ids') ? { subtree: downwards(project.id, all) } : {}),
  };
}

async function listed(call: Call, projects: readonly Project[]): Promise<object[]> {
  const reached = new Set((await projectsOf(call.db, call.caller!.userId)).map((project) => project.id));
  return projects.filter((project) => reached.has(project.id)).map((project) => ({ project: projectView(call, project) }));
}

const upwards = (above: readonly Project[]): IdTree =>
  above.reduceRight<IdTree>((tree, project) => ({ [project.id]: tree }), null);

function downwards(id: string, all: readonly Project[]): IdTree {
  const children = all.filter((project) => project.parentId === id);
  return children.length ? Object.fromEntries(children.map((child) => [child.id, downwards(child.id, all)])) : null;
}
