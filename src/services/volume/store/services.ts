// The table of services that an operator has disabled or enabled.
import type { Db } from '../../../kernel/db/database.ts';
import type { ServiceState } from '../model.ts';

interface Row {
  binary_name: string;
  host: string;
  disabled: number | boolean;
  disabled_reason: string | null;
  frozen: number | boolean;
}

/** The states that were set. */
export async function selectServiceStates(db: Db): Promise<ServiceState[]> {
  const rows = (await db('volume_services').orderBy(['binary_name', 'host'])) as Row[];
  return rows.map((row) => ({
    binary: row.binary_name,
    host: row.host,
    disabled: Boolean(row.disabled),
    disabledReason: row.disabled_reason,
    frozen: Boolean(row.frozen),
  }));
}

export async function writeServiceState(
  db: Db,
  { binary, host, disabled, disabledReason, frozen }: ServiceState,
): Promise<void> {
  const row: Row = {
    binary_name: binary,
    host,
    disabled: Number(disabled),
    disabled_reason: disabledReason,
    frozen: Number(frozen),
  };
  await db('volume_services').insert(row).onConflict(['binary_name', 'host']).merge();
}
