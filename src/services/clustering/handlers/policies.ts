// Handlers of policies.
import { created, noContent, ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ClusteringCall } from '../call.ts';
import * as domain from '../domain/policies/policies.ts';
import { specList } from '../domain/requests/collections.ts';
import { policyFor } from '../domain/requests/identities.ts';
import { readList } from '../domain/requests/lists.ts';
import * as store from '../store/index.ts';
import { policyView } from '../views/resources.ts';

const idOf = (call: ClusteringCall): string => call.params['policy_id']!;

/** GET /v1/policies */
export async function list(call: ClusteringCall): Promise<Reply> {
  const page = readList(specList, call.query, call.actor);
  const policies = await store.listPage(call.db, store.policies, page);
  return ok({ policies: policies.map((policy) => policyView(policy)) });
}

/** POST /v1/policies */
export const create = async (call: ClusteringCall): Promise<Reply> =>
  created({ policy: policyView(await domain.createPolicy(call, call.body, call.version), true) });

/** POST /v1/policies/validate */
export const validate = async (call: ClusteringCall): Promise<Reply> =>
  ok({ policy: policyView(await domain.validatePolicy(call, call.body, call.version), true) });

/** GET /v1/policies/{policy_id} */
export const show = async (call: ClusteringCall): Promise<Reply> =>
  ok({ policy: policyView(await policyFor(call, idOf(call))) });

/** PATCH /v1/policies/{policy_id} */
export async function update(call: ClusteringCall): Promise<Reply> {
  const policy = await domain.updatePolicy(call, idOf(call), call.body, call.version);
  return ok({ policy: policyView(policy, true) });
}

/** DELETE /v1/policies/{policy_id} */
export async function remove(call: ClusteringCall): Promise<Reply> {
  await domain.deletePolicy(call, idOf(call));
  return noContent();
}
