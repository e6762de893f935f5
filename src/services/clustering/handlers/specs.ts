// Profiles and policies.
import { created, noContent, ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ClusteringCall } from '../call.ts';
import { policyFor, profileFor } from '../domain/requests/identities.ts';
import { specList } from '../domain/requests/collections.ts';
import { readList } from '../domain/requests/lists.ts';
import * as specs from '../domain/specs/spec.ts';
import * as store from '../store/index.ts';
import { policyView, profileView } from '../views/resources.ts';

/** GET /v1/profiles */
export async function listProfiles(call: ClusteringCall): Promise<Reply> {
  const found = await store.profiles.list(call.db, readList(specList, call.query, call.actor));
  return ok({ profiles: found.map(profileView) });
}

/** POST /v1/profiles */
export const createProfile = async (call: ClusteringCall): Promise<Reply> =>
  created({ profile: profileView(await specs.createProfile(call, call.body, call.version)) });

/** POST /v1/profiles/validate */
export const validateProfile = async (call: ClusteringCall): Promise<Reply> =>
  ok({ profile: profileView(await specs.validateProfile(call, call.body, call.version)) });

/** GET /v1/profiles/{profile_id} */
export const showProfile = async (call: ClusteringCall): Promise<Reply> =>
  ok({ profile: profileView(await profileFor(call, call.params['profile_id']!)) });

/** PATCH /v1/profiles/{profile_id} */
export const updateProfile = async (call: ClusteringCall): Promise<Reply> =>
  ok({
    profile: profileView(
      await specs.updateProfile(call, call.params['profile_id']!, call.body, call.version),
    ),
  });

/** DELETE /v1/profiles/{profile_id} */
export async function deleteProfile(call: ClusteringCall): Promise<Reply> {
  await specs.deleteProfile(call, call.params['profile_id']!);
  return noContent();
}

/** GET /v1/policies */
export async function listPolicies(call: ClusteringCall): Promise<Reply> {
  const found = await store.policies.list(call.db, readList(specList, call.query, call.actor));
  return ok({ policies: found.map((policy) => policyView(policy)) });
}

/** POST /v1/policies */
export const createPolicy = async (call: ClusteringCall): Promise<Reply> =>
  created({ policy: policyView(await specs.createPolicy(call, call.body, call.version), true) });

/** POST /v1/policies/validate */
export const validatePolicy = async (call: ClusteringCall): Promise<Reply> =>
  ok({ policy: policyView(await specs.validatePolicy(call, call.body, call.version), true) });

/** GET /v1/policies/{policy_id} */
export const showPolicy = async (call: ClusteringCall): Promise<Reply> =>
  ok({ policy: policyView(await policyFor(call, call.params['policy_id']!)) });

/** PATCH /v1/policies/{policy_id} */
export const updatePolicy = async (call: ClusteringCall): Promise<Reply> =>
  ok({
    policy: policyView(
      await specs.updatePolicy(call, call.params['policy_id']!, call.body, call.version),
      true,
    ),
  });

/** DELETE /v1/policies/{policy_id} */
export async function deletePolicy(call: ClusteringCall): Promise<Reply> {
  await specs.deletePolicy(call, call.params['policy_id']!);
  return noContent();
}
