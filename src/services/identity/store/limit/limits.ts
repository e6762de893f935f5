// The tables of registered limits, and of the limits of projects and domains.
import { integer, nullable, nullAsEmpty, text } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table } from '../../../../kernel/db/table.ts';
import type { Limit, RegisteredLimit } from '../../model.ts';

const registeredLimits = new Table<RegisteredLimit>('identity_registered_limits', {
  id: text,
  serviceId: text,
  regionId: nullAsEmpty,
  resourceName: text,
  defaultLimit: integer,
  description: nullable(text),
});

/** A limit with the id of its registered limit, instead of the registered limit itself. */
type LimitRow = Omit<Limit, 'registered'> & { readonly registeredLimitId: string };

const limits = new Table<LimitRow>('identity_limits', {
  id: text,
  registeredLimitId: text,
  projectId: nullAsEmpty,
  domainId: nullAsEmpty,
  resourceLimit: integer,
  description: nullable(text),
});

/** @throws the driver's error of `isDuplicate` if the resource has a registered limit */
export async function insertRegisteredLimit(db: Db, limit: RegisteredLimit): Promise<void> {
  await registeredLimits.insert(db, limit);
}

/** @throws the driver's error of `isDuplicate` if the resource has another registered limit */
export async function updateRegisteredLimit(db: Db, limit: RegisteredLimit): Promise<void> {
  await registeredLimits.update(db, { id: limit.id }, limit);
}

export async function deleteRegisteredLimit(db: Db, id: string): Promise<void> {
  await registeredLimits.remove(db, { id });
}

export const findRegisteredLimit = (db: Db, id: string): Promise<RegisteredLimit | undefined> =>
  registeredLimits.find(db, { id });

/** The resource that a registered limit is for. */
export type LimitKey = Pick<RegisteredLimit, 'serviceId' | 'regionId' | 'resourceName'>;

export const findRegisteredLimitFor = (
  db: Db,
  resource: LimitKey,
): Promise<RegisteredLimit | undefined> => registeredLimits.find(db, resource);

/** All registered limits, ordered by id. */
export const listRegisteredLimits = (db: Db): Promise<RegisteredLimit[]> =>
  registeredLimits.list(db);

/** @throws the driver's error of `isDuplicate` if the project or domain has a limit for it */
export async function insertLimit(db: Db, limit: Limit): Promise<void> {
  await limits.insert(db, { ...limit, registeredLimitId: limit.registered.id });
}

export async function updateLimit(
  db: Db,
  { id, resourceLimit, description }: Limit,
): Promise<void> {
  await limits.update(db, { id }, { resourceLimit, description });
}

export async function deleteLimit(db: Db, id: string): Promise<void> {
  await limits.remove(db, { id });
}

/** Deletes the limits of a project or a domain. */
export async function deleteLimitsOf(db: Db, ownerId: string): Promise<void> {
  await db(limits.name).where({ project_id: ownerId }).orWhere({ domain_id: ownerId }).delete();
}

export async function findLimit(db: Db, id: string): Promise<Limit | undefined> {
  const row = await limits.find(db, { id });
  return row && (await withRegistered(db, [row]))[0];
}

/** All limits, ordered by id. */
export const listLimits = async (db: Db): Promise<Limit[]> =>
  withRegistered(db, await limits.list(db));

/** Whether any project or domain has a limit for this registered limit. */
export const hasLimits = (db: Db, registeredLimitId: string): Promise<boolean> =>
  limits.exists(db, { registeredLimitId });

async function withRegistered(db: Db, rows: readonly LimitRow[]): Promise<Limit[]> {
  if (!rows.length) return [];
  const byId = new Map((await listRegisteredLimits(db)).map((limit) => [limit.id, limit]));
  return rows.map(({ registeredLimitId, ...limit }) => ({
    ...limit,
    registered: byId.get(registeredLimitId)!,
  }));
}
