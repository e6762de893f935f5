// Aggregates: list, show, create, update, delete, and their actions on hosts and metadata.
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
import { aggregateView } from '../../views/hosts/aggregates.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { Aggregate } from '../../model.ts';

const found = (call: ComputeCall): Promise<Aggregate> =>
  aggregateOf(call.db, integerId(call.params['id']!));

const shown = (call: ComputeCall, aggregate: Aggregate): Reply =>
  ok({ aggregate: aggregateView(call, aggregate) });

export async function list(call: ComputeCall): Promise<Reply> {
  return ok({
    aggregates: (await listAggregates(call.db)).map((aggregate) => aggregateView(call, aggregate)),
  });
}

export async function show(call: ComputeCall): Promise<Reply> {
  return shown(call, await found(call));
}

interface Body {
  aggregate: { name?: string; availability_zone?: string | null };
}

/** The answer has neither hosts nor metadata. */
export async function create(call: ComputeCall): Promise<Reply> {
  const { name, availability_zone: zone } = (call.body as Body).aggregate;
  const made = await createAggregate(call, { name: name!, zone });
  const fields = Object.entries(aggregateView(call, made)).filter(
    ([name]) => name !== 'hosts' && name !== 'metadata',
  );
  return ok({ aggregate: Object.fromEntries(fields) });
}

export async function update(call: ComputeCall): Promise<Reply> {
  const { name, availability_zone: zone } = (call.body as Body).aggregate;
  return shown(call, await updateAggregate(call, await found(call), { name: name?.trim(), zone }));
}

export async function remove(call: ComputeCall): Promise<Reply> {
  await deleteEmptyAggregate(call, await found(call));
  return reply(200);
}

const may = (call: ComputeCall, verb: string): void =>
  authorize(call, `os_compute_api:os-aggregates:${verb}`, {});

export async function addHost(call: ComputeCall): Promise<Reply> {
  may(call, 'add_host');
  const { host } = (call.body as { add_host: { host: string } }).add_host;
  return shown(call, await addAggregateHost(call, await found(call), host));
}

export async function removeHost(call: ComputeCall): Promise<Reply> {
  may(call, 'remove_host');
  const { host } = (call.body as { remove_host: { host: string } }).remove_host;
  return shown(call, await removeAggregateHost(call, await found(call), host));
}

export async function setMetadata(call: ComputeCall): Promise<Reply> {
  may(call, 'set_metadata');
  const { metadata } = (call.body as { set_metadata: { metadata: Record<string, string | null> } })
    .set_metadata;
  return shown(call, await updateMetadata(call, await found(call), metadata));
}

/** Hosts of the emulator have every image already, so nothing is cached. */
export async function cacheImages(call: ComputeCall): Promise<Reply> {
  const ids = (call.body as { cache: { id: string }[] }).cache.map(({ id }) => id);
  const id = integerId(call.params['id']!);
  if (new Set(ids).size < ids.length) throw badRequest('Duplicate images in request');
  await aggregateOf(call.db, id);
  return accepted();
}
