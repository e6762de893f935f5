// The Cinder services that operators manage: the scheduler, a volume service for each backend, and
// the backup service.
import { badRequest, notFound } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { invalidInput } from '../errors.ts';
import { listServiceStates, writeServiceState } from '../../store/services.ts';
import type { ServiceState, VolumeService } from '../../model.ts';
import { backendsOf } from './backends.ts';

export const backupService: VolumeService = { binary: 'cinder-backup', host: 'cumulet' };

/** All services, in the order in which they are listed. */
export const servicesOf = (context: Pick<Context, 'cloud'>): VolumeService[] => [
  { binary: 'cinder-scheduler', host: 'cumulet' },
  ...backendsOf(context).map(({ service }) => service),
  backupService,
];

/**
 * Returns whether `name` refers to a host. The name may omit the pool, or the pool and the backend.
 * Upstream: _filter_host in cinder/db/api.py.
 */
export const isHost = (host: string, name: string): boolean =>
  host === name ||
  (!name.includes('#') &&
    (host.startsWith(`${name}#`) || (!name.includes('@') && host.startsWith(`${name}@`))));

/**
 * Reads the states of the services. @returns a function that looks one up; a service is enabled
 * unless an operator has changed it
 */
export async function serviceStates({
  db,
}: Pick<Context, 'db'>): Promise<(service: VolumeService) => ServiceState> {
  const states = await listServiceStates(db);
  return ({ binary, host }) =>
    states.find((one) => one.binary === binary && one.host === host) ?? {
      binary,
      host,
      ...initialState,
    };
}

const initialState = { disabled: false, disabledReason: null, frozen: false };

export const isDisabled = async (
  context: Pick<Context, 'db'>,
  service: VolumeService,
): Promise<boolean> => (await serviceStates(context))(service).disabled;

/** @throws 404 */
export function serviceFor(
  context: Pick<Context, 'cloud'>,
  binary: string,
  host: string,
): VolumeService {
  const found = servicesOf(context).find((one) => one.binary === binary && isHost(one.host, host));
  if (!found) throw notFound(`Service ${binary} could not be found on host ${host}.`);
  return found;
}

/** Enables a service, and clears the reason. */
export async function enableService(context: Context, service: VolumeService): Promise<void> {
  const { frozen } = (await serviceStates(context))(service);
  await writeServiceState(context.db, {
    ...service,
    disabled: false,
    disabledReason: null,
    frozen,
  });
}

/** Disables a service. A reason of null keeps the current reason. */
export async function disableService(
  context: Context,
  service: VolumeService,
  reason: string | null,
): Promise<void> {
  const { disabledReason, frozen } = (await serviceStates(context))(service);
  await writeServiceState(context.db, {
    ...service,
    disabled: true,
    disabledReason: reason ?? disabledReason,
    frozen,
  });
}

/**
 * The volume service that replication, freezing and thawing of a host are about.
 * @throws 400 if the host has none, or several
 */
function replicatedService(context: Context, host: string): VolumeService {
  const found = backendsOf(context)
    .map(({ service }) => service)
    .filter((service) => isHost(service.host, host));
  if (found.length > 1) throw badRequest('Services from different clusters found.');
  const [only] = found;
  if (!only) throw invalidInput(`No service found with host=${host}`);
  return only;
}

/**
 * Freezes the backend on a host, which also disables it, or thaws it, which also enables it.
 * @throws 400 if it is already frozen or thawed, or does not exist
 */
export async function freezeHost(context: Context, host: string, frozen: boolean): Promise<void> {
  const service = replicatedService(context, host);
  if ((await serviceStates(context))(service).frozen === frozen) {
    const expected = frozen ? 'False' : 'True';
    throw invalidInput(
      `No service could be changed: frozen in ['${service.host}'] must be ${expected} to failover.`,
    );
  }
  await writeServiceState(context.db, {
    ...service,
    disabled: frozen,
    disabledReason: frozen ? 'frozen' : '',
    frozen,
  });
}

/** @throws 400 if the backend of a volume, a snapshot's volume or a group is frozen */
export async function checkThawed(
  context: Pick<Context, 'db'>,
  { host }: { readonly host: string | null },
): Promise<void> {
  if (host === null) return;
  const service = { binary: 'cinder-volume', host: host.split('#')[0]! };
  if ((await serviceStates(context))(service).frozen)
    throw invalidInput('Modification operations are not allowed on frozen storage backends.');
}

/** Refuses to fail over, because no backend here replicates. @throws 400 */
export function refuseFailover(context: Context, host: string): never {
  const service = replicatedService(context, host);
  throw invalidInput(
    `No service could be changed: replication_status in ['${service.host}'] must be ` +
      "['enabled', 'failed-over'] and must be up to failover.",
  );
}
