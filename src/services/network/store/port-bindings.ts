// The inactive bindings of ports. The active one is part of the port's row.
import { deferred } from '../../../kernel/db/transaction.ts';
import { boolean, jsonObject, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { retryOnConstraint } from '../../../kernel/db/errors.ts';
import type { Condition } from '../../../kernel/db/listing.ts';
import { Table } from '../../../kernel/db/table.ts';
import type { InactiveBinding } from '../model.ts';
import { beingChanged } from './conflicts.ts';

const bindings = new Table<InactiveBinding>(
  'network_port_bindings',
  { port_id: text, host: text, vnic_type: text, profile: jsonObject(), is_bound: boolean },
  { key: ['port_id', 'host'] },
);

/** The inactive bindings of a port, by host. */
export const inactiveBindings = (db: Db, portId: string): Promise<InactiveBinding[]> =>
  bindings.list(db, { where: { port_id: portId } });

/** @throws SerializationFailure if another transaction has just created it */
export async function insertBinding(db: Db, binding: InactiveBinding): Promise<void> {
  await retryOnConstraint(bindings.insert(db, binding), () => beingChanged('port binding'));
}

/** Deletes the binding to a host, or all inactive bindings of a port. */
export async function deleteBindings(db: Db, portId: string, host?: string): Promise<void> {
  await deferred(bindings.remove(db, { port_id: portId, ...(host === undefined ? {} : { host }) }));
}

/** Ports with a binding, active or not, to one of the hosts. */
export const withHost =
  (db: Db, hosts: readonly string[]): Condition =>
  (query) => {
    const others = db(bindings.name).select('port_id').whereIn('host', hosts);
    void query.where(
      (any) =>
        void any
          .whereIn('network_ports.binding_host_id', hosts)
          .orWhereIn('network_ports.id', others),
    );
  };
