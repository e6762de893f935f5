// Policies: documents that Keystone keeps for whoever asks. Upstream: keystone/api/policy.py.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { badRequest } from '../../../../kernel/fault.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import type { PolicyDocument } from '../../domain/records.ts';
import { found } from '../../domain/refusals.ts';
import { deletePolicy, findPolicy, insertPolicy, listPolicies, updatePolicy } from '../../store/policy/policies.ts';
import { linkTo, listReply, type View } from '../../views/links.ts';
import { allow, bodyOf, extraOf, normalized, textOf } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

const known = ['id', 'type', 'blob', 'links'];

/** GET /v3/policies */
export async function list(call: Call): Promise<Reply> {
  allow(call, 'list_policies');
  return listReply(call, 'policies', (await listPolicies(call.db)).map((policy) => policyView(call, policy)), ['type']); // prettier-ignore
}

/** POST /v3/policies */
export async function create(call: Call): Promise<Reply> {
  allow(call, 'create_policy');
  const fields = normalized(bodyOf(call, 'policy'));
  const [type, blob] = [textOf(fields, 'type'), textOf(fields, 'blob')];
  const policy: PolicyDocument = { id: newHexId(), type, blob, extra: extraOf(fields, known) };
  await insertPolicy(call.db, policy);
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
  if ('id' in fields && fields['id'] !== call.params['policy_id']) throw badRequest('Cannot change policy ID');
  const policy = await target(call, 'update_policy');
  const next: PolicyDocument = {
    ...policy,
    type: (fields['type'] as string | undefined) ?? policy.type,
    blob: (fields['blob'] as string | undefined) ?? policy.blob,
    extra: { ...policy.extra, ...extraOf(fields, known) },
  };
  await updatePolicy(call.db, next);
  return ok({ policy: policyView(call, next) });
}

/** DELETE /v3/policies/{policy_id} */
export async function remove(call: Call): Promise<Reply> {
  await deletePolicy(call.db, (await target(call, 'delete_policy')).id);
  return noContent();
}

async function target(call: Call, rule: string): Promise<PolicyDocument> {
  allow(call, rule);
  const id = call.params['policy_id']!;
  return found(await findPolicy(call.db, id), 'policy', id);
}

/** A policy as a client sees it; `collection` is where upstream's link looks for it. */
export const policyView = (call: Call, { id, type, blob, extra }: PolicyDocument, collection = 'policies'): View => ({
  ...extra,
  id,
  type,
  blob,
  links: { self: linkTo(call, `${collection}/${id}`) },
});
