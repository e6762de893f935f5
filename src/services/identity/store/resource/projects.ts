// The table of projects and domains.
import {
  boolean,
  integer,
  jsonObject,
  jsonTexts,
  nullable,
  nullAsEmpty,
  text,
} from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table } from '../../../../kernel/db/table.ts';
import type { Project } from '../../model.ts';
import { nameConditions, nameKeyColumn } from '../names.ts';

const projects = new Table<Project>(
  'identity_projects',
  {
    id: text,
    name: text,
    domainId: nullAsEmpty,
    parentId: nullable(text),
    isDomain: boolean,
    enabled: boolean,
    description: nullable(text),
    tags: jsonTexts(),
    options: jsonObject(),
    extra: jsonObject(),
    tokenEpoch: integer,
  },
  { derived: nameKeyColumn },
);

/** @throws the driver's error of `isDuplicate` if the domain has a project of that name */
export async function insertProject(db: Db, project: Project): Promise<void> {
  await projects.insert(db, project);
}

/** Inserts the projects that do not exist yet. */
export const ensureProjects = (db: Db, all: readonly Project[]): Promise<void> =>
  projects.ensure(db, all);

/** @throws the driver's error of `isDuplicate` if the domain has another project of that name */
export async function updateProject(db: Db, project: Project): Promise<void> {
  await projects.update(db, { id: project.id }, project);
}

export async function deleteProject(db: Db, id: string): Promise<void> {
  await projects.remove(db, { id });
}

export const findProject = (db: Db, id: string): Promise<Project | undefined> =>
  projects.find(db, { id });

/** The projects of these ids, ordered by id. */
export const findProjects = (db: Db, ids: readonly string[]): Promise<Project[]> =>
  projects.among(db, 'id', ids);

/** Finds a project by its name in a domain; a domain by its name, if `domainId` is null. */
export const findProjectByName = (
  db: Db,
  name: string,
  domainId: string | null,
): Promise<Project | undefined> => projects.find(db, { domainId }, nameConditions(name));

export interface ProjectFilter {
  readonly name?: string | undefined;
  readonly domainId?: string | undefined;
  readonly parentId?: string | undefined;
  readonly isDomain?: boolean | undefined;
}

/** The projects and domains that match, ordered by name. */
export const listProjects = (db: Db, { name, ...where }: ProjectFilter = {}): Promise<Project[]> =>
  projects.list(db, { where, conditions: nameConditions(name), sort: ['name'] });
