// The tables of migrations, of their moves, and of the resources that are being moved.
import { integer, jsonListOf, micros, nullable, text, textOf } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { RevisionTable } from '../../../kernel/db/revision-table.ts';
import { Table } from '../../../kernel/db/table.ts';
import { unavailable } from '../../../kernel/errors.ts';
import {
  migrationStatuses,
  movedTypes,
  moveStatuses,
  scopeKeys,
  type Migration,
  type Move,
  type MovedType,
} from '../model.ts';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isResource = (value: unknown): boolean =>
  isObject(value) &&
  movedTypes.includes(value['type'] as MovedType) &&
  typeof value['id'] === 'string' &&
  isObject(value['size']);

const isRefusal = (value: unknown): boolean => isObject(value) && isResource(value['resource']);

const migrations = new RevisionTable<Migration, 'sequence'>(
  'tricircle_migrations',
  {
    sequence: integer,
    id: text,
    status: textOf(migrationStatuses),
    scopeKey: textOf(scopeKeys),
    scopeId: text,
    refused: jsonListOf(isRefusal, 'refused resources'),
    createdAt: micros,
    finishedAt: nullable(micros),
    revision: integer,
  },
  { key: 'id', generated: 'sequence', revision: 'revision' },
);

const moves = new RevisionTable<Move>(
  'tricircle_moves',
  {
    id: text,
    migrationId: text,
    position: integer,
    projectId: text,
    sourcePodId: text,
    targetPodId: text,
    sourceRegion: text,
    targetRegion: text,
    resources: jsonListOf(isResource, 'resources'),
    status: textOf(moveStatuses),
    step: integer,
    attempts: integer,
    error: nullable(text),
    updatedAt: micros,
    revision: integer,
  },
  { revision: 'revision' },
);

/** A resource that is being moved. */
export interface MovingResource {
  readonly resourceType: MovedType;
  readonly topId: string;
  readonly moveId: string;
  readonly targetPodId: string;
}

const moving = new Table<MovingResource>(
  'tricircle_moving',
  { resourceType: textOf(movedTypes), topId: text, moveId: text, targetPodId: text },
  { key: ['resourceType', 'topId'] },
);

const changed = () =>
  unavailable('The migration is being changed by another request. Please try again.');

/**
 * Inserts a migration with its moves.
 * @throws the driver's duplicate error for a resource that is being moved
 */
export async function insertMigration(
  db: Db,
  migration: Omit<Migration, 'sequence'>,
  itsMoves: readonly Move[],
): Promise<void> {
  await migrations.insert(db, migration);
  await moves.insertAll(db, itsMoves);
  await moving.insertAll(
    db,
    itsMoves.flatMap(({ id, targetPodId, resources }) =>
      resources.map(({ type, id: topId }) => ({
        resourceType: type,
        topId,
        moveId: id,
        targetPodId,
      })),
    ),
  );
}

/** @throws SerializationFailure if another transaction has changed it */
export const updateMigration = (
  db: Db,
  migration: Migration,
  fields: Pick<Migration, 'status'> & Partial<Pick<Migration, 'finishedAt'>>,
): Promise<Migration> => migrations.updateAtRevision(db, migration, fields, changed);

/** @throws SerializationFailure if another transaction has changed it */
export const updateMove = (db: Db, move: Move, fields: Partial<Move>): Promise<Move> =>
  moves.updateAtRevision(db, move, fields, changed);

export const findMigration = (db: Db, id: string): Promise<Migration | undefined> =>
  migrations.find(db, { id });

export const findMove = (db: Db, id: string): Promise<Move | undefined> => moves.find(db, { id });

/** Lists the moves of migrations, in the order of the plan. */
export const listMoves = (db: Db, migrationIds: readonly string[]): Promise<Move[]> =>
  migrationIds.length
    ? moves.list(db, { where: { migrationId: migrationIds }, sort: ['position', 'id'] })
    : Promise.resolve([]);

/** Selects a page of migrations. */
export interface MigrationFilter {
  readonly status?: string | undefined;
  readonly after?: Pick<Migration, 'sequence'> | undefined;
  readonly limit: number;
}

/** Lists migrations, latest first. */
export const listMigrations = (
  db: Db,
  { status, after, limit }: MigrationFilter,
): Promise<Migration[]> =>
  migrations.list(db, {
    conditions: status === undefined ? [] : [(query) => void query.where({ status })],
    sort: [{ field: 'sequence', descending: true }],
    after,
    limit,
  });

/** Lists which of some resources are being moved. */
export const listMoving = (db: Db, topIds: readonly string[]): Promise<MovingResource[]> =>
  topIds.length ? moving.list(db, { where: { topId: topIds } }) : Promise.resolve([]);

/** Ends the move of its resources. */
export async function endMoving(db: Db, moveId: string): Promise<void> {
  await moving.remove(db, { moveId });
}
