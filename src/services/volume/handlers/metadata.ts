// The handlers of metadata, which are the same for volumes and snapshots. Upstream:
// cinder/api/v3/{volume,snapshot}_metadata.py.
import { createHash } from 'node:crypto';
import { badRequest } from '../../../kernel/errors.ts';
import { ok, reply } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { VolumeCall } from '../call.ts';
import {
  addMetadata,
  metadataItem,
  removeMetadataItem,
  replaceMetadata,
  snapshotOwner,
  volumeOwner,
  type MetadataOwner,
} from '../domain/metadata.ts';
import type { Metadata } from '../model.ts';
import { authorize } from '../policy.ts';
import { bodyOf } from './requests/body.ts';
import { snapshotOf, volumeOf } from './requests/subjects.ts';

type Find = (
  call: VolumeCall,
  operation: 'get' | 'create' | 'update' | 'delete',
) => Promise<MetadataOwner>;

const findVolume: Find = async (call, operation) => {
  const volume = await volumeOf(call);
  authorize(call, `volume:${operation}_volume_metadata`, volume.projectId);
  return volumeOwner(volume);
};

const findSnapshot: Find = async (call, operation) => {
  const snapshot = await snapshotOf(call);
  authorize(
    call,
    `volume:${operation === 'create' ? 'update' : operation}_snapshot_metadata`,
    snapshot.projectId,
  );
  return snapshotOwner(snapshot);
};

const etagOf = (metadata: Metadata): string =>
  createHash('md5').update(JSON.stringify({ metadata })).digest('hex');

/** Returns whether If-Match has the ETag of other metadata than the current. */
function isStale(call: VolumeCall, { metadata }: MetadataOwner): boolean {
  const match = call.headers['if-match'];
  return (
    call.version.has('3.15') &&
    match !== undefined &&
    match !== '*' &&
    !match.includes(etagOf(metadata))
  );
}

type Operations = Readonly<
  Record<
    'list' | 'create' | 'replace' | 'show' | 'update' | 'remove',
    (call: VolumeCall) => Promise<Reply>
  >
>;

const operations = (find: Find, { hasEtags }: { readonly hasEtags: boolean }): Operations => ({
  async list(call) {
    const { metadata } = await find(call, 'get');
    return ok(
      { metadata },
      hasEtags && call.version.has('3.15') ? { etag: etagOf(metadata) } : undefined,
    );
  },

  async create(call) {
    const owner = await find(call, 'create');
    return ok({ metadata: await addMetadata(call, owner, bodyOf<Metadata>(call, 'metadata')) });
  },

  async replace(call) {
    const owner = await find(call, 'update');
    if (hasEtags && isStale(call, owner)) return reply(412);
    const metadata = bodyOf<Metadata>(call, 'metadata');
    await replaceMetadata(call, owner, metadata);
    return ok({ metadata });
  },

  async show(call) {
    const owner = await find(call, 'get');
    const key = call.params['key']!;
    return ok({ meta: { [key]: metadataItem(owner, key) } });
  },

  async update(call) {
    const meta = bodyOf<Metadata>(call, 'meta');
    if (!Object.hasOwn(meta, call.params['key']!))
      throw badRequest('Request body and URI mismatch');
    const owner = await find(call, 'update');
    if (hasEtags && isStale(call, owner)) return reply(412);
    await addMetadata(call, owner, meta);
    return ok({ meta });
  },

  async remove(call) {
    const owner = await find(call, 'delete');
    await removeMetadataItem(call, owner, call.params['key']!);
    return reply(200);
  },
});

/** GET, POST and PUT /v3/volumes/{volume_id}/metadata, and GET, PUT and DELETE of a key in it. */
export const volumes = operations(findVolume, { hasEtags: true });

/** The same operations below /v3/snapshots/{snapshot_id}. */
export const snapshots = operations(findSnapshot, { hasEtags: false });
