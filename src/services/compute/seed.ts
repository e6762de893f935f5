// What a new region has: flavors, the services of the control plane, and the hosts of `--hosts`.
import { readFileSync } from 'node:fs';
import { ApiError } from '../../kernel/errors.ts';
import { uuidFor } from '../../kernel/ids.ts';
import { firstFlavors } from './domain/flavors.ts';
import { hostsByNumber, readHosts, type HostProfile } from './domain/hosts/host-profiles.ts';
import { addHost } from './domain/hosts/hosts.ts';
import { insertFlavors } from './store/flavors.ts';
import { recordSeed } from './store/seeds.ts';
import { insertService } from './store/hosts/services.ts';
import { allHostsRemoved } from './clients/network.ts';
import type { Context } from '../../kernel/model.ts';

/** Seeds a region once: what a user deletes later stays deleted. */
export async function seedCompute(context: Context): Promise<void> {
  const { cloud, region, db, now } = context;
  if (!(await recordSeed(db, 'first'))) return;
  await insertFlavors(db, firstFlavors, now);
  // A reset of Compute alone leaves the agents of hosts that are no more.
  await allHostsRemoved(context);
  for (const binary of ['nova-conductor', 'nova-scheduler'])
    await insertService(
      db,
      { uuid: uuidFor(`compute.service.${region.name}.${binary}`), host: 'controller', binary },
      now,
    );
  // The central region has no hosts: its servers are in pods.
  for (const host of region.isCentral ? [] : profilesFrom(cloud.config.hosts))
    await addHost(context, host).catch((error: unknown) => refuse(host, error));
}

/** A provider of that name may exist already: no later start would succeed either. */
function refuse({ name }: HostProfile, error: unknown): never {
  if (!(error instanceof ApiError) || error.status !== 409) throw error;
  throw new Error(
    `The host ${name} cannot be had: ${error.message} Start with --hosts 0, or with a file of hosts of other names.`,
    {
      cause: error,
    },
  );
}

/**
 * The hosts of `--hosts`: a number of them, or those in a file.
 * @throws Error that says what is expected
 */
function profilesFrom(hosts: string): HostProfile[] {
  if (/^\d+$/.test(hosts)) return hostsByNumber(hosts);
  let text: string;
  try {
    text = readFileSync(hosts, 'utf8');
  } catch (error) {
    throw new Error(
      `--hosts ${hosts}: a number is expected, or a file of hosts that can be read.`,
      { cause: error },
    );
  }
  return readHosts(text, hosts);
}
