// The leases that the benchmarks create, each for five days.

/** In milliseconds. */
const day = 86_400_000;

/** When the first lease starts. */
const firstStart = Date.parse('2050-01-01T00:00:00Z');

const date = (time: number): string => new Date(time).toISOString().slice(0, 16).replace('T', ' ');

/** What a lease reserves: a host, or four instances. */
export const reservations = {
  'physical:host': { min: 1, max: 1, hypervisor_properties: '', resource_properties: '' },
  'virtual:instance': {
    vcpus: 1,
    memory_mb: 1024,
    disk_gb: 5,
    amount: 4,
    affinity: null,
    resource_properties: '',
  },
};

/** The body of a request for a lease that starts some days after the first one. */
export function leaseRequest(
  name: string,
  daysLater: number,
  resourceType: keyof typeof reservations,
): object {
  const start = firstStart + daysLater * day;
  return {
    name,
    start_date: date(start),
    end_date: date(start + 5 * day),
    reservations: [{ resource_type: resourceType, ...reservations[resourceType] }],
  };
}
