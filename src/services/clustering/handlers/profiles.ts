// Handlers of profiles.
import { created, noContent, ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ClusteringCall } from '../call.ts';
import * as domain from '../domain/profiles/profiles.ts';
import { specList } from '../domain/requests/collections.ts';
import { profileFor } from '../domain/requests/identities.ts';
import { readList } from '../domain/requests/lists.ts';
import * as store from '../store/index.ts';
import { profileView } from '../views/resources.ts';

const idOf = (call: ClusteringCall): string => call.params['profile_id']!;

/** GET /v1/profiles */
export async function list(call: ClusteringCall): Promise<Reply> {
  const page = readList(specList, call.query, call.actor);
  const profiles = await store.listPage(call.db, store.profiles, page);
  return ok({ profiles: profiles.map(profileView) });
}

/** POST /v1/profiles, outside of a transaction: the profile may name another region */
export const create = async (call: ClusteringCall): Promise<Reply> =>
  created({ profile: profileView(await domain.createProfile(call, call.body, call.version)) });

/** POST /v1/profiles/validate, outside of a transaction */
export const validate = async (call: ClusteringCall): Promise<Reply> =>
  ok({ profile: profileView(await domain.validateProfile(call, call.body, call.version)) });

/** GET /v1/profiles/{profile_id} */
export const show = async (call: ClusteringCall): Promise<Reply> =>
  ok({ profile: profileView(await profileFor(call, idOf(call))) });

/** PATCH /v1/profiles/{profile_id} */
export async function update(call: ClusteringCall): Promise<Reply> {
  const profile = await domain.updateProfile(call, idOf(call), call.body, call.version);
  return ok({ profile: profileView(profile) });
}

/** DELETE /v1/profiles/{profile_id} */
export async function remove(call: ClusteringCall): Promise<Reply> {
  await domain.deleteProfile(call, idOf(call));
  return noContent();
}
