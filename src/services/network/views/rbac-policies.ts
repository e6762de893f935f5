// The view of an RBAC policy.
import type { RbacPolicy } from '../model.ts';
import type { View } from './view.ts';

export const rbacPolicyView = (policy: RbacPolicy): View => ({
  ...policy,
  tenant_id: policy.project_id,
});
