// The view of a server group.
import type { ComputeCall } from '../call.ts';
import type { ServerGroup } from '../model.ts';

export function groupView({ version }: Pick<ComputeCall, 'version'>, group: ServerGroup): object {
  const { uuid, name, policy, maxServerPerHost: max, members } = group;
  return {
    id: uuid,
    name,
    ...version.until('2.64', { policies: [policy], metadata: {} }),
    ...version.since('2.64', {
      policy,
      rules: max === null ? {} : { max_server_per_host: max },
    }),
    members,
    ...version.since('2.13', { project_id: group.projectId, user_id: group.userId }),
  };
}
