// Nova's services: nova-compute on each host, nova-conductor and nova-scheduler.
import type { Micros } from '../../../../kernel/clock.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { ComputeService, ServiceChange } from '../../model.ts';

export interface ServiceRow {
  id: number;
  uuid: string;
  host: string;
  binary: string;
  disabled: number | boolean;
  disabled_reason: string | null;
  forced_down: number | boolean;
  created_at: number;
}

export const serviceRecord = (row: ServiceRow): ComputeService => ({
  id: row.id,
  uuid: row.uuid,
  host: row.host,
  binary: row.binary,
  disabled: Boolean(row.disabled),
  disabledReason: row.disabled_reason,
  forcedDown: Boolean(row.forced_down),
  createdAt: Number(row.created_at),
});

export interface ServiceFilter {
  readonly host?: string | undefined;
  readonly binary?: string | undefined;
}

export async function listServices(
  db: Db,
  { host, binary }: ServiceFilter = {},
): Promise<ComputeService[]> {
  const query = db('compute_services').orderBy('id');
  if (host) query.where({ host });
  if (binary) query.where({ binary });
  return ((await query) as ServiceRow[]).map(serviceRecord);
}

/** By the number, or by the UUID. */
export async function findService(
  db: Db,
  key: { id: number } | { uuid: string },
): Promise<ComputeService | undefined> {
  const row = (await db('compute_services').where(key).first()) as ServiceRow | undefined;
  return row && serviceRecord(row);
}

/** @returns its id */
export async function insertService(
  db: Db,
  { uuid, host, binary }: Pick<ComputeService, 'uuid' | 'host' | 'binary'>,
  now: Micros,
): Promise<number> {
  const [id] = (await db('compute_services').insert({
    uuid,
    host,
    binary,
    created_at: now,
  })) as number[];
  return id!;
}

export async function updateService(
  db: Db,
  id: number,
  { disabled, disabledReason, forcedDown }: ServiceChange,
): Promise<void> {
  await db('compute_services')
    .where({ id })
    .update({
      ...(disabled === undefined ? {} : { disabled, disabled_reason: disabledReason ?? null }),
      ...(forcedDown === undefined ? {} : { forced_down: forcedDown }),
    });
}

/** Whether a host is forced down; if it is, it stays so until this transaction is done. */
export async function holdDown(db: Db, host: string): Promise<boolean> {
  const down = { host, binary: 'nova-compute', forced_down: true };
  return (await db('compute_services').where(down).update({ forced_down: true })) > 0;
}

export async function deleteService(db: Db, id: number): Promise<void> {
  await db('compute_services').where({ id }).delete();
}
