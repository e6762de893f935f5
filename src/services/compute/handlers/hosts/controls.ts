// Compute's part of the emulator's own API: adds and removes hosts while the emulator runs.
import { emulatedNow } from '../../../../kernel/clock.ts';
import { acquireLock, transact } from '../../../../kernel/db/transaction.ts';
import { notFound } from '../../../../kernel/errors.ts';
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import type { Call, Cloud, Region, Reply, Context } from '../../../../kernel/model.ts';
import { regionNamed } from '../../../../kernel/regions.ts';
import { systemContext } from '../../../../kernel/context.ts';
import { addHosts, operatorLock, readHost, removeHost } from '../../domain/hosts/hosts.ts';
import { findComputeHost, listComputeHosts } from '../../store/hosts/hosts.ts';
import type { ComputeHost } from '../../model.ts';

const view = ({ uuid, name, vcpus, memoryMb, diskGb, service }: ComputeHost): object => ({
  uuid,
  name,
  vcpus,
  memory_mb: memoryMb,
  disk_gb: diskGb,
  enabled: !service.disabled,
  up: !service.forcedDown,
});

/** Runs an operation in a region on the cloud's behalf: the emulator's API has no caller. */
async function inRegion<T>(
  cloud: Cloud,
  region: Region,
  run: (context: Context) => Promise<T>,
): Promise<T> {
  const now = emulatedNow((await cloud.sharedState.read()).clock);
  return transact(region.database.db, async (db, attempt) => {
    await acquireLock(db, operatorLock); // hosts, services and aggregates depend on each other
    return run(systemContext(cloud, region, db, now, attempt));
  });
}

/** GET /_emulator/hosts */
export async function list(call: Call): Promise<Reply> {
  const { db } = regionNamed(call.cloud, call.query.last('region')).database;
  return ok({ hosts: (await listComputeHosts(db)).map(view) });
}

/** POST /_emulator/hosts: adds a host. Missing fields default as in `--hosts`. @throws 400, 409 */
export async function create(call: Call): Promise<Reply> {
  const { region: name, ...description } = call.body as { region?: string; name: string };
  const region = regionNamed(call.cloud, name);
  const [host] = await addHostsTo(call.cloud, region, [description]);
  return created(view(host!));
}

/**
 * Adds hosts to a region, all of them or none. Missing fields default as in `--hosts`.
 * @throws 400, 409
 */
export function addHostsTo(
  cloud: Cloud,
  region: Region,
  descriptions: readonly unknown[],
): Promise<readonly ComputeHost[]> {
  const profiles = descriptions.map(readHost);
  return inRegion(cloud, region, (context) => addHosts(context, profiles));
}

/** DELETE /_emulator/hosts/{name}: removes a host without servers. @throws 404, 409 */
export async function remove(call: Call): Promise<Reply> {
  const region = regionNamed(call.cloud, call.query.last('region'));
  const name = call.params['name']!;
  await inRegion(call.cloud, region, async (context) => {
    const host = await findComputeHost(context.db, { name });
    if (!host) throw notFound(`There is no host '${name}' in ${region.name}.`);
    await removeHost(context, host);
  });
  return noContent();
}
