// The policy senlin.policy.affinity puts the servers of a cluster into a server group.
import { newHexId } from '../../../../kernel/ids.ts';
import { ApiError } from '../../../../kernel/errors.ts';
import { counted } from '../../../../kernel/user/sentences.ts';
import * as compute from '../../clients/compute.ts';
import type { ActionData, Json } from '../../model.ts';
import { EngineFailure, invalidSpec } from '../refusals.ts';
import { boolean, map, text } from '../specs/schema.ts';
import { changeOf } from './distribution.ts';
import { failCheck, type Attachment, type Check, type PolicyType } from './types.ts';

const kinds = ['affinity', 'soft-affinity', 'anti-affinity', 'soft-anti-affinity'];

async function attach({ owner, properties }: Attachment): Promise<Json> {
  const group = properties['servergroup'] as { name: string | null; policies: string } | null;
  if (!group) throw new EngineFailure("'NoneType' object has no attribute 'get'");
  const { name, policies: policy } = group;
  const found = name ? await compute.findServerGroup(owner, name) : undefined;
  if (found && found.policies[0] !== policy)
    throw new EngineFailure(
      `Policies specified (${policy}) doesn't match that of the existing servergroup ` +
        `(${found.policies[0]}).`,
    );
  return bindingData(found?.id ?? (await createGroup(owner, name, policy)), found !== undefined);
}

async function createGroup(
  owner: Attachment['owner'],
  name: string | null,
  policy: string,
): Promise<string> {
  try {
    return (
      await compute.createServerGroup(
        owner,
        name ?? `server_group_${newHexId().slice(0, 8)}`,
        policy,
      )
    ).id;
  } catch (error) {
    if (error instanceof ApiError) throw new EngineFailure('Failed in creating servergroup.');
    throw error;
  }
}

const bindingData = (servergroup: string, inherited: boolean): Json => ({
  AffinityPolicy: {
    version: '1.0',
    data: { servergroup_id: servergroup, inherited_group: inherited },
  },
});

const groupOf = (data: Json): { servergroup_id: string; inherited_group: boolean } =>
  (data['AffinityPolicy'] as { data: { servergroup_id: string; inherited_group: boolean } }).data;

async function before(check: Check): Promise<ActionData> {
  const { binding, properties } = check;
  const found = changeOf(check, check.data, (await check.members()).length);
  if ('problem' in found) return failCheck(check.data, found.problem);
  const { change, data } = found;
  if (change <= 0) return data;
  const zone = properties['availability_zone'] as string | null;
  const host = properties['enable_drs_extension'] ? await drsHost(check) : undefined;
  // Upstream sets its message in a field that is never read, so that the failure has no reason.
  if (properties['enable_drs_extension'] && !host) return failCheck(data, '');
  check.notes.add(() => ({
    text:
      `places ${counted(change, 'node')} in the server group ` +
      `${groupOf(binding.data).servergroup_id}, zone ${zone ?? 'any'}, host ${host ?? 'any'}`,
    values: { count: change, zone, host: host ?? null },
  }));
  const placed = host ? `${zone ?? 'nova'}:${host}` : zone;
  const placement = {
    servergroup: groupOf(binding.data).servergroup_id,
    ...(placed && { zone: placed }),
  };
  return {
    ...data,
    placement: { count: change, placements: Array.from({ length: change }, () => placement) },
  };
}

/** The first hypervisor that vSphere's own scheduler (DRS) manages. */
async function drsHost({ owner }: Check): Promise<string | undefined> {
  const all = await compute.hypervisors(owner).catch((error: unknown) => {
    if (error instanceof ApiError) return [];
    throw error;
  });
  return all.find(({ hypervisor_hostname: name }) => name.toLowerCase().includes('drs'))
    ?.hypervisor_hostname;
}

export const affinity: PolicyType = {
  name: 'senlin.policy.affinity',
  version: '1.0',
  support: { '1.0': [{ status: 'SUPPORTED', since: '2016.10' }] },
  priority: 300,
  singleton: true,
  profileTypes: ['os.nova.server-1.0'],
  targets: { BEFORE: ['CLUSTER_SCALE_OUT', 'CLUSTER_RESIZE', 'NODE_CREATE'], AFTER: [] },
  schema: {
    servergroup: map('Properties of the VM server group', {
      name: text('The name of the server group'),
      policies: text('The server group policies.', { initial: 'anti-affinity', allowed: kinds }),
    }),
    availability_zone: text('Name of the availability zone to place the nodes.'),
    enable_drs_extension: boolean('Enable vSphere DRS extension.', { initial: false }),
  },
  validateInCloud: async (context, { availability_zone: zone }) => {
    if (zone && !(await compute.availableZones(context)).includes(zone as string))
      throw invalidSpec(`The specified availability_zone '${zone as string}' could not be found.`);
  },
  attach,
  detach: async ({ owner }, { data }) => {
    const { servergroup_id: id, inherited_group: inherited } = groupOf(data);
    if (!inherited) await compute.deleteServerGroup(owner, id);
  },
  before,
};
