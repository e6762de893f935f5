// Aggregates: list, show, create, update and delete, and actions for their hosts and metadata.
import { accepted, ok, reply } from '../../../../kernel/http/reply.ts';
import { badRequest } from '../../../../kernel/errors.ts';
import { authorize } from '../../../../kernel/http/steps.ts';
import type { ComputeCall } from '../../call.ts';
import {
  addAggregateHost,
  aggregateOf,
  createAggregate,
  deleteEmptyAggregate,
  removeAggregateHost,
  updateAggregate,
  updateMetadata,
} from '../../domain/hosts/aggregates.ts';
import { integerId } from '../../domain/ids.ts';
import { listAggregates } from '../../store/hosts/aggregates.ts';
import { argumentsOf } from '../action-body.ts';
import { aggregateView } from '../../views/hosts/aggregates.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { Aggregate } from '../../model.ts';

/** The aggregate of the path. @throws 400, 404 */
const aggregateOfPath = (call: ComputeCall): Promise<Aggregate> =>
  aggregateOf(call.db, integerId(call.params['id']!));

const aggregateReply = (call: ComputeCall, aggregate: Aggregate): Reply =>
  ok({ aggregate: aggregateView(call, aggregate) });

export async function list(call: ComputeCall): Promise<Reply> {
  return ok({
    aggregates: (await listAggregates(call.db)).map((aggregate) => aggregateView(call, aggregate)),
  });
}

export async function show(call: ComputeCall): Promise<Reply> {
  return aggregateReply(call, await aggregateOfPath(call));
}

interface Body {
  aggregate: { name?: string; availability_zone?: string | null };
}

/** Creates an aggregate. The reply contains neither hosts nor metadata. */
export async function create(call: ComputeCall): Promise<Reply> {
  const { name, availability_zone: zone } = (call.body as Body).aggregate;
  const aggregate = await createAggregate(call, { name: name!, zone });
  const fields = Object.entries(aggregateView(call, aggregate)).filter(
    ([field]) => field !== 'hosts' && field !== 'metadata',
  );
  return ok({ aggregate: Object.fromEntries(fields) });
}

export async function update(call: ComputeCall): Promise<Reply> {
  const { name, availability_zone: zone } = (call.body as Body).aggregate;
  return aggregateReply(
    call,
    await updateAggregate(call, await aggregateOfPath(call), { name: name?.trim(), zone }),
  );
}

export async function remove(call: ComputeCall): Promise<Reply> {
  await deleteEmptyAggregate(call, await aggregateOfPath(call));
  return reply(200);
}

const enforce = (call: ComputeCall, verb: string): void =>
  authorize(call, `os_compute_api:os-aggregates:${verb}`, {});

export async function addHost(call: ComputeCall): Promise<Reply> {
  enforce(call, 'add_host');
  const { host } = argumentsOf<{ host: string }>(call, 'add_host');
  return aggregateReply(call, await addAggregateHost(call, await aggregateOfPath(call), host));
}

export async function removeHost(call: ComputeCall): Promise<Reply> {
  enforce(call, 'remove_host');
  const { host } = argumentsOf<{ host: string }>(call, 'remove_host');
  return aggregateReply(call, await removeAggregateHost(call, await aggregateOfPath(call), host));
}

export async function setMetadata(call: ComputeCall): Promise<Reply> {
  enforce(call, 'set_metadata');
  const { metadata } = argumentsOf<{ metadata: Record<string, string | null> }>(
    call,
    'set_metadata',
  );
  return aggregateReply(call, await updateMetadata(call, await aggregateOfPath(call), metadata));
}

/** Validates the request only: the emulator's hosts need no cached images. */
export async function cacheImages(call: ComputeCall): Promise<Reply> {
  const ids = (call.body as { cache: { id: string }[] }).cache.map(({ id }) => id);
  const id = integerId(call.params['id']!);
  if (new Set(ids).size < ids.length) throw badRequest('Duplicate images in request');
  await aggregateOf(call.db, id);
  return accepted();
}
