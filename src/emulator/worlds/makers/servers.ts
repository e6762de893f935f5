// Makes server groups and servers.
import { ApiError } from '../../../kernel/errors.ts';
import { idIn, partOf, type Json, type RegionClient } from '../client.ts';
import type { ServerEntry, ServerGroupEntry } from '../model.ts';
import { each, given, textsOf, type At } from './model.ts';

const newest = 'compute 2.96';

export const makeServerGroups = (
  region: RegionClient,
  entries: readonly ServerGroupEntry[],
  at: At,
): Promise<number> =>
  each(entries, at, async ({ name, policy, max_per_host: max, project }) => {
    const rules = max === undefined ? undefined : { max_server_per_host: max };
    const group = given({ name, policy, rules });
    const reply = await region.ask('POST', '/compute/v2.1/os-server-groups', {
      version: newest,
      body: { server_group: group },
      project,
    });
    region.remember('server_group', name, idIn(reply, 'server_group'));
  });

/** Makes servers: a number of equal ones, or those of a list. */
export async function makeServers(
  region: RegionClient,
  servers: number | readonly ServerEntry[],
  at: At,
): Promise<number> {
  if (typeof servers === 'number') {
    if (servers > 0) await at([], () => makeEntry(region, { name: 'server', count: servers }));
    return servers;
  }
  await each(servers, at, (entry) => makeEntry(region, entry));
  return servers.reduce((sum, { count = 1 }) => sum + count, 0);
}

/** How many servers one request creates. */
const batch = 1000;

async function makeEntry(region: RegionClient, entry: ServerEntry): Promise<void> {
  for (const server of await createServers(region, entry)) {
    region.remember('server', String(server['name']), String(server['id']));
    if (server['status'] === 'ERROR') {
      const reason = partOf(server, 'fault')['message'];
      throw new ApiError(400, `server ${String(server['name'])}: ${String(reason)}`);
    }
    if (!entry.stopped) continue;
    const action = `/compute/v2.1/servers/${String(server['id'])}/action`;
    await region.ask('POST', action, { body: { 'os-stop': null }, project: entry.project });
  }
}

/** Creates the servers of an entry. @returns them as the list shows them, in ERROR if one failed */
export async function createServers(
  region: RegionClient,
  entry: ServerEntry,
): Promise<readonly Json[]> {
  const { name, count } = entry;
  const fields = await fieldsOf(region, entry);
  if (count === undefined) {
    const id = idIn(await createFrom(region, entry, { ...fields, name }), 'server');
    const path = `/compute/v2.1/servers/${id}`;
    const reply = await region.ask('GET', path, { version: newest, project: entry.project });
    return [reply['server'] as Json];
  }
  const reservations: string[] = [];
  const batches = count <= batch ? [count] : batchesOf(count);
  for (const [index, size] of batches.entries()) {
    // Nova itself numbers the servers of a request for several.
    const suffix = batches.length > 1 ? `-${index + 1}` : count === 1 ? '-1' : '';
    const server = {
      ...fields,
      name: `${name}${suffix}`,
      min_count: size,
      max_count: size,
      return_reservation_id: true,
    };
    const reply = await createFrom(region, entry, server);
    reservations.push(String(reply['reservation_id']));
  }
  const made: Json[] = [];
  for (const reservation of reservations) {
    const path = `/compute/v2.1/servers/detail?reservation_id=${reservation}`;
    const { servers } = await region.ask('GET', path, { version: newest, project: entry.project });
    made.push(...(servers as readonly Json[]));
  }
  return made;
}

/** Sends the request that creates the servers of an entry. */
async function createFrom(region: RegionClient, entry: ServerEntry, server: Json): Promise<Json> {
  const body = given({ server, 'os:scheduler_hints': await hintsOf(region, entry) });
  const { project } = entry;
  return region.ask('POST', '/compute/v2.1/servers', { version: newest, body, project });
}

const batchesOf = (count: number): readonly number[] =>
  Array.from({ length: Math.ceil(count / batch) }, (_, at) => Math.min(batch, count - at * batch));

async function fieldsOf(region: RegionClient, entry: ServerEntry): Promise<Json> {
  const { flavor = 'm1.tiny', image, network, host, zone, metadata } = entry;
  const images = image === undefined ? await region.listOf('image') : [];
  if (image === undefined && !images.length)
    throw new ApiError(400, `${region.name} has no image to boot from: name one in 'images'.`);
  return given({
    flavorRef: await region.idOf('flavor', flavor),
    imageRef: image === undefined ? images.at(-1)!['id'] : await region.idOf('image', image),
    networks: await networksOf(region, network),
    host,
    availability_zone: zone,
    metadata: metadata && textsOf(metadata),
  });
}

/**
 * The networks of a server: the named one, where `none` means no network; by default `private` if
 * the region has it.
 */
export async function networksOf(
  region: RegionClient,
  network: string | undefined,
): Promise<'none' | readonly { readonly uuid: string }[]> {
  if (network === 'none') return 'none';
  if (network !== undefined) return [{ uuid: await region.idOf('network', network) }];
  const usual = (await region.listOf('network')).find(({ name }) => name === 'private');
  return usual ? [{ uuid: String(usual['id']) }] : 'none';
}

async function hintsOf(region: RegionClient, { group }: ServerEntry): Promise<Json | undefined> {
  return group === undefined ? undefined : { group: await region.idOf('server_group', group) };
}
