// Sets the quotas of projects in a region.
import type { RegionClient } from '../client.ts';
import type { RegionSections } from '../model.ts';
import type { At } from './model.ts';

/** Where a project's quotas are, and what their fields are called. */
const quotas: Readonly<Record<string, (project: string) => readonly [path: string, key: string]>> =
  {
    compute: (project) => [`/compute/v2.1/os-quota-sets/${project}`, 'quota_set'],
    network: (project) => [`/network/v2.0/quotas/${project}`, 'quota'],
    volume: (project) => [`/volume/v3/os-quota-sets/${project}`, 'quota_set'],
  };

export async function makeQuotas(
  region: RegionClient,
  section: NonNullable<RegionSections['quotas']>,
  at: At,
): Promise<number> {
  for (const [project, services] of Object.entries(section))
    for (const [service, limits] of Object.entries(services))
      await at([project, service], async () => {
        const [path, key] = quotas[service]!(await region.client.projectId(project));
        await region.ask('PUT', path, { body: { [key]: limits } });
      });
  return Object.keys(section).length;
}
