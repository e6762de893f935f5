// Signs users in by assertions of identity providers. Upstream: keystone/auth/plugins/mapped.py.
import { badRequest } from '../../../../kernel/errors.ts';
import { writeInCentral } from '../../../../kernel/context.ts';
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import type { Context } from '../../../../kernel/model.ts';
import { findIdentityProvider } from '../../store/federation/identity-providers.ts';
import { findMapping } from '../../store/federation/mappings.ts';
import type { ProtocolKey } from '../../store/federation/protocols.ts';
import { findGroup, listGroups } from '../../store/identity/groups.ts';
import { enabledUser } from '../auth/accounts.ts';
import type {
  Federation,
  FederationProtocol,
  IdentityProvider,
  Mapping,
  User,
} from '../../model.ts';
import { forbiddenWithoutReason, found, unauthenticated } from '../refusals.ts';
import { loadSettings } from '../settings.ts';
import { domainIdOf } from './domains.ts';
import { assertionOf, evaluateMapping, type Mapped } from './mapping-engine.ts';
import { provisionProjects } from './provisioning.ts';
import { requireProtocol } from './protocols.ts';
import { remoteIdOf, type Attributes } from './remote-ids.ts';
import { namedUser, shadowUser } from './shadow-users.ts';

/** The result of a sign-in by an assertion. `federation` is absent for local users. */
export interface SignedIn {
  readonly user: User;
  readonly federation?: Federation;
}

/**
 * Signs a user in by an assertion, which may create the user, projects and assignments.
 * @param attributes empty without a valid assertion, so that no mapping applies
 * @throws 400, 401, 403, 404, 409
 */
export const signInByAssertion = (
  context: Context,
  key: ProtocolKey,
  attributes: Attributes,
): Promise<SignedIn> =>
  writeInCentral(context, async (central) => {
    const provider = await enabledProvider(central, key.providerId);
    const protocol = await requireProtocol(central, key);
    await checkRemoteId(central, provider, protocol, attributes);
    const mapping = await mappingOf(central, protocol);
    const mapped = evaluateMapping(mapping, assertionOf(attributes));
    const groupIds = await idsOfGroups(central, mapped, mapping);
    if (mapped.user.type === 'local') return { user: await enabledUser(central, mapped.user) };
    const named = await namedUser(central, mapped.user, attributes['REMOTE_USER'], provider);
    const federation = { providerId: provider.id, protocolId: protocol.id, groupIds };
    const user = await shadowUser(central, named, federation);
    await provisionProjects(central, { user, named, mapped, mapping, provider });
    await bumpAuthRevision(central.db);
    return { user, federation };
  });

/** @throws 404, 403 if the provider is disabled */
async function enabledProvider({ db }: Context, id: string): Promise<IdentityProvider> {
  const provider = found(await findIdentityProvider(db, id), 'identity_provider', id);
  if (!provider.enabled) throw forbiddenWithoutReason();
  return provider;
}

/**
 * Checks that the assertion comes from the provider, if that says how assertions name it.
 * @throws 401 if the assertion does not name a provider, 403 if it names another one
 */
async function checkRemoteId(
  context: Context,
  { remoteIds }: IdentityProvider,
  protocol: FederationProtocol,
  attributes: Attributes,
): Promise<void> {
  if (!remoteIds.length) return;
  const value = remoteIdOf(attributes, protocol, await loadSettings(context));
  if (value === undefined) throw unauthenticated();
  if (!remoteIds.includes(value)) throw forbiddenWithoutReason();
}

/** @throws 404 if the mapping has been deleted */
const mappingOf = async ({ db }: Context, { mappingId }: FederationProtocol): Promise<Mapping> =>
  found(await findMapping(db, mappingId), 'mapping', mappingId);

/**
 * The ids of the groups of an assertion. Groups that are named and do not exist are left out.
 * @throws 400 if a group does not exist that the mapping has by its id, 404 for an unknown domain
 */
async function idsOfGroups(
  context: Context,
  { groupIds, groups }: Mapped,
  mapping: Mapping,
): Promise<string[]> {
  const { db } = context;
  await checkGroups(context, groupIds, mapping);
  const ids = new Set(groupIds);
  for (const { name, domain } of groups) {
    const domainId = await domainIdOf(db, domain);
    for (const { id } of await listGroups(db, { name, domainId })) ids.add(id);
  }
  return [...ids];
}

/** Upstream answers with a 500. */
async function checkGroups(
  { db }: Context,
  groupIds: readonly string[],
  mapping: Mapping,
): Promise<void> {
  for (const id of groupIds)
    if (!(await findGroup(db, id)))
      throw badRequest(
        `Group ${id} returned by mapping ${mapping.id} was not found in the backend.`,
      );
}

/**
 * Checks that a token of federation may be exchanged for another one.
 * @throws 400 if a group of the token is gone, 403 if the provider is disabled, 404 if it is gone
 */
export async function verifyFederation(
  context: Context,
  federation: Federation | undefined,
): Promise<void> {
  const { providerId, protocolId, groupIds } = federation ?? { ...noFederation };
  await enabledProvider(context, providerId);
  const protocol = await requireProtocol(context, { providerId, id: protocolId });
  await checkGroups(context, groupIds, await mappingOf(context, protocol));
}

/** Upstream looks for a provider with the name of Python's null. */
const noFederation: Federation = { providerId: 'None', protocolId: '', groupIds: [] };
