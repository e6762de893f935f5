// Hosts of Compute, which may come and go while the emulator runs.
import { emulatedNow } from '../../../kernel/clock.ts';
import { transact } from '../../../kernel/db/transaction.ts';
import { created, noContent, ok, type Call, type Reply } from '../../../kernel/http/reply.ts';
import { badRequest, notFound } from '../../../kernel/fault.ts';
import type { Region } from '../../../kernel/model.ts';
import { addHost, findHost, listHosts, readHost, removeHost, type ComputeHost } from '../../compute/index.ts';

/** The region that is asked for, or the first. @throws 400 */
function regionOf({ cloud }: Call, name: string | undefined): Region {
  const region = name === undefined ? cloud.firstRegion : cloud.regions.get(name);
  if (!region) throw badRequest(`There is no region '${name}'. Regions: ${[...cloud.regions.keys()].join(', ')}.`);
  return region;
}

const now = async ({ cloud }: Call): Promise<number> => emulatedNow((await cloud.shared.look()).clock);

const view = ({ uuid, name, vcpus, memoryMb, diskGb, service }: ComputeHost): object => ({
  uuid,
  name,
  vcpus,
  memory_mb: memoryMb,
  disk_gb: diskGb,
  enabled: !service.disabled,
  up: !service.forcedDown,
});

export async function list(call: Call): Promise<Reply> {
  const { db } = regionOf(call, call.query.last('region')).database;
  return ok({ hosts: (await listHosts(db)).map(view) });
}

/** Adds a host. What is not said is as in `--hosts`. */
export async function create(call: Call): Promise<Reply> {
  const { region: name, ...description } = call.body as { region?: string; name: string };
  const region = regionOf(call, name);
  const profile = readHost(description);
  const time = await now(call);
  const host = await transact(region.database.db, (db) => addHost(db, region.name, profile, time));
  return created(view(host));
}

/** Removes a host that no server is on. */
export async function remove(call: Call): Promise<Reply> {
  const region = regionOf(call, call.query.last('region'));
  const name = call.params['name']!;
  const time = await now(call);
  await transact(region.database.db, async (db) => {
    const host = await findHost(db, name);
    if (!host) throw notFound(`There is no host '${name}' in ${region.name}.`);
    await removeHost(db, host, time);
  });
  return noContent();
}
