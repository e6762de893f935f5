// Makes leases.
import type { Json, RegionClient } from '../client.ts';
import { leaseDates } from '../lease-dates.ts';
import type { LeaseEntry } from '../model.ts';
import { each, given, type At } from './model.ts';

export const makeLeases = (
  region: RegionClient,
  entries: readonly LeaseEntry[],
  at: At,
): Promise<number> =>
  each(entries, at, async (lease) => {
    const { name, project } = lease;
    const clock = await region.client.ask('GET', '/_emulator/clock');
    const dates = leaseDates(lease, Date.parse(String(clock['now'])));
    await region.ask('POST', '/reservation/v1/leases', {
      project,
      body: {
        name,
        ...dates,
        reservations: reservationsOf(lease),
        events: [],
      },
    });
  });

function reservationsOf({ hosts, instances }: LeaseEntry): readonly Json[] {
  const {
    min,
    max,
    properties = '',
  } = typeof hosts === 'number' ? { min: hosts, max: hosts } : (hosts ?? { min: 0, max: 0 });
  const ofHosts = {
    resource_type: 'physical:host',
    min,
    max,
    hypervisor_properties: '',
    resource_properties: properties,
  };
  return [
    ...(hosts === undefined ? [] : [ofHosts]),
    ...(instances
      ? [
          given({
            resource_type: 'virtual:instance',
            disk_gb: 0,
            affinity: null,
            resource_properties: '',
            ...instances,
          }),
        ]
      : []),
  ];
}
