// The policy rules of Reservation with their defaults. Upstream: blazar/policies.
import type { RuleDefaults } from '../../kernel/oslo/policy.ts';

const inProject = (rule: string): { rule: string; scopes: ['project'] } => ({
  rule,
  scopes: ['project'],
});

const admin = inProject('rule:admin');
const reader = inProject('rule:project_reader_or_admin');
const member = inProject('rule:project_member_or_admin');

export const reservationPolicy: RuleDefaults = {
  admin: 'is_admin:True or role:admin',
  context_is_admin: 'rule:admin',
  admin_or_owner: 'rule:admin or project_id:%(project_id)s',
  project_reader_or_admin: '(role:reader and project_id:%(project_id)s) or rule:admin',
  project_member_or_admin: '(role:member and project_id:%(project_id)s) or rule:admin',
  'blazar:leases:get': reader,
  'blazar:leases:post': member,
  'blazar:leases:put': member,
  'blazar:leases:delete': member,
  'blazar:oshosts:get': admin,
  'blazar:oshosts:post': admin,
  'blazar:oshosts:put': admin,
  'blazar:oshosts:delete': admin,
  'blazar:oshosts:get_allocations': admin,
  'blazar:oshosts:get_resource_properties': admin,
  'blazar:oshosts:update_resource_properties': admin,
  'blazar:floatingips:get': reader,
  'blazar:floatingips:post': admin,
  'blazar:floatingips:delete': admin,
  // An addition to upstream. Readers may see when resources are free, but not who reserves them.
  'cumulet:availability:get': reader,
};
