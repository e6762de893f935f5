// Captures what only the agents of hosts know: the physical networks that the hosts are connected
// to, and the bandwidths and packet rates that the agents report to Placement.
import type { CaptureSource, Json } from '../../../emulator/capture/model.ts';
import type { Context } from '../../../kernel/model.ts';
import { tunnelDevice } from './agents/providers.ts';
import { bridgeOf, networkSettings } from './settings.ts';

const objectIn = (from: Json, name: string): Json => {
  const value = from[name];
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Json)
    : {};
};

/** The rates of an agent by direction. Directions without a rate have none. */
const ratesIn = (rates: Json): Json =>
  Object.fromEntries(
    Object.entries(rates).filter(([, rate]) => Number.isInteger(rate) && Number(rate) > 0),
  );

const hasFields = (one: Json): boolean => Object.keys(one).length > 0;

/** Captures the settings of the Open vSwitch agents. */
export async function captureAgents({ db }: Context, source: CaptureSource): Promise<void> {
  const path = `/v2.0/agents?agent_type=${encodeURIComponent('Open vSwitch agent')}`;
  const physical_networks: Record<string, readonly string[]> = {};
  const resource_provider_bandwidths: Record<string, Json> = {};
  const resource_provider_packet_processing: Record<string, Json> = {};
  const defaults: Record<string, Json> = {};
  for (const { host: name, configurations } of await source.list('network', path, 'agents')) {
    const host = String(name);
    const agent = configurations as Json;
    if (typeof agent['bridge_mappings'] === 'object' && agent['bridge_mappings'] !== null)
      physical_networks[host] = Object.keys(agent['bridge_mappings']);
    const bandwidths = bandwidthsIn(agent);
    const packets = packetRatesIn(agent);
    if (hasFields(bandwidths)) resource_provider_bandwidths[host] = bandwidths;
    if (hasFields(packets)) resource_provider_packet_processing[host] = packets;
    for (const key of ['', '_packet_processing'].map(
      (kind) => `resource_provider${kind}_inventory_defaults`,
    ))
      if (hasFields(objectIn(agent, key))) defaults[key] ??= objectIn(agent, key);
  }
  const reported = { resource_provider_bandwidths, resource_provider_packet_processing };
  await networkSettings.change(db, {
    physical_networks,
    ...(networkSettings.check({ ...reported, ...defaults }) ? {} : { ...reported, ...defaults }),
  });
}

/** The bandwidths of an agent by bridge, under the names that bridges have here. */
function bandwidthsIn(agent: Json): Json {
  const bridges = new Map([
    ...Object.entries(objectIn(agent, 'bridge_mappings')).map(
      ([physical, bridge]) => [String(bridge), bridgeOf(physical)] as const,
    ),
    [tunnelDevice, tunnelDevice] as const,
  ]);
  const found = objectIn(agent, 'resource_provider_bandwidths');
  return Object.fromEntries(
    Object.keys(found)
      .filter((device) => bridges.has(device))
      .map((device) => [bridges.get(device)!, ratesIn(objectIn(found, device))] as const)
      .filter(([, rates]) => hasFields(rates)),
  );
}

/** The packet rates of an agent: of the only hypervisor that it reports. */
function packetRatesIn(agent: Json): Json {
  const [found = {}] = ['without_direction', 'with_direction'].flatMap((kind) =>
    Object.values(objectIn(agent, `resource_provider_packet_processing_${kind}`)),
  );
  return ratesIn(found as Json);
}
