// Groups services by availability zone.
import { defaultZone, type ComputeService } from '../../model.ts';

/** The zone of services that run no servers. */
export const internalZone = 'internal';

/** The zone of a service. `zones` are those that aggregates define, by host. */
export const zoneOf = (
  { binary, host }: Pick<ComputeService, 'binary' | 'host'>,
  zones: ReadonlyMap<string, string>,
): string => (binary === 'nova-compute' ? (zones.get(host) ?? defaultZone) : internalZone);

export interface Zone {
  readonly name: string;
  /** Whether any service in it is enabled. */
  readonly available: boolean;
  /** Its enabled services. */
  readonly services: readonly ComputeService[];
}

/** Lists all zones, available ones first. */
export function zonesOf(
  services: readonly ComputeService[],
  zones: ReadonlyMap<string, string>,
): Zone[] {
  const byName = new Map<string, ComputeService[]>();
  for (const service of services) {
    const name = zoneOf(service, zones);
    byName.set(name, [...(byName.get(name) ?? []), service]);
  }
  const all = [...byName].map(([name, members]): Zone => {
    const enabled = members.filter(({ disabled }) => !disabled);
    return { name, available: enabled.length > 0, services: enabled };
  });
  return [
    ...all.filter(({ available }) => available),
    ...all.filter(({ available }) => !available),
  ];
}
