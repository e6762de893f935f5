// The services of Cinder that operators see: the scheduler, and the volume service of the only
// backend.
import { notFound } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { invalidInput } from '../errors.ts';
import { selectServiceStates, writeServiceState } from '../../store/services.ts';
import { pool, type ServiceState } from '../../model.ts';

export interface VolumeService {
  readonly binary: string;
  readonly host: string;
}

export const volumeService: VolumeService = { binary: 'cinder-volume', host: pool.split('#')[0]! };

export const services: readonly VolumeService[] = [
  { binary: 'cinder-scheduler', host: 'cumulet' },
  volumeService,
];

/**
 * Whether `name` means a host: by the whole name, or without its pool or its backend. Upstream:
 * _filter_host in cinder/db/api.py.
 */
export const isHost = (host: string, name: string): boolean =>
  host === name ||
  (!name.includes('#') &&
    (host.startsWith(`${name}#`) || (!name.includes('@') && host.startsWith(`${name}@`))));

/** The state of every service; one that no operator has set is enabled. */
export async function serviceStates({
  db,
}: Pick<Context, 'db'>): Promise<(service: VolumeService) => ServiceState> {
  const states = await selectServiceStates(db);
  return ({ binary, host }) =>
    states.find((one) => one.binary === binary && one.host === host) ?? {
      binary,
      host,
      ...untouched,
    };
}

const untouched = { disabled: false, disabledReason: null, frozen: false };

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

/** Enables a service, which clears the reason. */
export async function enableService(context: Context, service: VolumeService): Promise<void> {
  const { frozen } = (await serviceStates(context))(service);
  await writeServiceState(context.db, {
    ...service,
    disabled: false,
    disabledReason: null,
    frozen,
  });
}

/** Disables a service; null leaves the reason as it is. */
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
 * Freezes the backend on a host, which disables it, or thaws it, which enables it.
 * @throws 400 where it is so already, or there is none
 */
export async function freezeHost(context: Context, host: string, frozen: boolean): Promise<void> {
  if (!isHost(volumeService.host, host)) throw invalidInput(`No service found with host=${host}`);
  if ((await serviceStates(context))(volumeService).frozen === frozen) {
    const expected = frozen ? 'False' : 'True';
    throw invalidInput(
      `No service could be changed: frozen in ['${volumeService.host}'] must be ${expected} to failover.`,
    );
  }
  await writeServiceState(context.db, {
    ...volumeService,
    disabled: frozen,
    disabledReason: frozen ? 'frozen' : '',
    frozen,
  });
}

/** @throws 400 where the backend is frozen */
export async function checkThawed(context: Pick<Context, 'db'>): Promise<void> {
  if ((await serviceStates(context))(volumeService).frozen)
    throw invalidInput('Modification operations are not allowed on frozen storage backends.');
}
