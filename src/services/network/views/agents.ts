// The view of an agent.
import { isoSeconds, type Micros } from '../../../kernel/clock.ts';
import type { LoadedAgent } from '../domain/agents/agents.ts';
import { ratesOf } from '../domain/agents/providers.ts';
import { bridgeOf, physicalNetworksOf, type NetworkSettings } from '../domain/settings.ts';
import type { AgentType } from '../model.ts';
import type { View } from './view.ts';

/** The properties that all agents of a type share. */
interface Facts {
  readonly binary: string;
  readonly topic: string;
  readonly zone: string | null;
  readonly configurations: (loaded: LoadedAgent) => View;
}

const facts: Readonly<Record<AgentType, Facts>> = {
  'DHCP agent': {
    binary: 'neutron-dhcp-agent',
    topic: 'dhcp_agent',
    zone: 'nova',
    configurations: ({ load: networks, settings }) => ({
      dhcp_driver: 'neutron.agent.linux.dhcp.Dnsmasq',
      dhcp_lease_duration: settings.dhcpLeaseDuration,
      networks,
    }),
  },
  'L3 agent': {
    binary: 'neutron-l3-agent',
    topic: 'l3_agent',
    zone: 'nova',
    configurations: ({ load: routers }) => ({
      agent_mode: 'legacy',
      handle_internal_only_routers: true,
      routers,
    }),
  },
  'Open vSwitch agent': {
    binary: 'neutron-openvswitch-agent',
    topic: 'N/A',
    zone: null,
    configurations: ({ agent: { host }, settings }) => ({
      bridge_mappings: Object.fromEntries(
        physicalNetworksOf(settings.physicalNetworks, host).map((name) => [name, bridgeOf(name)]),
      ),
      tunnel_types: ['geneve'],
      datapath_type: 'system',
      ...resourcesView(host, settings),
    }),
  },
};

/** What an agent reports to Placement, as upstream's agents put it. */
function resourcesView(host: string, settings: NetworkSettings): View {
  const { bandwidths, packetRates } = ratesOf(settings, host);
  const devices = Object.keys(bandwidths);
  const hasDirections = 'egress' in packetRates || 'ingress' in packetRates;
  const byHost = (isShown: boolean): View => (isShown ? { [host]: packetRates } : {});
  return {
    resource_provider_bandwidths: Object.fromEntries(
      Object.entries(bandwidths).map(([device, { egress = null, ingress = null }]) => [
        device,
        { egress, ingress },
      ]),
    ),
    resource_provider_inventory_defaults: settings.resourceProviderInventoryDefaults,
    resource_provider_packet_processing_without_direction: byHost('any' in packetRates),
    resource_provider_packet_processing_with_direction: byHost(hasDirections),
    resource_provider_packet_processing_inventory_defaults:
      settings.resourceProviderPacketProcessingInventoryDefaults,
    resource_provider_hypervisors: Object.fromEntries(devices.map((device) => [device, host])),
  };
}

/** Formats a time; times of agents have neither `T` nor `Z`. */
const timeView = (time: Micros): string => isoSeconds(time).replace('T', ' ').replace('Z', '');

/** An agent is always alive, so its last heartbeat is now. */
export function agentView(loaded: LoadedAgent, now: Micros): View {
  const { agent, isSynced } = loaded;
  const { binary, topic, zone, configurations } = facts[agent.type];
  return {
    id: agent.id,
    agent_type: agent.type,
    binary,
    topic,
    host: agent.host,
    admin_state_up: agent.up,
    created_at: timeView(agent.startedAt),
    started_at: timeView(agent.startedAt),
    heartbeat_timestamp: timeView(now),
    alive: true,
    configurations: configurations(loaded),
    description: agent.description,
    availability_zone: zone,
    resources_synced: isSynced,
  };
}
