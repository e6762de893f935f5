// The table of Nova's services: nova-compute on each host, nova-conductor and nova-scheduler.
import type { Micros } from '../../../../kernel/clock.ts';
import { boolean, integer, micros, nullable, text } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table } from '../../../../kernel/db/table.ts';
import type { ComputeService, ServiceChange } from '../../model.ts';
import { hostsChange } from './revision.ts';

const services = new Table<ComputeService, 'id' | 'disabled' | 'disabledReason' | 'forcedDown'>(
  'compute_services',
  {
    id: integer,
    uuid: text,
    host: text,
    binary: text,
    disabled: boolean,
    disabledReason: nullable(text),
    forcedDown: boolean,
    createdAt: micros,
  },
);

/** Empty values do not filter. */
export interface ServiceFilter {
  readonly host?: string | undefined;
  readonly binary?: string | undefined;
}

export const listServices = (
  db: Db,
  { host, binary }: ServiceFilter = {},
): Promise<ComputeService[]> =>
  services.list(db, { where: { host: host || undefined, binary: binary || undefined } });

/** Finds a service by its number or its UUID. */
export const findService = (
  db: Db,
  key: { id: number } | { uuid: string },
): Promise<ComputeService | undefined> => services.find(db, key);

/** Inserts services. @returns their ids by UUID */
export async function insertServices(
  db: Db,
  added: readonly Pick<ComputeService, 'uuid' | 'host' | 'binary'>[],
  now: Micros,
): Promise<Map<string, number>> {
  hostsChange(db);
  await services.insertAll(
    db,
    added.map((service) => ({ ...service, createdAt: now })),
  );
  const uuids = added.map(({ uuid }) => uuid);
  return new Map((await services.among(db, 'uuid', uuids)).map(({ id, uuid }) => [uuid, id]));
}

export async function updateService(
  db: Db,
  id: number,
  { disabled, disabledReason = null, forcedDown }: ServiceChange,
): Promise<void> {
  hostsChange(db);
  await services.update(
    db,
    { id },
    {
      ...(disabled === undefined ? {} : { disabled, disabledReason }),
      ...(forcedDown === undefined ? {} : { forcedDown }),
    },
  );
}

/**
 * Whether a host is forced down. The check is a write, which locks the row, so that the answer
 * stays true until the transaction ends.
 */
export async function checkForcedDown(db: Db, host: string): Promise<boolean> {
  const forcedDown = { host, binary: 'nova-compute', forcedDown: true };
  return (await services.update(db, forcedDown, { forcedDown: true })) > 0;
}

export async function deleteService(db: Db, id: number): Promise<void> {
  hostsChange(db);
  await services.remove(db, { id });
}
