// Availability zones: which one a service is in, and which there are.
import type { ComputeService } from '../../store/hosts/services.ts';

/** That of hosts which no aggregate puts into another. */
export const defaultZone = 'nova';

/** That of the services which run no servers. */
export const internalZone = 'internal';

/** The zone of a service, by the zones that aggregates put hosts into. */
export const zoneOf = ({ binary, host }: Pick<ComputeService, 'binary' | 'host'>, zones: ReadonlyMap<string, string>): string =>
  binary === 'nova-compute' ? (zones.get(host) ?? defaultZone) : internalZone;

export interface Zone {
  readonly name: string;
  /** Whether any service in it is enabled. */
  readonly available: boolean;
  /** Its services that are enabled. */
  readonly services: readonly ComputeService[];
}

/** The zones that there are, available ones first. */
export function zonesOf(services: readonly ComputeService[], zones: ReadonlyMap<string, string>): Zone[] {
  const byName = new Map<string, ComputeService[]>();
  for (const service of services) {
    const name = zoneOf(service, zones);
    byName.set(name, [...(byName.get(name) ?? []), service]);
  }
  const all = [...byName].map(([name, members]): Zone => {
    const enabled = members.filter(({ disabled }) => !disabled);
    return { name, available: enabled.length > 0, services: enabled };
  });
  return [...all.filter(({ available }) => available), ...all.filter(({ available }) => !available)];
}
