// Carries resources of the central region's Neutron to one pod, and keeps them like the central
// ones. A routing records each resource in the pod. Everything here may be repeated: a resource
// that was created without its routing, because a process died, is found by its name.
import { ApiError } from '../../../../kernel/errors.ts';
import { centralContext, writeRowInCentral } from '../../../../kernel/context.ts';
import type { Context } from '../../../../kernel/model.ts';
import {
  centralRevision,
  createRecord,
  deleteRecord,
  listRecords,
  readRecord,
  updateRecord,
  type NetworkRecord,
  type NetworkType,
} from '../../clients/network.ts';
import type { Pod, Routing } from '../../model.ts';
import * as routings from '../../store/routings.ts';
import { addRouting } from '../routings.ts';
import { syncGroupRules } from './group-rules.ts';
import { clearRouter, syncInterfaces, syncRoutersOf } from './interfaces.ts';
import type { Carrying } from './carrying.ts';
import { changedFields, kinds, newFields, type IdInPod, type Reference } from './kinds.ts';
import { cancelRetry, scheduleRetry } from './retries.ts';

/** The central region no longer has the resource. */
export class GoneAtCentre extends ApiError {
  constructor({ type, id }: Reference) {
    super(404, `The ${type.replace('_', ' ')} ${id} could not be found.`);
  }
}

/** How often a resource is brought up to date that changes meanwhile. */
const maxRounds = 10;

/** Whether Neutron refuses because something that a body names does not exist. */
const isMissing = (error: unknown): boolean =>
  error instanceof ApiError && [400, 404].includes(error.status);

const keyOf = ({ type, id }: Reference): string => `${type}:${id}`;

/** Carries resources to a pod during one request or job. */
export class Carrier implements Carrying {
  readonly context: Context;
  readonly pod: Pod;
  /** Ids in the pod, by `keyOf`. */
  private readonly known = new Map<string, string>();
  /** What has no routing to the pod, by `keyOf`. */
  private readonly unrouted = new Set<string>();

  constructor(context: Context, pod: Pod) {
    this.context = context;
    this.pod = pod;
  }

  /** The id in the pod of a resource; undefined if it has not been carried there. */
  async find(reference: Reference): Promise<string | undefined> {
    const known = this.known.get(keyOf(reference));
    if (known !== undefined) return known;
    await this.load([reference]);
    return this.known.get(keyOf(reference));
  }

  /** Carries a resource, with what it depends on, unless the pod has it. @returns its id there */
  async ensure(reference: Reference): Promise<string> {
    const known = await this.find(reference);
    if (known !== undefined) return known;
    return this.sync(reference, { isUnrouted: this.unrouted.has(keyOf(reference)) });
  }

  /**
   * Creates or updates a resource in the pod, with what it depends on.
   * @param isUnrouted whether the resource had no routing to the pod a moment ago
   * @returns its id there
   * @throws ApiError if Neutron of the pod refuses; GoneAtCentre; PodFailure
   */
  async sync(reference: Reference, { isUnrouted = false } = {}): Promise<string> {
    const { context } = this;
    const { type, id } = reference;
    // The central resource may change after it has been read. A change after the last round finds
    // the routing, and follows.
    for (let round = 1; ; round++) {
      const record = await readRecord(context, 'centre', type, id);
      if (!record) {
        await this.remove(reference);
        throw new GoneAtCentre(reference);
      }
      const isNew = isUnrouted && round === 1;
      const idInPod = await this.bring(reference, record, isNew);
      const revision = await centralRevision(context, type, id);
      if (revision === record['revision_number'] || round === maxRounds) return idInPod;
    }
  }

  /**
   * Deletes a resource from the pod.
   * @param projectId its project, if the pod may have it without a routing
   * @throws ApiError, PodFailure
   */
  async remove(reference: Reference, projectId?: string): Promise<void> {
    const { context, pod } = this;
    const { type } = reference;
    const routing = await this.routingOf(reference);
    const named =
      routing || projectId === undefined
        ? undefined
        : await this.findByName(reference, { id: reference.id, project_id: projectId });
    const id = routing?.bottomId ?? named?.id;
    if (id !== undefined) {
      await this.removeChildren(type, id);
      await deleteRecord(context, pod, type, id);
    }
    if (routing) await this.forget([routing]);
    this.known.delete(keyOf(reference));
  }

  /** Removes the routings of resources that the pod has deleted, by their ids there. */
  async forgetInPod(type: NetworkType, ids: readonly string[]): Promise<void> {
    if (!ids.length) return;
    const filter = { podId: this.pod.id, resourceType: type, bottomId: [...ids] };
    await this.forget(await routings.listRoutings(centralContext(this.context).db, filter));
  }

  private async forget(gone: readonly Routing[]): Promise<void> {
    for (const { id } of gone)
      await writeRowInCentral(this.context, ({ db }) => routings.deleteRouting(db, id));
  }

  /** Reads which of the resources the pod has. */
  private async load(references: readonly Reference[]): Promise<void> {
    const unknown = references.filter((reference) => !this.known.has(keyOf(reference)));
    if (!unknown.length) return;
    const filter = { podId: this.pod.id, topId: unknown.map(({ id }) => id) };
    const found = await routings.listRoutings(centralContext(this.context).db, filter);
    for (const reference of unknown) this.unrouted.add(keyOf(reference));
    for (const { resourceType, topId, bottomId } of found) {
      this.unrouted.delete(`${resourceType}:${topId}`);
      if (bottomId !== null) this.known.set(`${resourceType}:${topId}`, bottomId);
    }
  }

  private async routingOf({ type, id }: Reference): Promise<Routing | undefined> {
    const filter = { podId: this.pod.id, topId: id, resourceType: type };
    return (await routings.listRoutings(centralContext(this.context).db, filter))[0];
  }

  /** Creates or updates one resource that the central region has. */
  private async bring(
    reference: Reference,
    record: NetworkRecord,
    isUnrouted: boolean,
  ): Promise<string> {
    const { context, pod } = this;
    const { type } = reference;
    const references = kinds[type].references(record);
    await this.load(references);
    for (const needed of references) await this.ensure(needed);
    const idInPod: IdInPod = (neededType, neededId) =>
      this.known.get(keyOf({ type: neededType, id: neededId }))!;
    const fields = () => newFields(type, record, idInPod);
    const routing = isUnrouted ? undefined : await this.routingOf(reference);
    const current =
      routing?.bottomId == null
        ? undefined
        : await readRecord(context, pod, type, routing.bottomId);
    if (routing && !current) await this.forget([routing]); // an administrator of the pod deleted it
    // If this process dies midway, or the pod refuses a part, the retry finishes the work. The
    // ports of servers have a job of their own.
    const isRetried = !current && type !== 'port';
    const retry = { ...reference, projectId: record.project_id, podId: pod.id };
    if (isRetried) await scheduleRetry(context, retry);
    const id = current
      ? await this.update(type, current, fields())
      : await this.create(reference, record, fields()).catch(async (error: unknown) => {
          if (!isMissing(error) || !references.length) throw error;
          // The pod may have lost what it had, by an administrator or a reset.
          for (const needed of references) await this.sync(needed);
          return this.create(reference, record, fields());
        });
    this.known.set(keyOf(reference), id);
    await this.syncChildren(type, record, id, current === undefined);
    if (isRetried) await cancelRetry(context, retry);
    return id;
  }

  private async update(
    type: NetworkType,
    current: NetworkRecord,
    fields: Readonly<Record<string, unknown>>,
  ): Promise<string> {
    const changes = changedFields(type, fields, current);
    if (Object.keys(changes).length)
      await updateRecord(this.context, this.pod, type, current.id, changes);
    return current.id;
  }

  /** Creates a resource, and records it. Of several processes that do so, one wins. */
  private async create(
    reference: Reference,
    record: NetworkRecord,
    fields: Readonly<Record<string, unknown>>,
  ): Promise<string> {
    const { context, pod } = this;
    const { type } = reference;
    const existing = kinds[type].mayRepeat ? await this.findByName(reference, record) : undefined;
    const made = existing ?? (await this.createOrFind(reference, record, fields));
    if (existing) await this.update(type, existing, fields);
    const id = await this.record(reference, record, made.id);
    if (id !== made.id) await deleteRecord(context, pod, type, made.id);
    return id;
  }

  /** Creates a resource; if that conflicts with one whose creation was not recorded, finds that. */
  private async createOrFind(
    reference: Reference,
    record: NetworkRecord,
    fields: Readonly<Record<string, unknown>>,
  ): Promise<NetworkRecord> {
    try {
      return await createRecord(this.context, this.pod, reference.type, fields);
    } catch (error) {
      const isConflict = error instanceof ApiError && [400, 409].includes(error.status);
      const found = isConflict ? await this.findByName(reference, record) : undefined;
      if (!found) throw error;
      await this.update(reference.type, found, fields);
      return found;
    }
  }

  /** Records the id of a resource in the pod. @returns the recorded id, which may be another one */
  private async record({ type, id }: Reference, record: NetworkRecord, bottomId: string) {
    try {
      const { bottomId: recorded } = await writeRowInCentral(this.context, (central) =>
        addRouting(central, {
          topId: id,
          bottomId,
          podId: this.pod.id,
          projectId: record.project_id,
          resourceType: type,
        }),
      );
      return recorded!;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
      return (await this.routingOf({ type, id }))?.bottomId ?? bottomId;
    }
  }

  /** Finds the resource in the pod by its name, which is the central id, and by its project. */
  private async findByName(
    { type, id }: Reference,
    record: NetworkRecord,
  ): Promise<NetworkRecord | undefined> {
    const { project_id: projectId, floating_ip_address: address } = record;
    if (type === 'floatingip' && address === undefined) return undefined;
    const query: [string, string] =
      type === 'floatingip' ? ['floating_ip_address', String(address)] : ['name', id];
    const found = await listRecords(this.context, this.pod, type, [query]);
    return found.find((candidate) => candidate.project_id === projectId);
  }

  /** Brings what belongs to a resource, and has no life of its own, up to date. */
  private async syncChildren(
    type: NetworkType,
    record: NetworkRecord,
    id: string,
    isNew: boolean,
  ): Promise<void> {
    if (type === 'security_group') await syncGroupRules(this, record, id);
    if (type === 'router') await syncInterfaces(this, record, id);
    if (type === 'subnet' && isNew) await syncRoutersOf(this, record);
  }

  /** Deletes what Neutron would not delete with a resource, and forgets what it would. */
  private async removeChildren(type: NetworkType, id: string): Promise<void> {
    const { context, pod } = this;
    if (type === 'router') await clearRouter(this, id);
    if (type === 'network') {
      const subnets = await listRecords(context, pod, 'subnet', [['network_id', id]]);
      await this.forgetInPod(
        'subnet',
        subnets.map((subnet) => subnet.id),
      );
    }
    if (type !== 'port') return;
    const addresses = await listRecords(context, pod, 'floatingip', [['port_id', id]]);
    for (const address of addresses) await deleteRecord(context, pod, 'floatingip', address.id);
    await this.forgetInPod(
      'floatingip',
      addresses.map((address) => address.id),
    );
  }
}
