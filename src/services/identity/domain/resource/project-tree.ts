// The hierarchy of projects: their domain, the projects above a project, and the projects below it.
import { grouped } from '../../../../kernel/db/grouping.ts';
import { findProject } from '../../store/resource/projects.ts';
import type { Project } from '../../model.ts';
import { found } from '../refusals.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** Finds a domain. @throws 404 even if the id is that of a project */
export async function requireDomain(db: Db, id: string): Promise<Project> {
  const domain = await findProject(db, id);
  return found(domain?.isDomain ? domain : undefined, 'domain', id);
}

/** The projects above a project, nearest first, ending with the domain. */
export async function ancestors(db: Db, id: string): Promise<Project[]> {
  const above: Project[] = [];
  let parentId = (await findProject(db, id))?.parentId ?? null;
  while (parentId !== null) {
    const parent = await findProject(db, parentId);
    if (!parent) break;
    above.push(parent);
    parentId = parent.parentId;
  }
  return above;
}

/** Projects by the id of their parent. */
export type Children = ReadonlyMap<string | null, readonly Project[]>;

export const childrenOf = (projects: readonly Project[]): Children =>
  grouped(projects, ({ parentId }) => parentId);

/** The projects below a project, level by level, without the project itself. */
export function subtree(id: string, children: Children): Project[] {
  const below = [...(children.get(id) ?? [])];
  // The loop also visits the projects that it adds.
  for (const project of below)
    for (const child of children.get(project.id) ?? []) below.push(child);
  return below;
}
