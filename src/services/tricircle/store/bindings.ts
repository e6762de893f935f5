// The table of bindings: active ones, and all previous ones.
import {
  boolean,
  integer,
  jsonObject,
  micros,
  nullable,
  text,
  textOf,
} from '../../../kernel/db/columns.ts';
import type { Column } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { retryOnConstraint } from '../../../kernel/db/errors.ts';
import { RevisionTable } from '../../../kernel/db/revision-table.ts';
import { unavailable } from '../../../kernel/errors.ts';
import { endReasons, type Binding, type StartReason } from '../model.ts';

/** Stored as 1 or NULL, because a unique key allows one active binding and any number of others. */
const oneOrNull: Column<boolean> = {
  name: 'active',
  mismatch: (stored) => (stored === 1 || stored === null ? undefined : '1 or null'),
  read: (stored) => stored !== null,
  write: (value) => (value ? 1 : null),
};

const bindings = new RevisionTable<Binding, 'sequence'>(
  'tricircle_bindings',
  {
    sequence: integer,
    id: text,
    tenantId: text,
    podId: text,
    azName: text,
    affinityGroup: text,
    resourceAffinityTag: jsonObject(),
    isBinding: oneOrNull,
    startBindingTime: micros,
    endBindingTime: nullable(micros),
    startReason: textOf<StartReason>([
      'first',
      'admin',
      ...endReasons.map((reason) => `rebind:${reason}` as const),
    ]),
    endReason: nullable(textOf(endReasons)),
    deleted: boolean,
    createdAt: micros,
    updatedAt: nullable(micros),
    revision: integer,
  },
  { generated: 'sequence', revision: 'revision' },
);

const changed = () =>
  unavailable('The binding is being changed by another request. Please try again.');

/**
 * @throws SerializationFailure if another transaction has bound the tenant in this zone and group
 */
export async function insertBinding(db: Db, binding: Omit<Binding, 'sequence'>): Promise<Binding> {
  const [sequence] = await retryOnConstraint(bindings.insert(db, binding), changed);
  return { ...binding, sequence: Number(sequence) };
}

/**
 * Replaces a binding that was read by a changed one.
 * @throws SerializationFailure if another transaction has changed it
 */
export const updateBinding = (db: Db, read: Binding, binding: Binding): Promise<Binding> =>
  bindings.updateAtRevision(db, read, { ...binding, revision: read.revision }, changed);

export const findBinding = (db: Db, id: string): Promise<Binding | undefined> =>
  bindings.find(db, { id });

/** Selects bindings. An undefined field does not filter. */
export interface BindingFilter {
  readonly tenantId?: string | undefined;
  readonly podId?: string | undefined;
  readonly azName?: string | undefined;
  readonly affinityGroup?: string;
  readonly isBinding?: boolean | undefined;
  /** Includes bindings that an administrator has deleted. */
  readonly withDeleted?: boolean;
  /** Sorts by start, latest first, instead of by creation. */
  readonly latestFirst?: boolean;
  readonly limit?: number | undefined;
  readonly after?: Binding | undefined;
}

export function listBindings(
  db: Db,
  { withDeleted, latestFirst: descending = false, limit, after, ...where }: BindingFilter,
): Promise<Binding[]> {
  return bindings.list(db, {
    where: { ...where, deleted: withDeleted ? undefined : false },
    sort: [
      { field: descending ? 'startBindingTime' : 'createdAt', descending },
      { field: 'sequence', descending },
    ],
    limit,
    after,
  });
}

/** Lists the active bindings of a tenant in a group, oldest first. */
export const activeBindings = (
  db: Db,
  tenantId: string,
  affinityGroup: string,
): Promise<Binding[]> =>
  bindings.list(db, {
    where: { tenantId, affinityGroup, isBinding: true },
    sort: ['startBindingTime', 'sequence'],
  });
