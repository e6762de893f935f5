// Server groups as a client sees them.
import type { ComputeCall } from '../call.ts';
import type { ServerGroup } from '../domain/records.ts';

export function groupView({ at }: Pick<ComputeCall, 'at'>, group: ServerGroup): object {
  const { uuid, name, policy, maxServerPerHost: max, members } = group;
  return {
    id: uuid,
    name,
    ...at.until('2.64', { policies: [policy], metadata: {} }),
    ...at.since('2.64', { policy, rules: max === undefined ? {} : { max_server_per_host: max } }),
    members,
    ...at.since('2.13', { project_id: group.projectId, user_id: group.userId }),
  };
}
