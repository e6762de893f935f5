// The services that Volume is made of, as an operator sees them.
import { notFound } from '../../../kernel/fault.ts';
import { serviceStates, type ServiceState } from '../store/services.ts';
import { backend } from './records.ts';
import type { Db } from '../../../kernel/db/database.ts';

export interface VolumeService {
  readonly binary: string;
  readonly host: string;
}

export const volumeService: VolumeService = { binary: 'cinder-volume', host: backend.split('#')[0]! };

export const services: readonly VolumeService[] = [{ binary: 'cinder-scheduler', host: 'cumulet' }, volumeService];

/** Whether a host is meant: by its whole name, or by what stands before the backend or the pool. Upstream: _filter_host in cinder/db/api.py. */
export const isHost = (host: string, asked: string): boolean =>
  host === asked ||
  (!asked.includes('#') && (host.startsWith(`${asked}#`) || (!asked.includes('@') && host.startsWith(`${asked}@`))));

/** What is said of a service; enabled where nobody has said anything. */
export async function statesOf(db: Db): Promise<(service: VolumeService) => ServiceState> {
  const states = await serviceStates(db);
  return ({ binary, host }) =>
    states.find((one) => one.binary === binary && one.host === host) ?? { binary, host, disabled: false, disabledReason: null };
}

export const isDisabled = async (db: Db, service: VolumeService): Promise<boolean> => (await statesOf(db))(service).disabled;

/** @throws 404 */
export function serviceFor(binary: string, host: string): VolumeService {
  const found = services.find((one) => one.binary === binary && isHost(one.host, host));
  if (!found) throw notFound(`Service ${binary} could not be found on host ${host}.`);
  return found;
}
