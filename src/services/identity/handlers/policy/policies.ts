// Policies: documents that Keystone keeps for other services. Upstream: keystone/api/policy.py.
import { badRequest } from '../../../../kernel/errors.ts';
import { plainHandlers } from '../../../../kernel/http/plain-resource.ts';
import type { Call } from '../../../../kernel/model.ts';
import type { Fields } from '../../domain/attributes.ts';
import { createPolicy, deletePolicy, updatePolicy } from '../../domain/policy/policies.ts';
import type { PolicyDocument } from '../../model.ts';
import { findPolicy, listPolicies } from '../../store/policy/policies.ts';
import { policyView } from '../../views/policy/policies.ts';
import { bodiesOf, lookupsOf, type Shape } from '../plain.ts';

const shape: Shape<PolicyDocument> = {
  noun: 'policy',
  collection: 'policies',
  filters: ['type'],
  view: (call, policy) => policyView(call, policy),
};
const bodies = bodiesOf(shape);

/** The operations of /v3/policies. An update checks the id in the body before the lookup. */
export const { list, show, create, update, remove } = plainHandlers<Call, PolicyDocument, Fields>({
  ...lookupsOf({ ...shape, list: listPolicies, find: findPolicy }),
  ...bodies,
  async fields(call, operation) {
    const fields = await bodies.fields(call, operation);
    if (operation === 'update' && 'id' in fields && fields['id'] !== call.params['policy_id'])
      throw badRequest('Cannot change policy ID');
    return fields;
  },
  create: createPolicy,
  update: updatePolicy,
  remove: deletePolicy,
});
