// The interfaces of a server, which are its ports in Network.
import { accepted, ok } from '../../../../kernel/http/reply.ts';
import { badRequest, conflict, ApiError, notFound } from '../../../../kernel/errors.ts';
import type { ComputeCall } from '../../call.ts';
import { idle, requireState } from '../../domain/servers/checks.ts';
import {
  networkErrorType,
  planNetworks,
  type NetworkRequests,
  type Port,
} from '../../clients/network.ts';
import {
  attachedPorts,
  attachPorts,
  detachPorts,
  portNotFound,
} from '../../domain/servers/networks.ts';
import { claimForPorts } from '../../domain/port-resources.ts';
import { recordDeviceChange } from '../../domain/servers/tasks.ts';
import { listServerPorts } from '../../store/servers/devices.ts';
import { serverOf } from './subject.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { Server } from '../../model.ts';

const view = ({ version }: ComputeCall, port: Port, tag: string | null): object => ({
  net_id: port.networkId,
  port_id: port.id,
  mac_addr: port.mac,
  port_state: port.status,
  fixed_ips: port.fixedIps.map(({ subnetId, ip }) => ({ subnet_id: subnetId, ip_address: ip })),
  ...version.since('2.70', { tag }),
});

/** The device tags of the server's ports, by port. */
async function tagsOf(call: ComputeCall, server: Server): Promise<Map<string, string | null>> {
  return new Map(
    (await listServerPorts(call.db, [server.uuid])).map(({ portId, tag }) => [portId, tag]),
  );
}

export async function list(call: ComputeCall): Promise<Reply> {
  const server = await serverOf(call, 'os-attach-interfaces:list');
  const tags = await tagsOf(call, server);
  const ports = await attachedPorts(call, [server.uuid]);
  return ok({
    interfaceAttachments: ports.map((port) => view(call, port, tags.get(port.id) ?? null)),
  });
}

export async function show(call: ComputeCall): Promise<Reply> {
  const server = await serverOf(call, 'os-attach-interfaces:show');
  return showInterface(call, server, call.params['id']!);
}

async function showInterface(call: ComputeCall, server: Server, portId: string): Promise<Reply> {
  const port = (await attachedPorts(call, [server.uuid])).find(({ id }) => id === portId);
  if (!port) throw notFound(portNotFound(portId));
  return ok({
    interfaceAttachment: view(call, port, (await tagsOf(call, server)).get(portId) ?? null),
  });
}

interface CreateBody {
  interfaceAttachment?: {
    net_id?: string;
    port_id?: string;
    fixed_ips?: { ip_address: string }[];
    tag?: string;
  };
}

export async function create(call: ComputeCall): Promise<Reply> {
  const projectId = call.actor.projectId ?? '';
  const server = await serverOf(call, 'os-attach-interfaces:create');
  const requested = readRequest(call.body as CreateBody | null);
  const vmStates = ['active', 'paused', 'stopped'];
  requireState(call, server, {
    action: 'attach_interface',
    vmStates,
    taskStates: idle,
    onHost: 'last',
  });
  const networks = await planNetworks(call, projectId, requested).catch((error: unknown) => {
    throw attachError(error);
  });
  if (!networks.length)
    throw badRequest(
      `No specific network was requested and none are available for project '${projectId}'.`,
    );
  await claimForPorts(call, server, networks);
  const portId = await attachPorts(call, server, networks);
  if (!call.guest)
    await recordDeviceChange(call, server, 'attach_interface', 'compute_attach_interface');
  return showInterface(call, server, portId!);
}

/**
 * The requested network or port. An empty body requests the project's only network.
 * @throws 400
 */
function readRequest(body: CreateBody | null): NetworkRequests {
  const {
    net_id: networkId,
    port_id: portId,
    fixed_ips: ips,
    tag,
  } = body?.interfaceAttachment ?? {};
  const fixedIp = ips?.[0]?.ip_address;
  if (networkId !== undefined && portId !== undefined)
    throw badRequest('Must not input both network_id and port_id');
  if (fixedIp !== undefined && networkId === undefined)
    throw badRequest('Must input network_id when request IP address');
  if (networkId === undefined && portId === undefined) return undefined;
  return [
    {
      ...(networkId === undefined ? {} : { networkId }),
      ...(portId === undefined ? {} : { portId }),
      ...(fixedIp === undefined ? {} : { fixedIp }),
      ...(tag === undefined ? {} : { tag }),
    },
  ];
}

/** The error for an unusable network: some statuses differ from those of POST /servers. */
function attachError(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const type = networkErrorType(error);
  if (type === 'PortNotFound' || type === 'NetworkNotFound') return notFound(error.message);
  if (type === 'FixedIpAlreadyInUse') return conflict(error.message);
  return type === 'NetworkAmbiguous'
    ? badRequest(
        'More than one possible network found. Specify network ID(s) to select which one(s) to ' +
          'connect to.',
      )
    : error;
}

export async function remove(call: ComputeCall): Promise<Reply> {
  const server = await serverOf(call, 'os-attach-interfaces:delete');
  const vmStates = ['active', 'paused', 'stopped'];
  requireState(call, server, { action: 'detach_interface', vmStates, taskStates: idle });
  const portId = call.params['id']!;
  const ports = await attachedPorts(call, [server.uuid]);
  if (!ports.some(({ id }) => id === portId)) throw notFound(portNotFound(portId));
  await detachPorts(call, server.uuid, portId);
  if (!call.guest)
    await recordDeviceChange(call, server, 'detach_interface', 'compute_detach_interface');
  return accepted();
}
