// Enforces the operator's limits: the maximum duration of leases, and the approval of an external
// service. Upstream: blazar/enforcement.
import { SECOND } from '../../../kernel/clock.ts';
import type { Context } from '../../../kernel/model.ts';
import { configuredOrigin } from '../../../kernel/settings.ts';
import { allocationsOf } from '../store/allocations.ts';
import { findHosts } from '../store/hosts.ts';
import { dateText } from './dates.ts';
import { postJson } from './external-service.ts';
import { RefusedReservation, type DurationRefusal } from './refusals.ts';
import type { Host, Lease, Reservation, Span, WholeLease } from '../model.ts';
import { loadSettings, type ExternalService } from './settings.ts';

/** Checks the duration of a lease. @throws 403 on creation, 400 on update */
export async function checkDuration(
  context: Context,
  lease: Lease,
  operation: 'create' | 'update',
): Promise<void> {
  const refusal = await durationRefusal(context, lease);
  if (!refusal) return;
  const { seconds, longest } = refusal;
  const message =
    `Lease duration of ${seconds} seconds must be less than or equal to the maximum lease ` +
    `duration of ${longest} seconds.`;
  throw new RefusedReservation(operation === 'create' ? 403 : 400, message, undefined, refusal);
}

/** Whether a lease of a project is too long; undefined if it is not. */
export async function durationRefusal(
  context: Context,
  { startAt, endAt, projectId }: Span & Pick<Lease, 'projectId'>,
): Promise<DurationRefusal | undefined> {
  const { maxLeaseDuration: longest, maxLeaseDurationExemptProjectIds: exempt } =
    await loadSettings(context);
  const seconds = (endAt - startAt) / SECOND;
  if (longest < 0 || seconds <= longest || exempt.includes(projectId)) return undefined;
  return { refused: 'max_lease_duration', seconds, longest };
}

/** A current or proposed lease. The hosts of its reservations are allocated already. */
export interface Proposal {
  readonly lease: Lease;
  readonly reservations: readonly Reservation[];
}

/**
 * Asks the external service, if one is configured, to approve the creation or update of a lease.
 * @throws 400 if it denies the request
 */
export async function checkExternally(
  context: Context,
  proposed: Proposal,
  current?: WholeLease,
): Promise<void> {
  const { externalService: service } = await loadSettings(context);
  if (!service) return;
  const url = current
    ? urlOf(service, 'checkUpdateUrl', 'check-update')
    : urlOf(service, 'checkCreateUrl', 'check-create');
  const body = {
    context: describeContext(context),
    ...(current ? { current_lease: await describeLease(context, current) } : {}),
    lease: await describeLease(context, proposed),
  };
  const reply = await postJson(url, body, service.token);
  if (reply.status === 204) return;
  const { status, message = null } = reply;
  throw new RefusedReservation(
    400,
    status === 403 && message !== null
      ? message
      : 'External service enforcement filter denied the request.',
    undefined,
    { refused: 'external_service', url, status, message },
  );
}

/** Notifies the external service of the end of a lease. Errors are logged only. */
export async function notifyEnd(context: Context, whole: WholeLease): Promise<void> {
  const { externalService: service } = await loadSettings(context);
  if (!service) return;
  const body = { context: describeContext(context), lease: await describeLease(context, whole) };
  const { status } = await postJson(urlOf(service, 'onEndUrl', 'on-end'), body, service.token);
  if (status !== 204)
    context.cloud.log.warn(
      { lease: whole.lease.id, status },
      'notifying the external service of the end of a lease failed',
    );
}

const urlOf = (
  service: ExternalService,
  key: 'checkCreateUrl' | 'checkUpdateUrl' | 'onEndUrl',
  path: string,
): string => service[key] ?? `${service.baseUrl.replace(/\/$/, '')}/${path}`;

const describeContext = ({ actor, cloud, region }: Context): object => ({
  user_id: actor.userId,
  project_id: actor.projectId ?? null,
  auth_url: `${configuredOrigin(cloud.config)}/identity/v3`,
  region_name: region.name,
});

/** Describes a lease in the format of the external service. */
async function describeLease(context: Context, { lease, reservations }: Proposal): Promise<object> {
  const parts = [];
  for (const { resourceType, details, id } of reservations) {
    const hosts = await findHosts(
      context.db,
      (await allocationsOf(context.db, id)).map(({ hostId }) => hostId),
    );
    parts.push({
      resource_type: resourceType,
      ...describeDetails(details),
      allocations: hosts.map(describeHost),
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

function describeDetails(details: Reservation['details']): object {
  if ('networkId' in details) return { network_id: details.networkId, amount: details.amount };
  if ('min' in details) return { min: details.min, max: details.max };
  const { vcpus, memoryMb, diskGb, amount, affinity } = details;
  return { vcpus, memory_mb: memoryMb, disk_gb: diskGb, amount, affinity };
}

const describeHost = (host: Host): object => ({
  id: String(host.id),
  hypervisor_hostname: host.hypervisorHostname,
  vcpus: host.vcpus,
  memory_mb: host.memoryMb,
  local_gb: host.localGb,
  availability_zone: host.availabilityZone,
});
