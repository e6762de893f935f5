// Acting for the owners of clusters and nodes.
import type { Work } from '../../../kernel/model.ts';
import { actingFor } from '../neighbours/identity.ts';
import * as store from '../store/index.ts';
import type { Owner } from './records.ts';
import { EngineFailure } from './refusals.ts';

/** Remembers that the actor lets Clustering act for it; what it may do goes by the last request. */
export async function delegate({ db, actor }: Work): Promise<void> {
  const { userId, projectId = '' } = actor;
  const roles = [...actor.roles].toSorted();
  const known = await store.credentials.find(db, { user_id: userId, project_id: projectId });
  if (!known) await store.credentials.insert(db, { userId, projectId, trustId: null, roles });
  else if (known.roles.join() !== roles.join())
    await store.credentials.update(db, { user_id: userId, project_id: projectId }, { roles });
}

/** The work, done for the owner. @throws EngineFailure where the owner never asked Clustering for anything */
export async function actingOn(work: Work, { userId, projectId }: Pick<Owner, 'userId' | 'projectId'>): Promise<Work> {
  const credential = await store.credentials.find(work.db, { user_id: userId, project_id: projectId });
  if (!credential) throw new EngineFailure('Unable to get trust for the user.');
  return actingFor(work, credential);
}
