// Sets what only an emulator has: settings of services, fault rules, and the clock.
import type { RegionClient } from '../client.ts';
import { each, type CloudMaker } from './model.ts';

export const settingsMaker: CloudMaker = {
  section: 'settings',
  make: async (client, { settings = {} }, at) => {
    for (const [service, values] of Object.entries(settings))
      await at([service], () =>
        client.ask('PUT', `/_emulator/${service}/settings`, { body: values }),
      );
    return Object.keys(settings).length;
  },
};

export const clockMaker: CloudMaker = {
  section: 'clock',
  make: async (client, { clock }, at) => {
    if (clock === undefined) return 0;
    const body = { frozen: true, now: clock };
    await at([], () => client.ask('PUT', '/_emulator/clock', { body }));
    return 1;
  },
};

export const faultMaker: CloudMaker = {
  section: 'faults',
  make: (client, { faults = [] }, at) =>
    each(faults, at, ({ scenario, ...rule }) =>
      typeof scenario === 'string'
        ? client.ask('POST', `/_emulator/fault-scenarios/${encodeURIComponent(scenario)}`)
        : client.ask('POST', '/_emulator/faults', { body: rule }),
    ),
};

/** Removes what a cloud has by default in a region: flavors, the image, and networks. */
export async function removeDefaults(region: RegionClient): Promise<void> {
  for (const { id } of await region.listOf('flavor'))
    await region.ask('DELETE', `/compute/v2.1/flavors/${String(id)}`);
  for (const { id } of await region.listOf('image'))
    await region.ask('DELETE', `/image/v2/images/${String(id)}`);
  for (const router of await region.listOf('router'))
    await removeRouter(region, String(router['id']));
  for (const { id } of await region.listOf('network'))
    await region.ask('DELETE', `/network/v2.0/networks/${String(id)}`);
}

async function removeRouter(region: RegionClient, id: string): Promise<void> {
  const path = `/network/v2.0/routers/${id}`;
  const owner = `?device_owner=network:router_interface&device_id=${id}`;
  const { ports } = (await region.ask('GET', `/network/v2.0/ports${owner}`)) as {
    ports: readonly { readonly id: string }[];
  };
  for (const port of ports)
    await region.ask('PUT', `${path}/remove_router_interface`, { body: { port_id: port.id } });
  await region.ask('DELETE', path);
}

/** Removes the project and the user that a cloud has by default besides those of the admin. */
export const removeDemo: CloudMaker = {
  section: 'defaults',
  make: async (client, { defaults }) => {
    if (defaults !== false) return 0;
    for (const kind of ['users', 'projects'] as const)
      await client.ask('DELETE', `/identity/v3/${kind}/${await client.identityId(kind, 'demo')}`);
    return 0;
  },
};
