// Policies: documents that Keystone keeps for other services. Upstream: keystone/api/policy.py.
import { badRequest } from '../../../../kernel/errors.ts';
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { normalized } from '../../domain/attributes.ts';
import { createPolicy, deletePolicy, updatePolicy } from '../../domain/policy/policies.ts';
import type { PolicyDocument } from '../../model.ts';
import { found } from '../../domain/refusals.ts';
import { findPolicy, listPolicies } from '../../store/policy/policies.ts';
import { policyView } from '../../views/policy/policies.ts';
import { listReply } from '../lists.ts';
import { allow, bodyOf } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** GET /v3/policies */
export async function list(call: Call): Promise<Reply> {
  allow(call, 'list_policies');
  return listReply(
    call,
    'policies',
    (await listPolicies(call.db)).map((policy) => policyView(call, policy)),
    ['type'],
  );
}

/** POST /v3/policies */
export async function create(call: Call): Promise<Reply> {
  allow(call, 'create_policy');
  const policy = await createPolicy(call, normalized(bodyOf(call, 'policy')));
  return created({ policy: policyView(call, policy) });
}

/** GET /v3/policies/{policy_id} */
export async function show(call: Call): Promise<Reply> {
  return ok({ policy: policyView(call, await target(call, 'get_policy')) });
}

/** PATCH /v3/policies/{policy_id} */
export async function update(call: Call): Promise<Reply> {
  allow(call, 'update_policy');
  const fields = bodyOf(call, 'policy');
  if ('id' in fields && fields['id'] !== call.params['policy_id'])
    throw badRequest('Cannot change policy ID');
  const policy = await updatePolicy(call, await target(call, 'update_policy'), fields);
  return ok({ policy: policyView(call, policy) });
}

/** DELETE /v3/policies/{policy_id} */
export async function remove(call: Call): Promise<Reply> {
  await deletePolicy(call, (await target(call, 'delete_policy')).id);
  return noContent();
}

async function target(call: Call, rule: string): Promise<PolicyDocument> {
  allow(call, rule);
  const id = call.params['policy_id']!;
  return found(await findPolicy(call.db, id), 'policy', id);
}
