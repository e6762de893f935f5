// The table of the services that an operator has enabled, disabled, frozen or thawed.
import { boolean, named, nullable, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { Table } from '../../../kernel/db/table.ts';
import type { ServiceState } from '../model.ts';

const services = new Table<ServiceState>(
  'volume_services',
  {
    binary: named('binary_name', text),
    host: text,
    disabled: boolean,
    disabledReason: nullable(text),
    frozen: boolean,
  },
  { key: ['binary', 'host'] },
);

/** Lists the states of the services that an operator has changed. */
export const listServiceStates = (db: Db): Promise<ServiceState[]> => services.list(db);

/** Sets or replaces the state of a service. */
export const writeServiceState = (db: Db, state: ServiceState): Promise<void> =>
  services.upsert(db, [state]);
