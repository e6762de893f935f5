// Creates, updates and deletes policies: documents that Keystone stores for other services.
// Upstream: keystone/api/policy.py.
import { newHexId } from '../../../../kernel/ids.ts';
import * as store from '../../store/policy/policies.ts';
import { extraOf, optionalText, textOf, type Fields } from '../attributes.ts';
import type { PolicyDocument } from '../../model.ts';
import type { Context } from '../../../../kernel/model.ts';

const apiAttributes = ['id', 'type', 'blob', 'links'];

/** Creates a policy. */
export async function createPolicy({ db }: Context, fields: Fields): Promise<PolicyDocument> {
  const [type, blob] = [textOf(fields, 'type'), textOf(fields, 'blob')];
  const policy: PolicyDocument = {
    id: newHexId(),
    type,
    blob,
    extra: extraOf(fields, apiAttributes),
  };
  await store.insertPolicy(db, policy);
  return policy;
}

/** Updates a policy. */
export async function updatePolicy(
  { db }: Context,
  policy: PolicyDocument,
  fields: Fields,
): Promise<PolicyDocument> {
  const next: PolicyDocument = {
    ...policy,
    type: optionalText(fields, 'type') ?? policy.type,
    blob: optionalText(fields, 'blob') ?? policy.blob,
    extra: { ...policy.extra, ...extraOf(fields, apiAttributes) },
  };
  await store.updatePolicy(db, next);
  return next;
}

/** Deletes a policy with its associations. */
export const deletePolicy = ({ db }: Context, { id }: PolicyDocument): Promise<void> =>
  store.deletePolicy(db, id);
