// Acting for the owners of clusters and nodes.
import type { Context } from '../../../kernel/model.ts';
import { actingFor, trustClustering } from '../clients/identity.ts';
import * as store from '../store/index.ts';
import type { Owner } from '../model.ts';
import { EngineFailure } from './refusals.ts';

/**
 * Remembers that the actor lets Clustering act for it. What it may do goes by the roles of its last
 * request.
 */
export async function delegate(context: Context): Promise<void> {
  const { db, actor } = context;
  if (actor.isService && !actor.userId) return;
  const { userId, projectId = '' } = actor;
  const roles = [...actor.roles].toSorted();
  const key = { user_id: userId, project_id: projectId };
  const known = await store.credentials.find(db, key);
  if (known && known.roles.join() === roles.join()) return;
  const trustId = await trustClustering(context, known !== undefined);
  if (known) await store.credentials.update(db, key, { roles, trustId });
  else await store.credentials.insert(db, { userId, projectId, trustId, roles });
}

/**
 * The work, done for the owner.
 * @throws EngineFailure where the owner never asked Clustering for anything
 */
export async function actingOn(
  context: Context,
  { userId, projectId }: Pick<Owner, 'userId' | 'projectId'>,
): Promise<Context> {
  const credential = await store.credentials.find(context.db, {
    user_id: userId,
    project_id: projectId,
  });
  if (!credential) throw new EngineFailure('Unable to get trust for the user.');
  return actingFor(context, credential);
}
