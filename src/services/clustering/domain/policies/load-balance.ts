// The policy senlin.policy.loadbalance makes the nodes of a cluster members of a pool. There is no
// load-balancing service: only the policy's own records show the pool.
import { newUuid } from '../../../../kernel/ids.ts';
import { counted, someOf } from '../../../../kernel/user/sentences.ts';
import { createPort, deletePort, findNetwork, findSubnet } from '../../clients/network.ts';
import * as store from '../../store/index.ts';
import { countOf } from '../clusters/size.ts';
import { victims } from '../clusters/victims.ts';
import type { ActionData, Json, Node } from '../../model.ts';
import { invalidSpec, malformed, pythonList } from '../refusals.ts';
import { boolean, integer, map, text } from '../specs/schema.ts';
import { without } from '../without.ts';
import { changeOf } from './distribution.ts';
import type { PolicyNote } from './explanation.ts';
import { failCheck, type Attachment, type Check, type PolicyType } from './types.ts';

interface Vip {
  readonly subnet: string | null;
  readonly network: string | null;
  readonly address: string | null;
}

interface Resources extends Json {
  readonly preexisting?: boolean;
  readonly loadbalancer: string;
  readonly pool: string;
  /** The port with the address of the load balancer. */
  readonly vip_port?: string;
}

const vipOf = (properties: Json): Vip => (properties['vip'] ?? {}) as Vip;

async function createResources({
  owner,
  cluster,
  policy,
  properties,
}: Attachment): Promise<{ data: Resources; address: string | null }> {
  const existing = properties['loadbalancer'] as string | null;
  const monitor = properties['health_monitor'] ? { healthmonitor: newUuid() } : {};
  const pool = ((properties['pool'] as Json)['id'] as string | null) ?? newUuid();
  if (existing)
    return { data: { preexisting: true, loadbalancer: existing, pool, ...monitor }, address: null };
  const { subnet, network, address } = vipOf(properties);
  const found = subnet ? await findSubnet(owner, subnet) : undefined;
  const networkId =
    found?.['network_id'] ?? (network ? (await findNetwork(owner, network))?.['id'] : undefined);
  const fixed = {
    ...(found ? { subnet_id: found['id'] } : {}),
    ...(address ? { ip_address: address } : {}),
  };
  const port = await createPort(owner, {
    network_id: networkId,
    name: `octavia-lb-${policy.id}-${cluster.id}`.slice(0, 255),
    ...(Object.keys(fixed).length ? { fixed_ips: [fixed] } : {}),
  });
  const [ip] = port['fixed_ips'] as { ip_address: string }[];
  const data = {
    loadbalancer: newUuid(),
    listener: newUuid(),
    pool,
    ...monitor,
    vip_port: port.id,
  };
  return { data, address: ip?.ip_address ?? null };
}

async function attach(attachment: Attachment): Promise<Json> {
  const { context, cluster, policy } = attachment;
  const { data, address } = await createResources(attachment);
  for (const node of await store.membersOf(context.db, cluster.id))
    await addMember(attachment, node);
  if (address !== null) {
    const balancers = {
      ...(cluster.data['loadbalancers'] as Json | undefined),
      [policy.id]: { vip_address: address },
    };
    await setLoadBalancers(attachment, balancers);
  }
  return { LoadBalancingPolicy: { version: '1.3', data } };
}

/** Replaces the load balancers in the data of the cluster. */
async function setLoadBalancers(
  { context, cluster }: Attachment,
  loadbalancers: Json,
): Promise<void> {
  const fresh = (await store.clusters.find(context.db, { id: cluster.id }))!;
  const rest = without(fresh.data, 'loadbalancers');
  await store.changeCluster(context.db, fresh, {
    data: Object.keys(loadbalancers).length ? { ...rest, loadbalancers } : rest,
  });
}

/** Adds a node to the pool. @returns false if it has no server, and so no address */
async function addMember({ context }: Attachment, node: Node): Promise<boolean> {
  if (!node.physicalId) return false;
  if (node.data['lb_member'] === undefined)
    await store.changeNode(context.db, node, { data: { ...node.data, lb_member: newUuid() } });
  return true;
}

/** Removes a node from the pool. */
async function removeMember({ context }: Attachment, node: Node): Promise<void> {
  const { lb_member: member, ...data } = node.data;
  if (member !== undefined) await store.changeNode(context.db, node, { data });
}

/** Finds the nodes that leave the cluster, and chooses them if no other policy has. */
async function leavingNodes(
  check: Check,
): Promise<{ readonly leaving: readonly Node[]; readonly data: ActionData }> {
  const { action, node, context } = check;
  let { data } = check;
  if (node) return { leaving: [node], data };
  const members = await check.members();
  const replaced =
    action.action === 'CLUSTER_REPLACE_NODES'
      ? Object.keys(action.inputs['candidates'] as Json)
      : undefined;
  let ids: readonly string[] | undefined =
    replaced ?? data.deletion?.candidates ?? (action.inputs['candidates'] as string[] | undefined);
  if (!ids?.length) {
    const found = changeOf(check, data, members.length);
    if ('problem' in found) return { leaving: [], data };
    ({ data } = found);
    const change = found.change || -(countOf(action.inputs) ?? 0);
    if (change >= 0) return { leaving: [], data };
    ids = victims(members, -change, 'RANDOM');
    data = { ...data, deletion: { ...data.deletion, count: ids.length, candidates: ids } };
  }
  return { leaving: await store.nodes.among(context.db, 'id', ids), data };
}

/** The nodes that join or leave the pool. */
const membersNote = (verb: 'join' | 'leave', nodes: readonly Node[]): PolicyNote => ({
  text:
    `${counted(nodes.length, 'node')} ${verb}${nodes.length === 1 ? 's' : ''} the pool` +
    (nodes.length ? `: ${someOf(nodes.map(({ name }) => name))}` : ''),
  values: { nodes: nodes.map(({ id }) => id) },
});

async function before(check: Check): Promise<ActionData> {
  const { action, cluster, notes } = check;
  const always = ['CLUSTER_REPLACE_NODES', 'CLUSTER_RESIZE'].includes(action.action);
  if (!always && cluster.desiredCapacity === cluster.minSize) {
    notes.add(() => ({
      text: `the cluster has its min_size ${cluster.minSize}, so no node leaves the pool`,
      values: { min_size: cluster.minSize },
    }));
    return check.data;
  }
  const { leaving, data } = await leavingNodes(check);
  // With a lifecycle hook, a node leaves the pool only when it is deleted.
  if (Object.keys(data.hooks ?? {}).length && action.action !== 'NODE_DELETE') {
    notes.add(() => ({ text: 'a lifecycle hook is set, so nodes leave the pool when deleted' }));
    return data;
  }
  notes.add(() => membersNote('leave', leaving));
  for (const node of leaving) await removeMember(check, node);
  return data;
}

async function after(check: Check): Promise<ActionData> {
  const { action, data, isOk, context, node } = check;
  if (!isOk) return data;
  const replaced =
    action.action === 'CLUSTER_REPLACE_NODES'
      ? (Object.values(action.inputs['candidates'] as Json) as string[])
      : undefined;
  const ids = node ? [node.id] : (replaced ?? data.creation?.nodes ?? []);
  const joined: Node[] = [];
  const failed: string[] = [];
  for (const member of await store.nodes.among(context.db, 'id', ids))
    if (await addMember(check, member)) joined.push(member);
    else failed.push(member.id);
  check.notes.add(() => membersNote('join', joined));
  if (!failed.length) return data;
  return failCheck(data, `Failed in adding nodes into lb pool: ${pythonList(failed)}`);
}

async function detach(attachment: Attachment, { data }: { readonly data: Json }): Promise<void> {
  const { context, owner, cluster, policy } = attachment;
  const { vip_port: port } = (data['LoadBalancingPolicy'] as { data: Resources }).data;
  if (port) await deletePort(owner, port);
  for (const node of await store.membersOf(context.db, cluster.id))
    await removeMember(attachment, node);
  await setLoadBalancers(
    attachment,
    without((cluster.data['loadbalancers'] ?? {}) as Json, policy.id),
  );
}

const protocols = ['HTTP', 'HTTPS', 'TCP'];

const schema = {
  pool: map('LB pool properties.', {
    protocol: text('Protocol used for load balancing.', { initial: 'HTTP', allowed: protocols }),
    protocol_port: integer('Port on which servers are running on the nodes.', { initial: 80 }),
    subnet: text('Name or ID of subnet for the port on which nodes can be connected.', {
      required: true,
    }),
    lb_method: text('Load balancing algorithm.', {
      initial: 'ROUND_ROBIN',
      allowed: ['ROUND_ROBIN', 'LEAST_CONNECTIONS', 'SOURCE_IP'],
    }),
    admin_state_up: boolean('Administrative state of the pool.', { initial: true }),
    session_persistence: map(
      'Session persistence configuration.',
      {
        type: text('Type of session persistence implementation.', {
          allowed: ['SOURCE_IP', 'HTTP_COOKIE', 'APP_COOKIE', 'NONE'],
        }),
        cookie_name: text('Name of cookie if type set to APP_COOKIE.'),
      },
      { initial: {} },
    ),
    id: text('ID of pool for the cluster on which nodes can be connected.', { initial: null }),
  }),
  vip: map('VIP address and port of the pool.', {
    subnet: text(
      'Name or ID of Subnet on which the VIP address will be allocated. One of Subnet or ' +
        'Network is required.',
    ),
    network: text(
      'Name or ID of Network on which the VIP address will be allocated. One of Subnet or ' +
        'Network is required.',
    ),
    address: text('IP address of the VIP.', { initial: null }),
    connection_limit: integer('Maximum number of connections per second allowed for this VIP', {
      initial: -1,
    }),
    protocol: text('Protocol used for VIP.', { initial: 'HTTP', allowed: protocols }),
    protocol_port: integer('TCP port to listen on.', { initial: 80 }),
    admin_state_up: boolean('Administrative state of the VIP.', { initial: true }),
  }),
  health_monitor: map('Health monitor for loadbalancer.', {
    type: text('The type of probe sent by the loadbalancer to verify the member state.', {
      initial: 'PING',
      allowed: ['PING', 'TCP', 'HTTP', 'HTTPS'],
    }),
    delay: integer('The amount of time in milliseconds between sending probes to members.', {
      initial: 10,
    }),
    timeout: integer(
      'The maximum time in milliseconds that a monitor waits to connect before it times out.',
      { initial: 5 },
    ),
    max_retries: integer(
      'The number of allowed connection failures before changing the status of the member to ' +
        'INACTIVE.',
      { initial: 3 },
    ),
    admin_state_up: boolean('Administrative state of the health monitor.', { initial: true }),
    http_method: text('The HTTP method that the monitor uses for requests.', {
      allowed: ['GET', 'POST', 'PUT', 'DELETE'],
    }),
    url_path: text(
      'The HTTP path of the request sent by the monitor to test the health of a member.',
    ),
    expected_codes: text('Expected HTTP codes for a passing HTTP(S) monitor.'),
    id: text('ID of the health manager for the loadbalancer.', { initial: null }),
  }),
  lb_status_timeout: integer(
    'Time in second to wait for loadbalancer to become ready after senlin requests LBaaS V2 ' +
      'service for operations.',
    { initial: 300 },
  ),
  loadbalancer: text(
    'Name or ID of loadbalancer for the cluster on which nodes can be connected.',
    { initial: null },
  ),
  availability_zone: text(
    'Name of the loadbalancer availability zone to use for creation of the loadbalancer.',
    { initial: null },
  ),
  flavor_id: text('ID of octavia loadbalancer flavor to use for creation of the loadbalancer.', {
    initial: null,
  }),
};

const policyOf = (version: string): PolicyType => ({
  name: 'senlin.policy.loadbalance',
  version,
  support: {
    '1.0': [{ status: 'SUPPORTED', since: '2016.04' }],
    '1.1': [{ status: 'SUPPORTED', since: '2018.01' }],
    '1.2': [{ status: 'SUPPORTED', since: '2020.02' }],
    '1.3': [{ status: 'SUPPORTED', since: '2020.03' }],
  },
  priority: 500,
  singleton: true,
  profileTypes: ['os.nova.server-1.0'],
  targets: {
    AFTER: [
      'CLUSTER_ADD_NODES',
      'CLUSTER_SCALE_OUT',
      'CLUSTER_RESIZE',
      'NODE_RECOVER',
      'NODE_CREATE',
      'CLUSTER_REPLACE_NODES',
    ],
    BEFORE: [
      'CLUSTER_DEL_NODES',
      'CLUSTER_SCALE_IN',
      'CLUSTER_RESIZE',
      'NODE_DELETE',
      'CLUSTER_REPLACE_NODES',
    ],
  },
  schema,
  validate: (_context, { pool, vip }) => {
    if (!pool || !vip) throw malformed();
  },
  validateInCloud: async (context, properties) => {
    const missing = (key: string, value: string): Error =>
      invalidSpec(`The specified ${key} '${value}' could not be found.`);
    const inPool = (properties['pool'] as Json)['subnet'] as string;
    const { subnet, network } = vipOf(properties);
    if (!(await findSubnet(context, inPool))) throw missing('subnet', inPool);
    if (subnet && !(await findSubnet(context, subnet))) throw missing('subnet', subnet);
    if (network && !(await findNetwork(context, network))) throw missing('network', network);
    if (!subnet && !network)
      throw invalidSpec('At least one of VIP Subnet or Network must be defined.');
  },
  attach,
  detach,
  before,
  after,
});

export const loadBalance = ['1.0', '1.1', '1.2', '1.3'].map(policyOf);
