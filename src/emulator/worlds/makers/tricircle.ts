// Makes the pods of Tricircle, and the bindings of projects to them.
import { idIn, type Json, type WorldClient } from '../client.ts';
import type { World } from '../model.ts';
import { each, given, type CloudMaker } from './model.ts';

const root = '/tricircle/v1.0';

/** @param central the name of the central region, if the cloud has one */
export const podMaker = (central: string | undefined): CloudMaker => ({
  section: 'pods',
  make: async (client, { pods = [] }, at) => {
    if (central !== undefined && pods.length) {
      await client.ask('POST', `${root}/pods`, {
        body: { pod: { region_name: central, az_name: '' } },
      });
      await limitCatalogs(client, central);
    }
    return each(pods, at, async (entry) => {
      const { region, zone, pod_zone: podZone = 'nova', data_center: dc, tags, ...rest } = entry;
      const pod = given({
        region_name: region,
        az_name: zone,
        pod_az_name: podZone,
        dc_name: dc,
        resource_affinity_tag: tags,
        weight: rest.weight,
        is_under_maintenance: rest.maintenance,
        threshold_percent: rest.threshold_percent,
      });
      await client.ask('POST', `${root}/pods`, { body: { pod } });
    });
  },
});

/**
 * Limits the catalogs of all projects but `admin` and `service` to the central region, with an
 * endpoint group that projects which are created later also get.
 */
async function limitCatalogs(client: WorldClient, central: string): Promise<void> {
  const groups = '/identity/v3/OS-EP-FILTER/endpoint_groups';
  const group = {
    name: central,
    description: `The endpoints of ${central}, which are all that tenants see.`,
    filters: { region_id: central },
  };
  const id = idIn(
    await client.ask('POST', groups, { body: { endpoint_group: group } }),
    'endpoint_group',
  );
  await client.ask('PUT', '/_emulator/identity/settings', { body: { default_endpoint_group: id } });
  const { projects } = (await client.ask('GET', '/identity/v3/projects')) as { projects: Json[] };
  for (const { id: project, name } of projects)
    if (name !== 'admin' && name !== 'service')
      await client.ask('PUT', `${groups}/${id}/projects/${String(project)}`);
}

export const bindingMaker: CloudMaker = {
  section: 'bindings',
  make: async (client, { bindings = [] }: World, at) => {
    if (!bindings.length) return 0;
    const { pods } = (await client.ask('GET', `${root}/pods`)) as { pods: readonly Json[] };
    return each(bindings, at, async ({ project, pod }) => {
      const id = pods.find((one) => one['region_name'] === pod)?.['pod_id'] ?? pod;
      const binding = { tenant_id: await client.projectId(project), pod_id: id };
      await client.ask('POST', `${root}/bindings`, { body: { pod_binding: binding } });
    });
  },
};
