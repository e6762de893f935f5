// Allocations: of a consumer, of a provider, of several consumers at once.
import { noContent, ok } from '../../../kernel/http/reply.ts';
import { claim, release } from '../domain/claims.ts';
import { readClaim, type AllocationBody } from '../domain/allocation-body.ts';
import { findConsumers, listAllocations } from '../store/allocations.ts';
import { classTable, namesOf } from '../store/names.ts';
import { consumerView, providerAllocationsView } from '../views/allocations.ts';
import { cacheHeaders, newest } from '../views/cache.ts';
import { consumerOf, missing, providerOf } from './subject.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { PlacementCall } from '../call.ts';

export async function list(call: PlacementCall): Promise<Reply> {
  const uuid = call.params['consumer_uuid']!;
  const consumer = (await findConsumers(call.db, [uuid])).get(uuid);
  const allocations = consumer ? await listAllocations(call.db, { consumerId: consumer.id }) : [];
  const names = await namesOf(call.db, classTable, allocations.map(({ classId }) => classId)); // prettier-ignore
  return ok(consumerView(call.at, consumer, allocations, names), cacheHeaders(call.at, newest(allocations, call.now)));
}

export async function listOfProvider(call: PlacementCall): Promise<Reply> {
  const provider = await providerOf(call, missing.quoted);
  const allocations = await listAllocations(call.db, { providerId: provider.id });
  const names = await namesOf(call.db, classTable, allocations.map(({ classId }) => classId)); // prettier-ignore
  return ok(providerAllocationsView(call.at, provider, allocations, names), cacheHeaders(call.at, newest(allocations, call.now)));
}

export async function update(call: PlacementCall): Promise<Reply> {
  const one = readClaim(consumerOf(call), call.body as AllocationBody, call.at);
  const unknownClass = (_: unknown, name: string): string =>
    `Unable to allocate inventory for consumer ${one.consumer}: No such resource class ${name}.`;
  await claim(call.db, [one], call.now, { unknownClass, attempt: call.attempt });
  return noContent();
}

export async function create(call: PlacementCall): Promise<Reply> {
  const claims = Object.entries(call.body as Record<string, AllocationBody>).map(([consumer, body]) =>
    readClaim(consumer, body, call.at),
  );
  const unknownClass = (_: unknown, name: string): string => `Unable to allocate inventory No such resource class ${name}.`;
  await claim(call.db, claims, call.now, { unknownClass, attempt: call.attempt });
  return noContent();
}

export async function remove(call: PlacementCall): Promise<Reply> {
  await release(call.db, call.params['consumer_uuid']!);
  return noContent();
}
