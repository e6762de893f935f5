// The table of throw-away projects in the central database.
import { integer, micros, text } from '../../kernel/db/columns.ts';
import type { Db } from '../../kernel/db/database.ts';
import { Table } from '../../kernel/db/table.ts';
import type { ThrowawayProject } from './model.ts';

const projects = new Table<ThrowawayProject, 'number'>(
  'throwaway_projects',
  { number: integer, id: text, name: text, domainId: text, userId: text, createdAt: micros },
  { generated: 'number', key: 'number' },
);

/** All projects, the oldest first. */
export const listProjects = (db: Db): Promise<ThrowawayProject[]> =>
  projects.list(db, { sort: ['number'] });

export const findProject = (db: Db, id: string): Promise<ThrowawayProject | undefined> =>
  projects.find(db, { id });

export async function insertProject(
  db: Db,
  project: Omit<ThrowawayProject, 'number'>,
): Promise<void> {
  await projects.insert(db, project);
}

/** @returns whether the project existed */
export const deleteProject = async (db: Db, id: string): Promise<boolean> =>
  (await projects.remove(db, { id })) > 0;
