// The table of projects and domains.
import type { Project } from '../../model.ts';
import { listFrom, nameKey, objectFrom, orNull, toJson } from '../columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';

interface Row {
  id: string;
  name: string;
  name_key: string;
  domain_id: string;
  parent_id: string | null;
  is_domain: number;
  enabled: number;
  description: string | null;
  tags: string;
  options: string;
  extra: string;
  token_epoch: number;
}

const table = (db: Db) => db<Row>('identity_projects');

const recordOf = (row: Row): Project => ({
  id: row.id,
  name: row.name,
  domainId: orNull(row.domain_id),
  parentId: row.parent_id,
  isDomain: Boolean(row.is_domain),
  enabled: Boolean(row.enabled),
  description: row.description,
  tags: listFrom(row.tags),
  options: objectFrom(row.options),
  extra: objectFrom(row.extra),
  tokenEpoch: row.token_epoch,
});

const rowOf = (project: Project): Row => ({
  id: project.id,
  name: project.name,
  name_key: nameKey(project.name),
  domain_id: project.domainId ?? '',
  parent_id: project.parentId,
  is_domain: Number(project.isDomain),
  enabled: Number(project.enabled),
  description: project.description,
  tags: toJson(project.tags),
  options: toJson(project.options),
  extra: toJson(project.extra),
  token_epoch: project.tokenEpoch,
});

/** @throws the driver's error of `isDuplicate` where the name is taken in the domain */
export async function insertProject(db: Db, project: Project): Promise<void> {
  await table(db).insert(rowOf(project));
}

/** Inserts those that are not stored yet. */
export async function ensureProjects(db: Db, projects: readonly Project[]): Promise<void> {
  await table(db).insert(projects.map(rowOf)).onConflict().ignore();
}

export async function updateProject(db: Db, project: Project): Promise<void> {
  await table(db).where({ id: project.id }).update(rowOf(project));
}

export async function deleteProject(db: Db, id: string): Promise<void> {
  await table(db).where({ id }).delete();
}

export async function findProject(db: Db, id: string): Promise<Project | undefined> {
  const row = await table(db).where({ id }).first();
  return row && recordOf(row);
}

export async function findProjects(db: Db, ids: readonly string[]): Promise<Project[]> {
  return (
    await table(db)
      .whereIn('id', [...new Set(ids)])
      .orderBy('id')
  ).map((row) => recordOf(row));
}

/** A domain by name where `domainId` is null. */
export async function findProjectByName(
  db: Db,
  name: string,
  domainId: string | null,
): Promise<Project | undefined> {
  const row = await table(db)
    .where({ name_key: nameKey(name), domain_id: domainId ?? '' })
    .first();
  return row && recordOf(row);
}

export interface ProjectFilter {
  readonly name?: string | undefined;
  readonly domainId?: string | undefined;
  readonly parentId?: string | undefined;
  readonly isDomain?: boolean | undefined;
}

export async function listProjects(db: Db, filter: ProjectFilter = {}): Promise<Project[]> {
  const query = table(db).orderBy(['name', 'id']);
  if (filter.name !== undefined) void query.where({ name_key: nameKey(filter.name) });
  if (filter.domainId !== undefined) void query.where({ domain_id: filter.domainId });
  if (filter.parentId !== undefined) void query.where({ parent_id: filter.parentId });
  if (filter.isDomain !== undefined) void query.where({ is_domain: Number(filter.isDomain) });
  return (await query).map((row) => recordOf(row));
}
