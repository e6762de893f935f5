// The tables of registered limits, and of the limits of projects and domains.
import type { Limit, RegisteredLimit } from '../../model.ts';
import { orNull } from '../columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';

interface RegisteredRow {
  id: string;
  service_id: string;
  region_id: string;
  resource_name: string;
  default_limit: number;
  description: string | null;
}

interface Row {
  id: string;
  registered_limit_id: string;
  project_id: string;
  domain_id: string;
  resource_limit: number;
  description: string | null;
}

const registered = (db: Db) => db<RegisteredRow>('identity_registered_limits');
const table = (db: Db) => db<Row>('identity_limits');

const registeredOf = (row: RegisteredRow): RegisteredLimit => ({
  id: row.id,
  serviceId: row.service_id,
  regionId: orNull(row.region_id),
  resourceName: row.resource_name,
  defaultLimit: row.default_limit,
  description: row.description,
});

const registeredRow = (limit: RegisteredLimit): RegisteredRow => ({
  id: limit.id,
  service_id: limit.serviceId,
  region_id: limit.regionId ?? '',
  resource_name: limit.resourceName,
  default_limit: limit.defaultLimit,
  description: limit.description,
});

/**
 * @throws the driver's error of `isDuplicate` where there is one for the same service, region and
 *   resource
 */
export async function insertRegisteredLimit(db: Db, limit: RegisteredLimit): Promise<void> {
  await registered(db).insert(registeredRow(limit));
}

/**
 * @throws the driver's error of `isDuplicate` where there is one for the same service, region and
 *   resource
 */
export async function updateRegisteredLimit(db: Db, limit: RegisteredLimit): Promise<void> {
  await registered(db).where({ id: limit.id }).update(registeredRow(limit));
}

export async function deleteRegisteredLimit(db: Db, id: string): Promise<void> {
  await registered(db).where({ id }).delete();
}

export async function findRegisteredLimit(
  db: Db,
  id: string,
): Promise<RegisteredLimit | undefined> {
  const row = await registered(db).where({ id }).first();
  return row && registeredOf(row);
}

/** What a registered limit is for. */
export type LimitKey = Pick<RegisteredLimit, 'serviceId' | 'regionId' | 'resourceName'>;

export async function findRegisteredLimitFor(
  db: Db,
  key: LimitKey,
): Promise<RegisteredLimit | undefined> {
  const where = {
    service_id: key.serviceId,
    region_id: key.regionId ?? '',
    resource_name: key.resourceName,
  };
  const row = await registered(db).where(where).first();
  return row && registeredOf(row);
}

export async function listRegisteredLimits(db: Db): Promise<RegisteredLimit[]> {
  return (await registered(db).orderBy('id')).map((row) => registeredOf(row));
}

/** @throws the driver's error of `isDuplicate` where the project or domain has one already */
export async function insertLimit(db: Db, limit: Limit): Promise<void> {
  await table(db).insert({
    id: limit.id,
    registered_limit_id: limit.registered.id,
    project_id: limit.projectId ?? '',
    domain_id: limit.domainId ?? '',
    resource_limit: limit.resourceLimit,
    description: limit.description,
  });
}

export async function updateLimit(
  db: Db,
  { id, resourceLimit, description }: Limit,
): Promise<void> {
  await table(db).where({ id }).update({ resource_limit: resourceLimit, description });
}

export async function deleteLimit(db: Db, id: string): Promise<void> {
  await table(db).where({ id }).delete();
}

/** Deletes the limits of a project or a domain. */
export async function deleteLimitsOf(db: Db, ownerId: string): Promise<void> {
  await table(db).where({ project_id: ownerId }).orWhere({ domain_id: ownerId }).delete();
}

export async function findLimit(db: Db, id: string): Promise<Limit | undefined> {
  return (await complete(db, await table(db).where({ id })))[0];
}

export async function listLimits(db: Db): Promise<Limit[]> {
  return complete(db, await table(db).orderBy('id'));
}

/** Whether a project or a domain has a limit for the registered one. */
export async function hasLimits(db: Db, registeredId: string): Promise<boolean> {
  return (await table(db).where({ registered_limit_id: registeredId }).first()) !== undefined;
}

async function complete(db: Db, rows: readonly Row[]): Promise<Limit[]> {
  if (!rows.length) return [];
  const byId = new Map((await listRegisteredLimits(db)).map((one) => [one.id, one]));
  return rows.map((row) => ({
    id: row.id,
    registered: byId.get(row.registered_limit_id)!,
    projectId: orNull(row.project_id),
    domainId: orNull(row.domain_id),
    resourceLimit: row.resource_limit,
    description: row.description,
  }));
}
