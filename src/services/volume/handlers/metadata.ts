// Metadata of volumes and of snapshots: the same operations with two nouns.
import { createHash } from 'node:crypto';
import { ok, reply } from '../../../kernel/http/reply.ts';
import { badRequest, notFound } from '../../../kernel/fault.ts';
import type { Metadata } from '../domain/records.ts';
import { snapshotFor } from '../domain/volumes.ts';
import { updateSnapshot } from '../store/snapshots.ts';
import { updateVolume } from '../store/volumes.ts';
import { allow, bodyOf, viewerOf } from './requests.ts';
import { volumeOf } from './volumes.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { VolumeCall } from '../call.ts';

interface Subject {
  readonly id: string;
  readonly noun: 'Volume' | 'Snapshot';
  readonly metadata: Metadata;
  write(metadata: Metadata): Promise<unknown>;
}

type Find = (call: VolumeCall, rule: 'get' | 'create' | 'update' | 'delete') => Promise<Subject>;

const ofVolume: Find = async (call, rule) => {
  const volume = await volumeOf(call);
  allow(call, `volume:${rule}_volume_metadata`, volume.projectId);
  const { id, metadata } = volume;
  return { id, noun: 'Volume', metadata, write: (all) => updateVolume(call.db, volume, { metadata: all }, call.now) };
};

const ofSnapshot: Find = async (call, rule) => {
  const snapshot = await snapshotFor(call.db, viewerOf(call), call.params['snapshot_id']!);
  allow(call, `volume:${rule === 'create' ? 'update' : rule}_snapshot_metadata`, snapshot.projectId);
  const { id, metadata } = snapshot;
  return { id, noun: 'Snapshot', metadata, write: (all) => updateSnapshot(call.db, snapshot, { metadata: all }, call.now) };
};

const etagOf = (metadata: Metadata): string => createHash('md5').update(JSON.stringify({ metadata })).digest('hex');

/** Whether the client has seen what it is about to write over. */
function isStale(call: VolumeCall, { metadata }: Subject): boolean {
  const match = call.headers['if-match'];
  return call.at.has('3.15') && match !== undefined && match !== '*' && !match.includes(etagOf(metadata));
}

function keyOf(call: VolumeCall, subject: Subject): string {
  const key = call.params['key']!;
  if (!Object.hasOwn(subject.metadata, key)) throw notFound(`${subject.noun} ${subject.id} has no metadata with key ${key}.`);
  return key;
}

type Operations = Readonly<
  Record<'list' | 'create' | 'replace' | 'show' | 'update' | 'remove', (call: VolumeCall) => Promise<Reply>>
>;

const operations = (find: Find, etags: boolean): Operations => ({
  async list(call: VolumeCall): Promise<Reply> {
    const { metadata } = await find(call, 'get');
    return ok({ metadata }, etags && call.at.has('3.15') ? { etag: etagOf(metadata) } : undefined);
  },

  async create(call: VolumeCall): Promise<Reply> {
    const subject = await find(call, 'create');
    const metadata = { ...subject.metadata, ...(bodyOf(call, 'metadata') as Metadata) };
    await subject.write(metadata);
    return ok({ metadata });
  },

  async replace(call: VolumeCall): Promise<Reply> {
    const subject = await find(call, 'update');
    if (etags && isStale(call, subject)) return reply(412);
    const metadata = bodyOf(call, 'metadata') as Metadata;
    await subject.write(metadata);
    return ok({ metadata });
  },

  async show(call: VolumeCall): Promise<Reply> {
    const subject = await find(call, 'get');
    const key = keyOf(call, subject);
    return ok({ meta: { [key]: subject.metadata[key] } });
  },

  async update(call: VolumeCall): Promise<Reply> {
    const meta = bodyOf(call, 'meta') as Metadata;
    if (!Object.hasOwn(meta, call.params['key']!)) throw badRequest('Request body and URI mismatch');
    const subject = await find(call, 'update');
    if (etags && isStale(call, subject)) return reply(412);
    await subject.write({ ...subject.metadata, ...meta });
    return ok({ meta });
  },

  async remove(call: VolumeCall): Promise<Reply> {
    const subject = await find(call, 'delete');
    const key = keyOf(call, subject);
    await subject.write(Object.fromEntries(Object.entries(subject.metadata).filter(([name]) => name !== key)));
    return reply(200);
  },
});

/** GET, POST, PUT /v3/volumes/{volume_id}/metadata and GET, PUT, DELETE of a key below it. */
export const volumes = operations(ofVolume, true);

/** The same below /v3/snapshots/{snapshot_id}. */
export const snapshots = operations(ofSnapshot, false);
