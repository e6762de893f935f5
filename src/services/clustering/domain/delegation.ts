// Delegation: the engine acts for the owners of clusters and nodes, never with more rights than the
// request that asks for it.
import { once } from '../../../kernel/db/transaction.ts';
import type { Context } from '../../../kernel/model.ts';
import { actingFor, credentialOf } from '../clients/identity.ts';
import * as store from '../store/index.ts';
import type { Credential, Delegator } from '../model.ts';
import { EngineFailure } from './refusals.ts';
import { ownerOf } from './requests/identities.ts';

/**
 * Lets Clustering act for the actor from now on, with the roles that the actor has in this request.
 * @returns the owner of the records that the request creates
 * @throws 403 if the token may not delegate its roles
 */
export async function delegate(context: Context): Promise<Delegator> {
  const credential = await credentialOf(context);
  await store.credentials.ensure(context.db, [credential]);
  return { ...ownerOf(context), credentialId: credential.id };
}

/** The owner of a new action: the actor, or, if the engine itself acts, the owner of the target. */
export const requester = (context: Context, target: Delegator): Delegator | Promise<Delegator> =>
  context.actor.isService && !context.actor.userId ? target : delegate(context);

/** For whom the engine acts on a record. */
export interface Requester {
  /** The credential of the request, if the engine acts later. */
  readonly credentialId?: string | null;
  /** The roles of the request, if it is being served. */
  readonly roles?: readonly string[];
}

/**
 * The context of the owner of a record. The owner's own request acts with its own credential;
 * anybody else's with the credential that the record was created with, limited to the roles that
 * both have. Administrators are not limited. Without a request, the engine acts with the record's
 * credential, for example to check health.
 *
 * Upstream always acts with the owner's trust (senlin/profiles/base.py, _build_conn_params).
 * @throws EngineFailure if Clustering has no credential of the owner
 */
export async function actingOn(
  context: Context,
  record: Delegator,
  { credentialId, roles: given }: Requester = {},
): Promise<Context> {
  const requested = await findCredential(context, credentialId);
  if (requested?.userId === record.userId && requested.projectId === record.projectId)
    return actingFor(context, requested);
  const own = await findCredential(context, record.credentialId);
  if (!own) throw new EngineFailure('Unable to get trust for the user.');
  const roles = given ?? requested?.roles;
  return actingFor(context, own, roles?.includes('admin') ? undefined : roles);
}

const findCredential = async (
  { db }: Context,
  id: string | null | undefined,
): Promise<Credential | undefined> =>
  id
    ? once(db, `clustering.credential.${id}`, () => store.credentials.find(db, { id }))
    : undefined;
