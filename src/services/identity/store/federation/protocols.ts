// The table of the protocols of identity providers.
import { nullable, text } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table } from '../../../../kernel/db/table.ts';
import type { FederationProtocol } from '../../model.ts';

const protocols = new Table<FederationProtocol>(
  'identity_protocols',
  { id: text, providerId: text, mappingId: text, remoteIdAttribute: nullable(text) },
  { key: ['providerId', 'id'] },
);

/** The key of a protocol. */
export type ProtocolKey = Pick<FederationProtocol, 'providerId' | 'id'>;

/** @throws the driver's error of `isDuplicate` if the provider has a protocol of that id */
export async function insertProtocol(db: Db, protocol: FederationProtocol): Promise<void> {
  await protocols.insert(db, protocol);
}

export async function updateProtocol(db: Db, protocol: FederationProtocol): Promise<void> {
  await protocols.update(db, { providerId: protocol.providerId, id: protocol.id }, protocol);
}

export async function deleteProtocol(db: Db, { providerId, id }: ProtocolKey): Promise<void> {
  await protocols.remove(db, { providerId, id });
}

export const findProtocol = (
  db: Db,
  { providerId, id }: ProtocolKey,
): Promise<FederationProtocol | undefined> => protocols.find(db, { providerId, id });

/** The protocols of a provider, ordered by id. */
export const listProtocols = (db: Db, providerId: string): Promise<FederationProtocol[]> =>
  protocols.list(db, { where: { providerId } });
