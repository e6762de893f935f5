// The policy rules of Volume with their defaults, and their enforcement for the resources of a
// project. Upstream: cinder/policies.
import type { RuleDefaults, Target } from '../../kernel/oslo/policy.ts';
import { authorize as authorizeTarget, may as mayTarget } from '../../kernel/http/steps.ts';
import type { VolumeCall } from './call.ts';

const read = [
  'volume:get',
  'volume:get_all',
  'volume_extension:volume_tenant_attribute',
  'volume:get_volume_metadata',
  'volume_extension:volume_image_metadata:show',
  'volume_extension:type_get',
  'volume_extension:type_get_all',
  'volume_extension:access_types_extra_specs',
  'volume_extension:types_extra_specs:index',
  'volume_extension:types_extra_specs:show',
  'volume:get_all_snapshots',
  'volume:get_snapshot',
  'volume_extension:extended_snapshot_attributes',
  'volume:get_snapshot_metadata',
  'volume_extension:quotas:show',
  'limits_extension:used_limits',
  'volume_extension:volume_encryption_metadata',
  'volume:get_all_transfers',
  'volume:get_transfer',
  'message:get_all',
  'message:get',
];

const write = [
  'volume:create',
  'volume:create_from_image',
  'volume:update',
  'volume:delete',
  'volume:multiattach',
  'volume:extend',
  'volume:extend_attached_volume',
  'volume:revert_to_snapshot',
  'volume:retype',
  'volume:update_readonly_flag',
  'volume_extension:volume_actions:upload_image',
  'volume_extension:volume_actions:initialize_connection',
  'volume_extension:volume_actions:terminate_connection',
  'volume_extension:volume_actions:roll_detaching',
  'volume_extension:volume_actions:reserve',
  'volume_extension:volume_actions:unreserve',
  'volume_extension:volume_actions:begin_detaching',
  'volume_extension:volume_actions:attach',
  'volume_extension:volume_actions:detach',
  'volume:create_volume_metadata',
  'volume:update_volume_metadata',
  'volume:delete_volume_metadata',
  'volume_extension:volume_image_metadata:set',
  'volume_extension:volume_image_metadata:remove',
  'volume_extension:volume_type_access',
  'volume:create_snapshot',
  'volume:update_snapshot',
  'volume:delete_snapshot',
  'volume:update_snapshot_metadata',
  'volume:delete_snapshot_metadata',
  'volume:attachment_create',
  'volume:attachment_update',
  'volume:attachment_delete',
  'snapshot_extension:snapshot_actions:update_snapshot_status',
  'volume:attachment_complete',
  'volume:multiattach_bootable_volume',
  'volume:create_transfer',
  'volume:accept_transfer',
  'volume:delete_transfer',
  'message:delete',
  'volume:reimage',
  'volume:reimage_reserved',
];

const admin = [
  'volume:force_delete',
  'volume_extension:volume_host_attribute',
  'volume_extension:volume_mig_status_attribute',
  'volume_extension:volume_admin_actions:reset_status',
  'volume_extension:volume_admin_actions:force_delete',
  'volume_extension:volume_admin_actions:force_detach',
  'volume_extension:volume_actions:upload_public',
  'volume_extension:type_create',
  'volume_extension:type_update',
  'volume_extension:type_delete',
  'volume_extension:access_types_qos_specs_id',
  'volume_extension:types_extra_specs:create',
  'volume_extension:types_extra_specs:read_sensitive',
  'volume_extension:types_extra_specs:update',
  'volume_extension:types_extra_specs:delete',
  'volume_extension:volume_type_access:addProjectAccess',
  'volume_extension:volume_type_access:removeProjectAccess',
  'volume_extension:volume_type_access:get_all_for_type',
  'volume_extension:snapshot_admin_actions:reset_status',
  'volume_extension:snapshot_admin_actions:force_delete',
  'volume_extension:quotas:update',
  'volume_extension:quotas:delete',
  'volume_extension:quota_classes:get',
  'volume_extension:quota_classes:update',
  'volume_extension:volume_type_encryption:create',
  'volume_extension:volume_type_encryption:get',
  'volume_extension:volume_type_encryption:update',
  'volume_extension:volume_type_encryption:delete',
  'volume_extension:qos_specs_manage:create',
  'volume_extension:qos_specs_manage:get_all',
  'volume_extension:qos_specs_manage:get',
  'volume_extension:qos_specs_manage:update',
  'volume_extension:qos_specs_manage:delete',
  'volume_extension:services:index',
  'volume_extension:services:update',
  'volume:freeze_host',
  'volume:thaw_host',
  'volume_extension:default_set_or_update',
  'volume_extension:default_get',
  'volume_extension:default_get_all',
  'volume_extension:default_unset',
  'volume_extension:hosts',
  'scheduler_extension:scheduler_stats:get_pools',
  'volume_extension:capabilities',
];

const withRule = (names: readonly string[], rule: string): RuleDefaults =>
  Object.fromEntries(names.map((name) => [name, rule]));

export const volumePolicy: RuleDefaults = {
  context_is_admin: 'role:admin',
  admin_api: 'role:admin',
  admin_or_project_reader: 'role:admin or (role:reader and project_id:%(project_id)s)',
  admin_or_project_member: 'role:admin or (role:member and project_id:%(project_id)s)',
  ...withRule(read, 'rule:admin_or_project_reader'),
  ...withRule(write, 'rule:admin_or_project_member'),
  ...withRule(admin, 'rule:admin_api'),
};

const targetOf = ({ actor }: VolumeCall, projectId = actor.projectId): Target => ({
  project_id: projectId,
  user_id: actor.userId,
});

/** Enforces a rule for a resource of a project, by default the caller's. @throws 403 */
export const authorize = (call: VolumeCall, rule: string, projectId?: string): void =>
  authorizeTarget(call, rule, targetOf(call, projectId));

/** Returns whether a rule allows the same. */
export const may = (call: VolumeCall, rule: string, projectId?: string): boolean =>
  mayTarget(call, rule, targetOf(call, projectId));
