// Aggregates: list, show, create, update and delete, and actions for their hosts and metadata.
import { enveloped, plainHandlers } from '../../../../kernel/http/plain-resource.ts';
import { accepted, ok, reply } from '../../../../kernel/http/reply.ts';
import { badRequest } from '../../../../kernel/errors.ts';
import { authorize } from '../../../../kernel/http/steps.ts';
import type { ComputeCall } from '../../call.ts';
import {
  addAggregateHosts,
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

/** The aggregate in the path. @throws 400, 404 */
const aggregateOfPath = (call: ComputeCall): Promise<Aggregate> =>
  aggregateOf(call.db, integerId(call.params['id']!));

interface Fields {
  name?: string;
  availability_zone?: string | null;
}

/** A new aggregate: the reply to POST contains neither hosts nor metadata. */
const newAggregateView = (call: ComputeCall, aggregate: Aggregate): object =>
  Object.fromEntries(
    Object.entries(aggregateView(call, aggregate)).filter(
      ([field]) => field !== 'hosts' && field !== 'metadata',
    ),
  );

export const { list, show, create, update, remove } = plainHandlers<ComputeCall, Aggregate, Fields>(
  {
    list: ({ db }) => listAggregates(db),
    find: aggregateOfPath,
    fields: ({ body }) => (body as { aggregate: Fields }).aggregate,
    create: (call, { name, availability_zone: zone }) =>
      createAggregate(call, { name: name!, zone }),
    update: (call, aggregate, { name, availability_zone: zone }) =>
      updateAggregate(call, aggregate, { name: name?.trim(), zone }),
    remove: deleteEmptyAggregate,
    ...enveloped('aggregate', 'aggregates', aggregateView),
    body: (call, aggregate, operation) => ({
      aggregate: (operation === 'create' ? newAggregateView : aggregateView)(call, aggregate),
    }),
    created: ok,
    deleted: () => reply(200),
  },
);

const aggregateReply = (call: ComputeCall, aggregate: Aggregate): Reply =>
  ok({ aggregate: aggregateView(call, aggregate) });

const enforce = (call: ComputeCall, verb: string): void =>
  authorize(call, `os_compute_api:os-aggregates:${verb}`, {});

export async function addHost(call: ComputeCall): Promise<Reply> {
  enforce(call, 'add_host');
  const { host } = argumentsOf<{ host: string }>(call, 'add_host');
  return aggregateReply(call, await addAggregateHosts(call, await aggregateOfPath(call), [host]));
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
