// The Cinder services that operators manage: the scheduler, the volume service of the only backend,
// and the backup service.
import { notFound } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { invalidInput } from '../errors.ts';
import { listServiceStates, writeServiceState } from '../../store/services.ts';
import { pool, type ServiceState } from '../../model.ts';

export interface VolumeService {
  readonly binary: string;
  readonly host: string;
}

export const volumeService: VolumeService = { binary: 'cinder-volume', host: pool.split('#')[0]! };

export const backupService: VolumeService = { binary: 'cinder-backup', host: 'cumulet' };

export const services: readonly VolumeService[] = [
  { binary: 'cinder-scheduler', host: 'cumulet' },
  volumeService,
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
export function serviceFor(binary: string, host: string): VolumeService {
  const found = services.find((one) => one.binary === binary && isHost(one.host, host));
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
 * Freezes the backend on a host, which also disables it, or thaws it, which also enables it.
 * @throws 400 if it is already frozen or thawed, or does not exist
 */
export async function freezeHost(context: Context, host: string, frozen: boolean): Promise<void> {
  if (!isHost(volumeService.host, host)) throw invalidInput(`No service found with host=${host}`);
  if ((await serviceStates(context))(volumeService).frozen === frozen) {
    const expected = frozen ? 'False' : 'True';
    throw invalidInput(
      `No service could be changed: frozen in ['${volumeService.host}'] must be ${expected} ` +
        'to failover.',
    );
  }
  await writeServiceState(context.db, {
    ...volumeService,
    disabled: frozen,
    disabledReason: frozen ? 'frozen' : '',
    frozen,
  });
}

/** @throws 400 if the backend is frozen */
export async function checkThawed(context: Pick<Context, 'db'>): Promise<void> {
  if ((await serviceStates(context))(volumeService).frozen)
    throw invalidInput('Modification operations are not allowed on frozen storage backends.');
}

/** Refuses to fail over, because no backend here replicates. @throws 400 */
export function refuseFailover(host: string): never {
  if (!isHost(volumeService.host, host)) throw invalidInput(`No service found with host=${host}`);
  throw invalidInput(
    `No service could be changed: replication_status in ['${volumeService.host}'] must be ` +
      "['enabled', 'failed-over'] and must be up to failover.",
  );
}
