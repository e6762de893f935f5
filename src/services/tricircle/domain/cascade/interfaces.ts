// Keeps the interfaces and the routes of a router in a pod like those of the central router. A pod
// has the interfaces on those subnets that it has.
import { ApiError } from '../../../../kernel/errors.ts';
import {
  changeInterface,
  listRecords,
  readRecord,
  updateRecord,
  type NetworkRecord,
} from '../../clients/network.ts';
import type { Carrying } from './carrying.ts';
import { fixedIpsOf } from './kinds.ts';

const owner: readonly [string, string] = ['device_owner', 'network:router_interface'];

/** The ports of a router's interfaces, in the central region or in a pod. */
const interfacesOf = (
  { context, pod }: Carrying,
  place: 'centre' | 'pod',
  routerId: string,
): Promise<readonly NetworkRecord[]> =>
  listRecords(context, place === 'pod' ? pod : 'centre', 'port', [owner, ['device_id', routerId]]);

/** Attaches and detaches interfaces of a router in the pod, and sets its routes. */
export async function syncInterfaces(
  carrier: Carrying,
  central: NetworkRecord,
  routerId: string,
): Promise<void> {
  const { context, pod } = carrier;
  const all = await interfacesOf(carrier, 'centre', central.id);
  const reachable: NetworkRecord[] = [];
  for (const port of all) if (await isReachable(carrier, port)) reachable.push(port);
  const carried = new Set<string | undefined>();
  for (const { id } of reachable) carried.add(await carrier.find({ type: 'port', id }));
  const current = new Set((await interfacesOf(carrier, 'pod', routerId)).map(({ id }) => id));
  const surplus = [...current].filter((id) => !carried.has(id));
  const inPod = await readRecord(context, pod, 'router', routerId);
  // A route over a subnet keeps its interface, so routes go first and come last.
  const routes = reachable.length === all.length ? (central['routes'] as readonly object[]) : [];
  const isChanged = JSON.stringify(routes) !== JSON.stringify(inPod?.['routes'] ?? []);
  if (isChanged && surplus.length)
    await updateRecord(context, pod, 'router', routerId, { routes: [] });
  // A new interface may have the address of one that is gone, so that one is detached first.
  for (const id of surplus) await changeInterface(context, pod, routerId, 'remove', id);
  await carrier.forgetInPod('port', surplus);
  for (const port of reachable) {
    const id = await carrier.ensure({ type: 'port', id: port.id });
    if (!current.has(id)) await addInterface(carrier, routerId, id);
  }
  if (isChanged) await updateRecord(context, pod, 'router', routerId, { routes });
}

/** Attaches an interface, unless another process has just attached it. @throws ApiError */
async function addInterface(carrier: Carrying, routerId: string, portId: string): Promise<void> {
  const { context, pod } = carrier;
  try {
    await changeInterface(context, pod, routerId, 'add', portId);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    const current = await interfacesOf(carrier, 'pod', routerId);
    if (!current.some(({ id }) => id === portId)) throw error;
  }
}

/** Whether the pod has a subnet of a port. */
async function isReachable(carrier: Carrying, port: NetworkRecord): Promise<boolean> {
  for (const { subnet_id: id } of fixedIpsOf(port))
    if ((await carrier.find({ type: 'subnet', id })) !== undefined) return true;
  return false;
}

/** Brings the routers of a subnet that the pod has just got. */
export async function syncRoutersOf(carrier: Carrying, subnet: NetworkRecord): Promise<void> {
  const ports = await listRecords(carrier.context, 'centre', 'port', [
    owner,
    ['network_id', subnet['network_id'] as string],
  ]);
  const onSubnet = ports.filter((port) =>
    fixedIpsOf(port).some(({ subnet_id: id }) => id === subnet.id),
  );
  for (const id of new Set(onSubnet.map((port) => port['device_id'] as string)))
    await carrier.sync({ type: 'router', id });
}

/** Detaches all interfaces of a router in the pod, which Neutron requires before it is deleted. */
export async function clearRouter(carrier: Carrying, routerId: string): Promise<void> {
  const { context, pod } = carrier;
  if (!(await readRecord(context, pod, 'router', routerId))) return;
  await updateRecord(context, pod, 'router', routerId, { routes: [] });
  const ports = (await interfacesOf(carrier, 'pod', routerId)).map(({ id }) => id);
  for (const id of ports) await changeInterface(context, pod, routerId, 'remove', id);
  await carrier.forgetInPod('port', ports);
}
