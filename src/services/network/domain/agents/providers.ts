// The resource providers of Open vSwitch agents in Placement: below the provider of its host, each
// agent has one with packet rates, and below that one for each bridge with its bandwidths.
// Upstream: neutron/agent/common/placement_report.py and neutron/services/placement_report/.
import { tryAcquireLock } from '../../../../kernel/db/transaction.ts';
import { uuidIn } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import {
  ensureProviders,
  existingProviders,
  providersNamed,
  pruneTree,
  type InventoryBody,
  type ProviderShape,
} from '../../clients/placement.ts';
import { listAgentsOfType } from '../../store/agents.ts';
import { beingChanged } from '../../store/conflicts.ts';
import {
  guaranteeTypes,
  physicalNetworkTrait,
  resourceClassOf,
  tunnelTrait,
  vnicTypeTrait,
  type GuaranteeType,
} from '../qos/resource-requests.ts';
import {
  bridgeOf,
  networkSettings,
  physicalNetworksOf,
  type NetworkSettings,
} from '../settings.ts';

/** The namespace of the UUIDs of the driver's providers. Upstream: mech_openvswitch.py. */
const namespace = '87ee7d5c-73bb-11e8-9008-c4d987b2a692';

const agentType = 'Open vSwitch agent';

/** The name under which an agent reports the bandwidth of networks without a physical one. */
export const tunnelDevice = 'rp_tunnelled';

const vnicTypes = ['normal', 'direct', 'smart-nic', 'vdpa'].map(vnicTypeTrait);

const agentProvider = (host: string): string => uuidIn(namespace, host);
const deviceProvider = (host: string, device: string): string =>
  uuidIn(namespace, `${host}:${device}`);

/** The settings by which an agent has providers. */
export const providerSettings = [
  'physicalNetworks',
  'resourceProviderBandwidths',
  'resourceProviderInventoryDefaults',
  'resourceProviderPacketProcessing',
  'resourceProviderPacketProcessingInventoryDefaults',
] as const satisfies readonly (keyof NetworkSettings)[];

type ProviderSettings = Pick<NetworkSettings, (typeof providerSettings)[number]>;

/** The bandwidths of the devices that a host has, and its packet rates. */
export function ratesOf(settings: ProviderSettings, host: string) {
  const bandwidths = own(settings.resourceProviderBandwidths, host) ?? {};
  const physical = physicalNetworksOf(settings.physicalNetworks, host);
  const traits = new Map([
    ...physical.map((name) => [bridgeOf(name), physicalNetworkTrait(name)] as const),
    [tunnelDevice, tunnelTrait] as const,
  ]);
  return {
    traits,
    bandwidths: Object.fromEntries(
      Object.entries(bandwidths).filter(([device]) => traits.has(device)),
    ),
    packetRates: own(settings.resourceProviderPacketProcessing, host) ?? {},
  };
}

/** Whether the agent on a host has resources to report. */
export function reportsResources(settings: ProviderSettings, host: string): boolean {
  const { bandwidths, packetRates } = ratesOf(settings, host);
  return Object.keys(bandwidths).length > 0 || Object.keys(packetRates).length > 0;
}

const own = <T>(byHost: Readonly<Record<string, T>>, host: string): T | undefined =>
  Object.hasOwn(byHost, host) ? byHost[host] : undefined;

/** The providers of an agent below that of its host; none, if it has nothing to report. */
function shapesOf(settings: ProviderSettings, host: string, root: string): ProviderShape[] {
  if (!reportsResources(settings, host)) return [];
  const { bandwidths, packetRates, traits } = ratesOf(settings, host);
  const [ofBandwidth, ofPackets] = guaranteeTypes;
  const agent: ProviderShape = {
    uuid: agentProvider(host),
    name: `${host}:${agentType}`,
    parentUuid: root,
    inventories: inventoriesOf(
      ofPackets,
      packetRates,
      settings.resourceProviderPacketProcessingInventoryDefaults,
    ),
    traits: vnicTypes,
  };
  return [
    agent,
    ...Object.entries(bandwidths).map(([device, rates]) => ({
      uuid: deviceProvider(host, device),
      name: `${agent.name}:${device}`,
      parentUuid: agent.uuid,
      inventories: inventoriesOf(ofBandwidth, rates, settings.resourceProviderInventoryDefaults),
      traits: [traits.get(device)!, ...vnicTypes],
    })),
  ];
}

const inventoriesOf = (
  type: GuaranteeType,
  rates: Readonly<Record<string, number>>,
  defaults: Omit<InventoryBody, 'total'>,
): Record<string, InventoryBody> =>
  Object.fromEntries(
    Object.entries(rates).map(([direction, total]) => [
      resourceClassOf(type, direction),
      { ...defaults, total },
    ]),
  );

/**
 * Brings the providers of the agents on some hosts up to date. Those that the settings no longer
 * have are deleted, unless servers have allocations from them.
 * @throws 400, 409 if Placement refuses an inventory
 */
export async function reportProviders(context: Context, hosts: readonly string[]): Promise<void> {
  if (context.region.isCentral) return;
  const { db } = context;
  // Otherwise a host that is added while the settings change could miss the change.
  await tryAcquireLock(db, 'network.providers', () => beingChanged('agent'));
  const settings = await networkSettings.load(db);
  const existing = await existingProviders(context, hosts.map(agentProvider));
  const isConcerned = (host: string): boolean =>
    existing.has(agentProvider(host)) || reportsResources(settings, host);
  const roots = await providersNamed(context, hosts.filter(isConcerned));
  for (const [host, root] of roots) {
    const shapes = shapesOf(settings, host, root);
    await ensureProviders(context, shapes);
    await pruneTree(context, agentProvider(host), new Set(shapes.map(({ uuid }) => uuid)));
  }
}

/** Brings the providers of all agents up to date, if a setting that decides on them changes. */
export async function applyProviderSettings(
  context: Context,
  changed: ReadonlySet<string>,
): Promise<void> {
  if (!providerSettings.some((name) => changed.has(name))) return;
  const agents = await listAgentsOfType(context.db, agentType);
  await reportProviders(
    context,
    agents.map(({ host }) => host),
  );
}

/** Deletes the providers of the agent on a host that is about to be removed. */
export const removeProviders = (context: Context, host: string): Promise<void> =>
  pruneTree(context, agentProvider(host));

/** The hosts, of some, whose agents have their providers. */
export async function hostsWithProviders(
  context: Pick<Context, 'db'>,
  hosts: readonly string[],
): Promise<ReadonlySet<string>> {
  const existing = await existingProviders(context, hosts.map(agentProvider));
  return new Set(hosts.filter((host) => existing.has(agentProvider(host))));
}
