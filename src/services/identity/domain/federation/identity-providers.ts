// Creates, updates and deletes identity providers. Upstream: keystone/federation/core.py.
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { conflict, type ApiError } from '../../../../kernel/errors.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import * as store from '../../store/federation/identity-providers.ts';
import { booleanOf, nullableText, updatedText, type Fields } from '../attributes.ts';
import type { IdentityProvider } from '../../model.ts';
import { checkLength, refuseOnDuplicate } from '../refusals.ts';
import { createDomain } from '../resource/domains.ts';
import { requireDomain } from '../resource/project-tree.ts';
import { discardIdentityProvider } from './removal.ts';

/** Creates an identity provider, with a new domain if none is named. @throws 400, 404, 409 */
export async function createIdentityProvider(
  context: Context,
  id: string,
  fields: Fields,
): Promise<IdentityProvider> {
  const { db } = context;
  const domainId = nullableText(fields, 'domain_id') || (await newDomain(context, id));
  await requireDomain(db, domainId);
  checkLength('id', id, 64);
  const provider: IdentityProvider = {
    id,
    domainId,
    enabled: booleanOf(fields['enabled']),
    description: nullableText(fields, 'description') ?? null,
    authorizationTtl: (fields['authorization_ttl'] ?? null) as number | null,
    remoteIds: remoteIdsOf(fields),
  };
  const taken = () => duplicate(`Duplicate entry: ${id}`);
  if (await store.findIdentityProvider(db, id)) throw taken();
  await refuseTakenRemoteId(context, provider);
  await refuseOnDuplicate(store.insertIdentityProvider(db, provider), taken);
  return provider;
}

/** Creates the domain of an identity provider. @returns its id */
async function newDomain(context: Context, providerId: string): Promise<string> {
  const id = newHexId();
  const description = `Auto generated federated domain for Identity Provider: ${providerId}`;
  await createDomain(context, { name: id, description, explicit_domain_id: id });
  return id;
}

const remoteIdsOf = (fields: Fields): readonly string[] =>
  ((fields['remote_ids'] ?? []) as readonly string[]).toSorted();

const duplicate = (details: string): ApiError =>
  conflict(`Conflict occurred attempting to store identity_provider - ${details}.`);

/** @throws 409 if another provider has one of the remote ids */
async function refuseTakenRemoteId(
  { db }: Context,
  { id, remoteIds }: IdentityProvider,
): Promise<void> {
  const taken = await store.takenRemoteId(db, remoteIds, id);
  if (taken !== undefined) throw duplicate(`Duplicate remote ID: ${taken}`);
}

/** Updates an identity provider. @throws 409 */
export async function updateIdentityProvider(
  context: Context,
  provider: IdentityProvider,
  fields: Fields,
): Promise<IdentityProvider> {
  const next: IdentityProvider = {
    ...provider,
    enabled: 'enabled' in fields ? booleanOf(fields['enabled']) : provider.enabled,
    description: updatedText(fields, 'description', provider.description),
    authorizationTtl:
      'authorization_ttl' in fields
        ? (fields['authorization_ttl'] as number | null)
        : provider.authorizationTtl,
    remoteIds: 'remote_ids' in fields ? remoteIdsOf(fields) : provider.remoteIds,
  };
  await refuseTakenRemoteId(context, next);
  await store.updateIdentityProvider(context.db, next);
  return next;
}

/** Deletes an identity provider with its protocols and users. Its domain stays. */
export async function deleteIdentityProvider(
  context: Context,
  { id }: IdentityProvider,
): Promise<void> {
  await discardIdentityProvider(context, id);
  await bumpAuthRevision(context.db);
}
