// Volumes: list, show, create, update, delete, and what they are together.
import { accepted, ok, reply } from '../../../kernel/http/reply.ts';
import { badRequest, conflict } from '../../../kernel/fault.ts';
import { isUuidLike } from '../../../kernel/ids.ts';
import { findImages } from '../../image/index.ts';
import { isTrue, metadataOf as dictionaryOf, readQuery, type Kind } from '../domain/list-query.ts';
import { takeQuotaTurn } from '../domain/quotas.ts';
import type { Metadata, Volume } from '../domain/records.ts';
import { invalidVolume } from '../domain/refusals.ts';
import { createVolume, removeVolume, volumeFor } from '../domain/volumes.ts';
import type { Condition } from '../store/listing.ts';
import { metadataOf } from '../store/metadata.ts';
import { countVolumes, listVolumes, updateVolume, volumeIds, volumePlace } from '../store/volumes.ts';
import { nextLink } from '../views/links.ts';
import { volumeDetail, volumeFull, volumeSummary } from '../views/volumes.ts';
import { allow, bodyOf, isAdmin, makerOf, trimmed, truth, viewerOf, type Fields } from './requests.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { VolumeCall } from '../call.ts';

const kind: Kind = {
  columns: {
    id: 'id', name: 'name', display_name: 'name', description: 'description', display_description: 'description', status: 'status', size: 'size',
    bootable: 'bootable', multiattach: 'multiattach', migration_status: 'migration_status', availability_zone: 'availability_zone',
    project_id: 'project_id', user_id: 'user_id', volume_type_id: 'type_id', host: 'host', snapshot_id: 'snapshot_id',
    source_volid: 'source_volid', attach_status: 'attach_status',
  },
  open: [
    'name', 'status', 'metadata', 'bootable', 'migration_status', 'availability_zone', 'group_id', 'size', 'created_at', 'updated_at',
    'consumes_quota',
  ],
  booleans: ['bootable', 'multiattach'],
  numbers: ['size'],
  sortable: {
    id: 'id', name: 'name', display_name: 'name', status: 'status', size: 'size', bootable: 'bootable', created_at: 'created_at',
    updated_at: 'updated_at', availability_zone: 'availability_zone', host: 'host', attach_status: 'attach_status', project_id: 'project_id',
    user_id: 'user_id', volume_type_id: 'type_id', migration_status: 'migration_status', multiattach: 'multiattach',
  },
  empty: ['group_id', 'consistencygroup_id', 'encryption_key_id', 'replication_status', 'provider_id', 'cluster_name'],
}; // prettier-ignore

/** Filters that came with a version, for those who are older. */
const came = {
  glance_metadata: '3.4',
  group_id: '3.10',
  created_at: '3.60',
  updated_at: '3.60',
  consumes_quota: '3.65',
} as const;

/** GET /v3/volumes */
export const list = (call: VolumeCall): Promise<Reply> => listed(call, 'volumes', (volume) => volumeSummary(call, volume));

/** GET /v3/volumes/detail */
export const listDetail = (call: VolumeCall): Promise<Reply> =>
  listed(call, 'volumes/detail', (volume) => volumeFull(call, volume));

async function listed(call: VolumeCall, collection: string, view: (volume: Volume) => object): Promise<Reply> {
  const { at, db } = call;
  allow(call, 'volume:get_all');
  const viewer = viewerOf(call);
  const { marker, allTenants, withCount, ...listing } = readQuery(call.query, kind, {
    isAdmin: viewer.isAdmin,
    refusesUnknown: at.has('3.31'),
    findsParts: at.has('3.34'),
    strictBooleans: at.has('3.2'),
    notYet: [
      ...Object.entries(came)
        .filter(([, version]) => !at.has(version))
        .map(([name]) => name),
      'consumes_quota',
      ...(viewer.isAdmin ? ['glance_metadata'] : []),
    ],
    withCount: at.has('3.45'),
  });
  const projectId = allTenants ? undefined : (viewer.projectId ?? '');
  const after = marker === undefined ? undefined : volumePlace(await volumeFor(db, viewer, marker));
  const scope = quotaFree(call) ? [{ column: 'id', operator: 'never' as const, value: null }] : [];
  const asked = { ...listing, conditions: [...listing.conditions, ...imageConditions(call), ...scope], projectId };
  const volumes = await listVolumes(db, { ...asked, after });
  const count = withCount ? { count: (await countVolumes(db, asked)).count } : {};
  return ok({ volumes: volumes.map(view), ...nextLink(call, collection, 'volumes_links', volumes), ...count });
}

/** Every volume counts towards the quota, so that who asks for others finds none. */
export const quotaFree = ({ at, query }: VolumeCall): boolean =>
  at.has('3.65') && query.has('consumes_quota') && !isTrue(query.last('consumes_quota'));

/** The image metadata that administrators may ask for: pairs that stand so in the column. */
function imageConditions(call: VolumeCall): Condition[] {
  const text = call.at.has('3.4') && isAdmin(call) ? call.query.last('glance_metadata') : undefined;
  if (text === undefined) return [];
  return Object.entries(dictionaryOf(text)).map(([name, value]) => ({
    column: 'image_metadata',
    operator: 'contains',
    value: `${JSON.stringify(name)}:${JSON.stringify(value)}`,
  }));
}

/** GET /v3/volumes/summary */
export async function summarize(call: VolumeCall): Promise<Reply> {
  allow(call, 'volume:get_all');
  const { isAdmin: admin, projectId: own = '' } = viewerOf(call);
  const projectId = admin && isTrue(call.query.last('all_tenants')) ? undefined : own;
  const { count, size } = await countVolumes(call.db, { projectId, conditions: [], metadata: {} });
  const metadata = await metadataOf(call.db, await volumeIds(call.db, projectId));
  const values: Record<string, string[]> = {};
  for (const [name, value] of [...metadata.values()].flatMap((one) => Object.entries(one)))
    values[name] = [...new Set([...(values[name] ?? []), value])];
  return ok({ 'volume-summary': { total_count: count, total_size: size, ...call.at.since('3.36', { metadata: values }) } });
}

/** The volume that the path names. @throws 404 */
export async function volumeOf(call: VolumeCall): Promise<Volume> {
  const id = call.params['volume_id']!;
  const volume = await volumeFor(call.db, viewerOf(call), id);
  return volume;
}

/** GET /v3/volumes/{volume_id} */
export async function show(call: VolumeCall): Promise<Reply> {
  const volume = await volumeOf(call);
  allow(call, 'volume:get', volume.projectId);
  return ok({ volume: volumeFull(call, volume) });
}

/** POST /v3/volumes */
export async function create(call: VolumeCall): Promise<Reply> {
  await takeQuotaTurn(call.db);
  const maker = makerOf(call);
  const fields = bodyOf(call, 'volume');
  if (truth(fields['multiattach']))
    throw badRequest(
      'multiattach parameter has been removed. The default behavior is to use multiattach enabled volume types. Contact your administrator to create a multiattach enabled volume type and use it to create multiattach volumes.',
    );
  for (const name of ['group_id', 'consistencygroup_id', 'backup_id'])
    if (fields[name]) throw badRequest(`Invalid input received: There is no such ${name.slice(0, -3)}: ${String(fields[name])}.`);
  const imageId = await imageIdOf(call, fields['imageRef'] ?? fields['image_id']);
  allow(call, imageId === undefined ? 'volume:create' : 'volume:create_from_image');
  const request = {
    name: trimmed(fields, 'name', 'display_name'),
    description: trimmed(fields, 'description', 'display_description'),
    size: fields['size'] == null ? null : Number(fields['size']),
    type: fields['volume_type'] as string | null | undefined,
    availabilityZone: fields['availability_zone'] as string | null | undefined,
    metadata: fields['metadata'] as Metadata | null | undefined,
    imageId,
    snapshotId: fields['snapshot_id'] as string | null | undefined,
    sourceVolid: fields['source_volid'] as string | null | undefined,
    requestId: call.requestId,
  };
  return accepted({ volume: volumeDetail(call, await createVolume(call.db, maker, request, call.now)) });
}

/** The id of the image that a reference names, by id, by name, or by URL. @throws 400, 409 */
async function imageIdOf(call: VolumeCall, reference: unknown): Promise<string | undefined> {
  if (reference === undefined || reference === null) return undefined;
  const text = reference as string;
  const viewer = viewerOf(call);
  const id = text.split('/').at(-1)!;
  if (isUuidLike(id)) {
    const [image] = await findImages(call.db, viewer, { id });
    if (image) return image.id;
  }
  const named = await findImages(call.db, viewer, { name: text });
  if (named.length > 1) throw conflict(`Multiple matches found for '${text}', use an ID to be more specific.`);
  if (!named[0]) throw badRequest('Invalid image identifier or unable to access requested image.');
  return named[0].id;
}

/** PUT /v3/volumes/{volume_id} */
export async function update(call: VolumeCall): Promise<Reply> {
  const volume = await volumeOf(call);
  allow(call, 'volume:update', volume.projectId);
  if (volume.status === 'maintenance') throw invalidVolume('The volume cannot be updated during maintenance.');
  const fields: Fields = bodyOf(call, 'volume');
  const name = trimmed(fields, 'name', 'display_name');
  const description = trimmed(fields, 'description', 'display_description');
  const change = {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(fields['metadata'] ? { metadata: fields['metadata'] as Metadata } : {}),
  };
  return ok({ volume: volumeDetail(call, await updateVolume(call.db, volume, change, call.now)) });
}

/** DELETE /v3/volumes/{volume_id} */
export async function remove(call: VolumeCall): Promise<Reply> {
  const { at, query } = call;
  const cascade = isTrue(query.last('cascade'));
  const force = at.has('3.23') && isTrue(query.last('force'));
  const volume = await volumeOf(call);
  if (force) allow(call, 'volume:force_delete', volume.projectId);
  allow(call, 'volume:delete', volume.projectId);
  await removeVolume(call.db, volume, { cascade, force }, call.now);
  return reply(202);
}
