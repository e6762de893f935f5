// The absolute limits of a project, and its usage.
import { ok } from '../../../kernel/http/reply.ts';
import { authorize } from '../../../kernel/http/steps.ts';
import type { ComputeCall } from '../call.ts';
import { limitsOf, usageOf } from '../domain/quotas.ts';
import { ownTarget } from '../steps.ts';
import type { Reply } from '../../../kernel/model.ts';

export async function list(call: ComputeCall): Promise<Reply> {
  const { version, db, query } = call;
  const other = query.first('tenant_id');
  if (other !== undefined) authorize(call, 'os_compute_api:limits:other_project', ownTarget(call));
  const project = other ?? call.caller.projectId ?? '';
  const limits = await limitsOf(db, project);
  const used = await usageOf(db, project);
  const absolute = {
    maxTotalInstances: limits.instances,
    maxTotalCores: limits.cores,
    maxTotalRAMSize: limits.ram,
    maxTotalKeypairs: limits.key_pairs,
    maxServerMeta: limits.metadata_items,
    maxServerGroups: limits.server_groups,
    maxServerGroupMembers: limits.server_group_members,
    totalInstancesUsed: used.instances,
    totalCoresUsed: used.cores,
    totalRAMUsed: used.ram,
    totalServerGroupsUsed: used.server_groups,
    ...version.until('2.39', { maxImageMeta: limits.metadata_items }),
    ...version.until('2.57', {
      maxPersonality: limits.injected_files,
      maxPersonalitySize: limits.injected_file_content_bytes,
    }),
    ...version.until('2.36', {
      maxTotalFloatingIps: limits.floating_ips,
      maxSecurityGroups: limits.security_groups,
      maxSecurityGroupRules: limits.security_group_rules,
      totalFloatingIpsUsed: used.floating_ips,
      totalSecurityGroupsUsed: used.security_groups,
    }),
  };
  return ok({ limits: { rate: [], absolute } });
}
