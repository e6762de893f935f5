// Handlers of /_emulator/regions: list, add, fork and drop regions.
import { notFound } from '../../kernel/errors.ts';
import { noContent, ok, reply } from '../../kernel/http/reply.ts';
import { closeRegion, dropUnfinished, openRegion } from './regions.ts';
import { regionNamed, syncRegions } from '../../kernel/regions.ts';
import type { Call, Cloud, Region, Reply } from '../../kernel/model.ts';

/** The name of a region, the path prefix of its services, and whether it is the central region. */
const view = ({ firstRegion }: Cloud, region: Region): object => ({
  name: region.name,
  path: region.id === firstRegion.id ? '' : `/${region.name}`,
  central: region.isCentral,
});

/** GET /_emulator/regions: in the order in which they were added. */
export async function list({ cloud }: Call): Promise<Reply> {
  await syncRegions(cloud);
  return ok({ regions: [...cloud.regions.values()].map((region) => view(cloud, region)) });
}

/** GET /_emulator/regions/:name @throws 404 */
export async function show({ cloud, params }: Call): Promise<Reply> {
  await syncRegions(cloud);
  return ok({ region: view(cloud, find(cloud, params['name']!)) });
}

/**
 * POST /_emulator/regions: adds a region. With `from`, it starts with a copy of that region's data.
 * @throws 400, 409
 */
export async function create({ cloud, body }: Call): Promise<Reply> {
  const { name, from } = body as { name: string; from?: string };
  await syncRegions(cloud);
  const region = await openRegion(cloud, name, {
    from: from === undefined ? undefined : regionNamed(cloud, from),
  });
  return reply(201, { region: view(cloud, region) });
}

/**
 * DELETE /_emulator/regions/:name: drops a region with all its data.
 * @throws 400 for the first region; 404
 */
export async function remove({ cloud, params }: Call): Promise<Reply> {
  const name = params['name']!;
  await syncRegions(cloud);
  if (cloud.regions.has(name)) await closeRegion(cloud, find(cloud, name), { drop: true });
  else if (!(await dropUnfinished(cloud, name))) throw unknownRegion(cloud, name);
  return noContent();
}

function find(cloud: Cloud, name: string): Region {
  const region = cloud.regions.get(name);
  if (!region) throw unknownRegion(cloud, name);
  return region;
}

const unknownRegion = ({ regions }: Cloud, name: string) =>
  notFound(`There is no region '${name}'. Regions: ${[...regions.keys()].join(', ')}.`);
