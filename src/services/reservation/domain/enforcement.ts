// What an operator forbids: leases that are too long, and those that a service outside refuses.
// Upstream: blazar/enforcement.
import { SECOND } from '../../../kernel/clock.ts';
import { badRequest, forbidden } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import { allocationsOf } from '../store/allocations.ts';
import { findHosts } from '../store/hosts.ts';
import { dateText } from './dates.ts';
import { postJson } from './external-service.ts';
import type { Host, Lease, Reservation, WholeLease } from '../model.ts';
import { settingsOf, type ExternalService } from './settings.ts';

/** @throws 403 when a lease is made, 400 when it is changed */
export async function checkDuration(
  context: Context,
  lease: Lease,
  when: 'create' | 'update',
): Promise<void> {
  const { maxLeaseDuration: longest, maxLeaseDurationExemptProjectIds: exempt } =
    await settingsOf(context);
  const seconds = (lease.endAt - lease.startAt) / SECOND;
  if (longest < 0 || seconds <= longest || exempt.includes(lease.projectId)) return;
  const message = `Lease duration of ${seconds} seconds must be less than or equal to the maximum lease duration of ${longest} seconds.`;
  throw when === 'create' ? forbidden(message) : badRequest(message);
}

/**
 * What a lease is or would be: the dates and the reservations, with their hosts as they are
 * promised by now.
 */
export interface Proposal {
  readonly lease: Lease;
  readonly reservations: readonly Reservation[];
}

/**
 * Asks the service outside, where there is one, whether a lease may be made or changed.
 * @throws 400 where it refuses
 */
export async function checkOutside(
  context: Context,
  proposed: Proposal,
  current?: WholeLease,
): Promise<void> {
  const { externalService: service } = await settingsOf(context);
  if (!service) return;
  const url = current
    ? urlOf(service, 'checkUpdateUrl', 'check-update')
    : urlOf(service, 'checkCreateUrl', 'check-create');
  const body = {
    context: contextOf(context),
    ...(current ? { current_lease: await notified(context, current) } : {}),
    lease: await notified(context, proposed),
  };
  const answer = await postJson(url, body, service.token);
  if (answer.status === 204) return;
  throw badRequest(
    answer.status === 403 && answer.message !== undefined
      ? answer.message
      : 'External service enforcement filter denied the request.',
  );
}

/** Tells the service outside that a lease ends. What it says to that does not matter. */
export async function notifyEnd(context: Context, whole: WholeLease): Promise<void> {
  const { externalService: service } = await settingsOf(context);
  if (!service) return;
  const body = { context: contextOf(context), lease: await notified(context, whole) };
  const { status } = await postJson(urlOf(service, 'onEndUrl', 'on-end'), body, service.token);
  if (status !== 204)
    context.cloud.log.warn(
      { lease: whole.lease.id, status },
      'the external service was not told of the end',
    );
}

const urlOf = (
  service: ExternalService,
  key: 'checkCreateUrl' | 'checkUpdateUrl' | 'onEndUrl',
  path: string,
): string => service[key] ?? `${service.baseUrl.replace(/\/$/, '')}/${path}`;

const contextOf = ({ actor, cloud, region }: Context): object => ({
  user_id: actor.userId,
  project_id: actor.projectId ?? null,
  auth_url: `http://${cloud.config.host}:${cloud.config.port}/identity/v3`,
  region_name: region.name,
});

async function notified(context: Context, { lease, reservations }: Proposal): Promise<object> {
  const parts = [];
  for (const { resourceType, details, id } of reservations) {
    const hosts = await findHosts(
      context.db,
      (await allocationsOf(context.db, id)).map(({ hostId }) => hostId),
    );
    parts.push({
      resource_type: resourceType,
      ...asked(details),
      allocations: hosts.map(hostFacts),
    });
  }
  return {
    id: lease.id,
    name: lease.name,
    user_id: lease.userId,
    project_id: lease.projectId,
    start_date: dateText(lease.startAt),
    end_date: dateText(lease.endAt),
    reservations: parts,
  };
}

function asked(details: Reservation['details']): object {
  if ('networkId' in details) return { network_id: details.networkId, amount: details.amount };
  if ('min' in details) return { min: details.min, max: details.max };
  const { vcpus, memoryMb, diskGb, amount, affinity } = details;
  return { vcpus, memory_mb: memoryMb, disk_gb: diskGb, amount, affinity };
}

const hostFacts = (host: Host): object => ({
  id: String(host.id),
  hypervisor_hostname: host.hypervisorHostname,
  vcpus: host.vcpus,
  memory_mb: host.memoryMb,
  local_gb: host.localGb,
  availability_zone: host.availabilityZone,
});
