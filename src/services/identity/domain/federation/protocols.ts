// Creates, updates and deletes the protocols of identity providers.
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { badRequest, notFound } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { findIdentityProvider } from '../../store/federation/identity-providers.ts';
import { findMapping } from '../../store/federation/mappings.ts';
import * as store from '../../store/federation/protocols.ts';
import type { ProtocolKey } from '../../store/federation/protocols.ts';
import { nullableText, textOf, updatedText, type Fields } from '../attributes.ts';
import type { FederationProtocol } from '../../model.ts';
import { checkLength, duplicate, found, refuseOnDuplicate } from '../refusals.ts';
import { discardProtocol } from './removal.ts';

/** A protocol. @throws 404 */
export async function requireProtocol(
  { db }: Pick<Context, 'db'>,
  key: ProtocolKey,
): Promise<FederationProtocol> {
  const protocol = await store.findProtocol(db, key);
  if (protocol) return protocol;
  throw notFound(
    `Could not find federated protocol ${key.id} for Identity Provider: ${key.providerId}.`,
  );
}

/** Adds a protocol to an identity provider. @throws 400, 404, 409 */
export async function createProtocol(
  context: Context,
  { providerId, id }: ProtocolKey,
  fields: Fields,
): Promise<FederationProtocol> {
  const { db } = context;
  const protocol: FederationProtocol = {
    id,
    providerId,
    mappingId: textOf(fields, 'mapping_id'),
    remoteIdAttribute: nullableText(fields, 'remote_id_attribute') ?? null,
  };
  await requireMapping(context, protocol);
  found(await findIdentityProvider(db, providerId), 'identity_provider', providerId);
  checkLength('id', id, 64);
  const taken = () => duplicate('federation_protocol', id, null, 'ID');
  if (await store.findProtocol(db, protocol)) throw taken();
  await refuseOnDuplicate(store.insertProtocol(db, protocol), taken);
  return protocol;
}

/** @throws 400 if the mapping does not exist */
export async function requireMapping(
  { db }: Context,
  { mappingId }: Pick<FederationProtocol, 'mappingId'>,
): Promise<void> {
  if (!(await findMapping(db, mappingId))) throw badRequest(`Invalid mapping id: ${mappingId}`);
}

/** Updates a protocol, whose mapping exists. */
export async function updateProtocol(
  { db }: Context,
  protocol: FederationProtocol,
  fields: Fields,
): Promise<FederationProtocol> {
  const next: FederationProtocol = {
    ...protocol,
    mappingId: textOf(fields, 'mapping_id'),
    remoteIdAttribute: updatedText(fields, 'remote_id_attribute', protocol.remoteIdAttribute),
  };
  await store.updateProtocol(db, next);
  return next;
}

/** Deletes a protocol with the users who come by it. */
export async function deleteProtocol(
  context: Context,
  protocol: FederationProtocol,
): Promise<void> {
  await discardProtocol(context, protocol);
  await bumpAuthRevision(context.db);
}
