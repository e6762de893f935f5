// The rules for aggregates: names are unique, each host is in one zone, and Placement has the same
// aggregates.
import { isDuplicate } from '../../../../kernel/db/errors.ts';
import { badRequest, conflict, notFound, type ApiError } from '../../../../kernel/errors.ts';
import { grouped } from '../../../../kernel/db/grouping.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import { addToAggregate, changeAggregates } from '../../clients/placement.ts';
import {
  aggregatesOfHosts,
  deleteAggregate,
  deleteAggregateHost,
  findAggregate,
  insertAggregate,
  insertAggregateHosts,
  putMetadata,
  touchAggregate,
} from '../../store/hosts/aggregates.ts';
import { findComputeHost, findComputeHosts, serversOn } from '../../store/hosts/hosts.ts';
import { pythonRepr } from '../../../../kernel/contract/jsonschema-messages.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Context } from '../../../../kernel/model.ts';
import { zoneKey, type Aggregate } from '../../model.ts';

/** @throws 404 */
export async function aggregateOf(db: Db, id: number): Promise<Aggregate> {
  const found = Number.isSafeInteger(id) ? await findAggregate(db, { id }) : undefined;
  if (!found) throw notFound(`Aggregate ${id} could not be found.`);
  return found;
}

export interface NewAggregate {
  readonly name: string;
  readonly zone?: string | null | undefined;
}

/** Creates an aggregate, which defines a zone if one is named. @throws 409 for a taken name */
export async function createAggregate(
  { db, now }: Context,
  { name, zone }: NewAggregate,
): Promise<Aggregate> {
  const inserted = { uuid: newUuid(), name };
  const id = await withUniqueName(name, () => insertAggregate(db, inserted, now));
  const metadata: Record<string, string> = zone ? { [zoneKey]: zone } : {};
  if (zone) await putMetadata(db, id, metadata);
  return { ...inserted, id, hosts: [], metadata, createdAt: now, updatedAt: null };
}

/** Runs a write. @throws 409 if the name is taken */
async function withUniqueName<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw isDuplicate(error) ? conflict(`Aggregate ${name} already exists.`) : error;
  }
}

export interface AggregateChange {
  readonly name?: string | undefined;
  /** Undefined keeps the zone. Null does too: upstream cannot remove a zone in this way. */
  readonly zone?: string | null | undefined;
}

/** Renames an aggregate, or changes its zone. @throws 409, 400 */
export async function updateAggregate(
  { db, now }: Context,
  aggregate: Aggregate,
  { name, zone }: AggregateChange,
): Promise<Aggregate> {
  const refuse: Refuse = (reason) =>
    badRequest(`Cannot update aggregate ${aggregate.id}. Reason: ${reason}.`);
  const renamed = { ...aggregate, name: name ?? aggregate.name };
  await withUniqueName(renamed.name, () => touchAggregate(db, aggregate.id, now, name));
  if (zone !== undefined) await checkZone(db, renamed, zone, aggregate.hosts, refuse);
  if (zone) await putMetadata(db, aggregate.id, { [zoneKey]: zone });
  return (await findAggregate(db, { id: aggregate.id }))!;
}

/** Updates metadata; null removes an item. @throws 400 if the zone cannot be changed */
export async function updateMetadata(
  { db, now }: Context,
  aggregate: Aggregate,
  items: Readonly<Record<string, string | null>>,
): Promise<Aggregate> {
  const refuse: Refuse = (reason) =>
    badRequest(`Cannot update metadata of aggregate ${aggregate.id}. Reason: ${reason}.`);
  if (Object.hasOwn(items, zoneKey))
    await checkZone(db, aggregate, items[zoneKey]!, aggregate.hosts, refuse);
  await putMetadata(db, aggregate.id, items);
  await touchAggregate(db, aggregate.id, now);
  return { ...aggregate, metadata: withItems(aggregate.metadata, items), updatedAt: now };
}

/** Metadata with changed items, sorted by name; null removes an item. */
function withItems(
  before: Aggregate['metadata'],
  items: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const after = Object.entries({ ...before, ...items }).flatMap(([name, value]) =>
    value === null ? [] : [[name, value] as const],
  );
  return Object.fromEntries(after.sort(([one], [other]) => (one < other ? -1 : 1)));
}

type Refuse = (reason: string) => ApiError;

/** @throws `refuse` if a host would be in two zones, or servers would change their zone */
async function checkZone(
  db: Db,
  aggregate: Aggregate,
  zone: string | null,
  hosts: readonly string[],
  refuse: Refuse,
): Promise<void> {
  if (!zone)
    throw refuse(`Aggregate ${aggregate.name} does not support empty named availability zone`);
  await checkOtherZones(db, aggregate, zone, hosts, refuse);
  if (aggregate.metadata[zoneKey] !== zone && (await serversOn(db, hosts)).length)
    throw refuse('One or more hosts contain instances in this zone');
}

async function checkOtherZones(
  db: Db,
  aggregate: Aggregate,
  zone: string,
  hosts: readonly string[],
  refuse: Refuse,
): Promise<void> {
  const others = new Map<number, string>();
  for (const { id, metadata } of await aggregatesOfHosts(db, hosts)) {
    const other = metadata[zoneKey];
    if (id !== aggregate.id && other !== undefined && other !== zone) others.set(id, other);
  }
  if (others.size)
    throw refuse(
      `One or more hosts already in availability zone(s) ${pythonRepr([...others.values()])}`,
    );
}

/** Deletes an aggregate that has no hosts. @throws 400 */
export async function deleteEmptyAggregate({ db }: Context, aggregate: Aggregate): Promise<void> {
  if (aggregate.hosts.length)
    throw badRequest(
      `Cannot remove host from aggregate ${aggregate.id}. Reason: Host aggregate is not empty.`,
    );
  await deleteAggregate(db, aggregate.id);
}

/**
 * Adds hosts to an aggregate, and their providers to the same aggregate in Placement.
 * @throws 404, 409
 */
export async function addAggregateHosts(
  context: Context,
  aggregate: Aggregate,
  names: readonly string[],
): Promise<Aggregate> {
  const { db } = context;
  const hosts = await findComputeHosts(db, names);
  const missing = names.find((name) => !hosts.has(name));
  if (missing !== undefined) throw notFound(`Compute host ${missing} could not be found.`);
  const refuse: Refuse = (reason) =>
    conflict(`Cannot add host to aggregate ${aggregate.id}. Reason: ${reason}.`);
  const zone = aggregate.metadata[zoneKey];
  if (zone !== undefined) {
    await checkOtherZones(db, aggregate, zone, names, refuse);
    await checkMove(db, names, zone, (before, count) =>
      refuse(zoneChangeReason('added to', before, zone, count)),
    );
  }
  try {
    await insertAggregateHosts(db, aggregate.id, names);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const present = names.find((name) => aggregate.hosts.includes(name)) ?? names[0]!;
    throw conflict(`Aggregate ${aggregate.id} already has host ${present}.`);
  }
  const uuids = names.map((name) => hosts.get(name)!.uuid);
  await addToAggregate(context, aggregate.uuid, uuids);
  return (await findAggregate(db, { id: aggregate.id }))!;
}

/** @throws `refuse` if servers on one of the hosts would change their zone */
async function checkMove(
  db: Db,
  hosts: readonly string[],
  zone: string,
  refuse: (before: string, count: number) => ApiError,
): Promise<void> {
  const servers = await serversOn(db, hosts);
  for (const [host, own] of grouped(servers, (server) => server.host)) {
    const before = (await aggregatesOfHosts(db, [host])).find(
      ({ metadata }) => metadata[zoneKey] !== undefined,
    )?.metadata[zoneKey];
    if (before !== zone) throw refuse(before ?? 'None', own.length);
  }
}

const zoneChangeReason = (verb: string, from: string, to: string, count: number): string =>
  `The host cannot be ${verb} the aggregate as the availability zone of the host would change ` +
  `from '${from}' to '${to}' but the host already has ${count} instance(s). Changing the AZ of ` +
  'an existing instance is not supported by this action. Move the instances away from this host ' +
  'then try again. If you need to move the instances between AZs then you can use ' +
  'shelve_offload and unshelve to achieve this.';

/**
 * Removes a host from an aggregate, and its provider from the same aggregate in Placement.
 * @throws 404, 409
 */
export async function removeAggregateHost(
  context: Context,
  aggregate: Aggregate,
  name: string,
): Promise<Aggregate> {
  const { db } = context;
  const found = await findComputeHost(db, { name });
  if (!found || !aggregate.hosts.includes(name))
    throw notFound(`Cannot remove host ${name} in aggregate ${aggregate.id}`);
  const zone = aggregate.metadata[zoneKey];
  const servers = zone === undefined ? [] : await serversOn(db, [name]);
  if (servers.length) {
    const others = (await aggregatesOfHosts(db, [name])).filter(({ id }) => id !== aggregate.id);
    const after =
      others.find(({ metadata }) => metadata[zoneKey] !== undefined)?.metadata[zoneKey] ?? 'None';
    const reason = zoneChangeReason('removed from', zone!, after, servers.length);
    if (after !== zone)
      throw conflict(`Cannot remove host from aggregate ${aggregate.id}. Reason: ${reason}.`);
  }
  await deleteAggregateHost(db, aggregate.id, name);
  await changeAggregates(context, found.uuid, { remove: [aggregate.uuid] });
  return (await findAggregate(db, { id: aggregate.id }))!;
}
