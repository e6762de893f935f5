// A cloud with rows in almost every table, made with the sample requests of all services, and the
// requests that read all of it.
import type { Service } from '../../../src/kernel/model.ts';
import type { World } from '../../support/cloud.ts';
import { rawClient, type Client, type Raw } from '../../support/raw.ts';
import { fill, sampled, type Sample } from '../../contract/samples/index.ts';

/** A request that reads something. */
export interface Read {
  readonly service: string;
  readonly version: string;
  readonly path: string;
}

/** Sends the sample requests that create or change something, and collects those that read. */
export async function fillCloud(world: World): Promise<{ client: Client; reads: Read[] }> {
  const client = rawClient(world.server);
  const reads: Read[] = [];
  // Hosts can only be reserved while they have no servers.
  const [reservation, others] = [true, false].map((is) =>
    sampled.filter(({ service }) => (service === 'reservation') === is),
  );
  for (const { service: name, prepare } of [...reservation!, ...others!]) {
    if (name === 'emulator') continue;
    const service = world.cloud.services.find(({ definition }) => definition.name === name)!;
    const { samples } = await prepare(client);
    const version = service.definition.versions.max.name;
    for (const { method, path, id } of operationsOf(service)) {
      if (method === 'DELETE' || method === 'HEAD') continue;
      // Some samples need a token of Keystone, or what another sample has just deleted.
      const sample = await Promise.resolve(samples[id]?.(version)).catch(() => undefined);
      if (!sample) continue;
      const url = urlOf(service, path, sample);
      if (method === 'GET') reads.push({ service: name, version, path: url });
      else await client.ask(name, method, url, { version, ...sample });
    }
  }
  return { client, reads };
}

function operationsOf({ definition, contract }: Service) {
  const { routes, versions } = definition;
  return routes.flatMap(({ method, path }, index) => {
    const isFirst = routes.findIndex((one) => one.method === method && one.path === path) === index;
    try {
      const { id } = contract.operation(method, path, versions.max);
      return isFirst ? [{ method, path, id }] : [];
    } catch {
      return []; // it does not exist any more at the newest version
    }
  });
}

const urlOf = ({ definition }: Service, path: string, { params, query }: Sample): string =>
  `${definition.prefix}${fill(path, params)}${query ? `?${query}` : ''}`;

/** Sends a request that reads. */
export const read = (client: Client, { service, version, path }: Read): Promise<Raw> =>
  client.ask(service, 'GET', path, { version });
