// Delegation: the engine acts for the owners of clusters and nodes.
import type { Context } from '../../../kernel/model.ts';
import { actingFor, trustClustering } from '../clients/identity.ts';
import * as store from '../store/index.ts';
import type { Owner } from '../model.ts';
import { EngineFailure } from './refusals.ts';

/**
 * Lets Clustering act for the actor from now on, with the roles that the actor has in this request.
 */
export async function delegate(context: Context): Promise<void> {
  const { db, actor } = context;
  if (actor.isService && !actor.userId) return;
  const { userId, projectId = '' } = actor;
  const roles = [...actor.roles].toSorted();
  const key = { userId, projectId };
  const credential = await store.credentials.find(db, key);
  if (credential && credential.roles.join() === roles.join()) return;
  const trustId = await trustClustering(context, credential !== undefined);
  if (credential) await store.credentials.update(db, key, { roles, trustId });
  else await store.credentials.insert(db, { userId, projectId, trustId, roles });
}

/**
 * The context of an owner.
 * @throws EngineFailure if the owner has never sent a request to Clustering
 */
export async function actingOn(
  context: Context,
  { userId, projectId }: Pick<Owner, 'userId' | 'projectId'>,
): Promise<Context> {
  const credential = await store.credentials.find(context.db, { userId, projectId });
  if (!credential) throw new EngineFailure('Unable to get trust for the user.');
  return actingFor(context, credential);
}
