// Seeds a new region with flavors, the services of the control plane, and the hosts of `--hosts`.
import { readFileSync } from 'node:fs';
import { ApiError } from '../../kernel/errors.ts';
import { uuidFor } from '../../kernel/ids.ts';
import { seedFlavors } from './domain/flavors.ts';
import { hostsByNumber, readHosts, type HostProfile } from './domain/hosts/host-profiles.ts';
import { addHosts } from './domain/hosts/hosts.ts';
import { insertFlavors } from './store/flavors.ts';
import { recordSeed } from './store/seeds.ts';
import { insertServices } from './store/hosts/services.ts';
import { allHostsRemoved } from './clients/network.ts';
import type { Context } from '../../kernel/model.ts';

/** Seeds a region once, so that flavors and hosts that a user deletes later stay deleted. */
export async function seedCompute(context: Context): Promise<void> {
  const { cloud, region, db, now } = context;
  if (!(await recordSeed(db, 'first'))) return;
  await insertFlavors(db, seedFlavors, now);
  // A reset of Compute alone does not delete Network's agents on the former hosts.
  await allHostsRemoved(context);
  const services = ['nova-conductor', 'nova-scheduler'].map((binary) => ({
    uuid: uuidFor(`compute.service.${region.name}.${binary}`),
    host: 'controller',
    binary,
  }));
  await insertServices(db, services, now);
  // The central region has no hosts, because its servers run in pods.
  if (!region.isCentral)
    await addHosts(context, profilesFrom(cloud.config.hosts)).catch(explainConflict);
}

/**
 * Explains how to resolve a conflict, such as a resource provider that already has the host's name.
 * Otherwise every later start would fail too.
 */
function explainConflict(error: unknown): never {
  if (!(error instanceof ApiError) || error.status !== 409) throw error;
  throw new Error(
    `The hosts of --hosts could not be added: ${error.message} ` +
      'Start with --hosts 0, or with a file whose hosts have other names.',
    { cause: error },
  );
}

/**
 * The hosts of `--hosts`, which is a number of hosts or the path of a file.
 * @throws Error that says what is expected
 */
function profilesFrom(hosts: string): HostProfile[] {
  return isNumber(hosts) ? hostsByNumber(hosts) : readHosts(textOf(hosts), hosts);
}

const isNumber = (hosts: string): boolean => /^\d+$/.test(hosts);

function textOf(hosts: string): string {
  try {
    return readFileSync(hosts, 'utf8');
  } catch (error) {
    throw new Error(`--hosts ${hosts}: expected a number, or the path of a readable file.`, {
      cause: error,
    });
  }
}

/** The text of the file of `--hosts`, which may change between two resets. */
export const readHostsFile = async ({ cloud }: Context): Promise<string | undefined> =>
  isNumber(cloud.config.hosts) ? undefined : textOf(cloud.config.hosts);
