import type { Db } from '../../../kernel/db/database.ts';
// What operators have said of services: disabled, and why.

interface Row {
  binary_name: string;
  host: string;
  disabled: number | boolean;
  disabled_reason: string | null;
}

export interface ServiceState {
  readonly binary: string;
  readonly host: string;
  readonly disabled: boolean;
  readonly disabledReason: string | null;
}

/** The services that something was said of. */
export async function serviceStates(db: Db): Promise<ServiceState[]> {
  const rows = (await db('volume_services').orderBy(['binary_name', 'host'])) as Row[];
  return rows.map((row) => ({
    binary: row.binary_name,
    host: row.host,
    disabled: Boolean(row.disabled),
    disabledReason: row.disabled_reason,
  }));
}

export async function writeServiceState(db: Db, { binary, host, disabled, disabledReason }: ServiceState): Promise<void> {
  const row: Row = { binary_name: binary, host, disabled: Number(disabled), disabled_reason: disabledReason };
  await db('volume_services').insert(row).onConflict(['binary_name', 'host']).merge();
}
