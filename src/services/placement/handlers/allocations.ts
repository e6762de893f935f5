// Operations on the allocations of a consumer, of a provider or of several consumers at once.
import { badRequest } from '../../../kernel/errors.ts';
import { noContent, ok } from '../../../kernel/http/reply.ts';
import { readAllocations, type AllocationBody } from '../domain/allocation-body.ts';
import { deleteAllocations, replaceAllocations } from '../domain/allocations.ts';
import { listAllocations } from '../store/allocations.ts';
import { findConsumers } from '../store/consumers.ts';
import { classTable, namesOf } from '../store/names.ts';
import { consumerView, providerAllocationsView } from '../views/allocations.ts';
import { cacheHeaders, newest } from '../views/cache.ts';
import { rewording } from './rewording.ts';
import { consumerInPath, missing, providerInPath } from './subject.ts';
import { UnknownClass } from '../domain/refusals.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { PlacementCall } from '../call.ts';

export async function list(call: PlacementCall): Promise<Reply> {
  const uuid = call.params['consumer_uuid']!;
  const consumer = (await findConsumers(call.db, [uuid])).get(uuid);
  const allocations = consumer ? await listAllocations(call.db, { consumerId: consumer.id }) : [];
  const names = await namesOf(
    call.db,
    classTable,
    allocations.map(({ classId }) => classId),
  );
  return ok(
    consumerView(call.version, consumer, allocations, names),
    cacheHeaders(call.version, newest(allocations, call.now)),
  );
}

export async function listOfProvider(call: PlacementCall): Promise<Reply> {
  const provider = await providerInPath(call, missing.quoted);
  const allocations = await listAllocations(call.db, { providerId: provider.id });
  const names = await namesOf(
    call.db,
    classTable,
    allocations.map(({ classId }) => classId),
  );
  return ok(
    providerAllocationsView(call.version, provider, allocations, names),
    cacheHeaders(call.version, newest(allocations, call.now)),
  );
}

export async function update(call: PlacementCall): Promise<Reply> {
  const consumer = consumerInPath(call);
  const update = readAllocations(consumer, call.body as AllocationBody, call.version);
  const unable = `Unable to allocate inventory for consumer ${consumer}:`;
  await replaceAllocations(call, [update]).catch(
    rewording(UnknownClass, (message) => badRequest(`${unable} ${message}`)),
  );
  return noContent();
}

export async function create(call: PlacementCall): Promise<Reply> {
  const bodies = Object.entries(call.body as Record<string, AllocationBody>);
  const updates = bodies.map(([consumer, body]) => readAllocations(consumer, body, call.version));
  await replaceAllocations(call, updates).catch(
    rewording(UnknownClass, (message) => badRequest(`Unable to allocate inventory ${message}`)),
  );
  return noContent();
}

export async function remove(call: PlacementCall): Promise<Reply> {
  await deleteAllocations(call.db, call.params['consumer_uuid']!);
  return noContent();
}
