// Reads the question how many leases fit: hosts or instances, and the dates of the leases.
import { leaseDates, type LeaseSpan } from '../../../../emulator/worlds/lease-dates.ts';
import { badRequest } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { flavorIdOf } from '../../clients/compute.ts';
import { flavorType, hostType, instanceType } from '../../model.ts';
import { wantedBy, type Wanted } from '../candidates/wanted.ts';
import { readLease } from '../leases/requests.ts';
import { resourceTypeOf } from '../resources/index.ts';
import type { Values } from '../values.ts';

/** The leases that a question is about, each with one reservation. */
export interface LeaseQuestion extends LeaseSpan {
  /** The number of whole hosts. */
  readonly hosts?: number | undefined;
  /** The number of instances. */
  readonly instances?: number | undefined;
  /** The id or the name of the instances' flavor; without it they need sizes. */
  readonly flavor?: string | undefined;
  readonly vcpus?: number | undefined;
  readonly memoryMb?: number | undefined;
  readonly diskGb?: number | undefined;
  readonly affinity?: boolean | undefined;
  /** Requirements on the hosts, such as `["==", "$gpu", "true"]`. */
  readonly properties?: string | undefined;
}

/** What each of the leases wants. @throws 400 for what Blazar refuses, and for other questions */
export async function wantedIn(context: Context, question: LeaseQuestion): Promise<Wanted> {
  const { startAt, endAt, reservations } = readLease(
    {
      name: '',
      ...leaseDates(question, context.now / 1000),
      reservations: [await reservationOf(context, question)],
    },
    context.now,
  );
  const { resourceType, values } = reservations[0]!;
  const details = await resourceTypeOf(resourceType).read(context, values);
  if ('networkId' in details) throw badRequest('Leases of floating IPs cannot be counted.');
  return wantedBy({ resourceType, details, startAt, endAt });
}

async function reservationOf(context: Context, question: LeaseQuestion): Promise<Values> {
  const { hosts, instances, flavor, vcpus, memoryMb, affinity, properties = '' } = question;
  if ((hosts === undefined) === (instances === undefined))
    throw badRequest('Give either hosts or instances.');
  if (hosts !== undefined) return hostsOf(hosts, question);
  if (flavor === undefined && (vcpus === undefined || memoryMb === undefined))
    throw badRequest('instances need a flavor, or vcpus and memory_mb.');
  if (flavor === undefined)
    return {
      resource_type: instanceType,
      amount: instances,
      vcpus,
      memory_mb: memoryMb,
      disk_gb: question.diskGb ?? 0,
      affinity: affinity ?? null,
      resource_properties: properties,
    };
  const others = [vcpus, memoryMb, question.diskGb, affinity, question.properties];
  if (others.some((value) => value !== undefined))
    throw badRequest('A flavor has sizes, and Blazar reserves it without affinity or properties.');
  const flavorId = await flavorIdOf(context, flavor);
  return { resource_type: flavorType, amount: instances, flavor_id: flavorId, affinity: null };
}

function hostsOf(hosts: number, question: LeaseQuestion): Values {
  const { flavor, vcpus, memoryMb, diskGb, affinity, properties = '' } = question;
  if ([flavor, vcpus, memoryMb, diskGb, affinity].some((value) => value !== undefined))
    throw badRequest('Whole hosts have no flavor, sizes or affinity: these need instances.');
  return {
    resource_type: hostType,
    min: hosts,
    max: hosts,
    hypervisor_properties: '',
    resource_properties: properties,
  };
}
