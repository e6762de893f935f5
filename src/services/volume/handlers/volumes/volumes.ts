// The handlers of volumes: list, summarize, show, create, update, delete. Upstream:
// cinder/api/v3/volumes.py.
import { badRequest } from '../../../../kernel/errors.ts';
import { importContext, readImport } from '../../../../kernel/http/imports.ts';
import { accepted, ok, reply } from '../../../../kernel/http/reply.ts';
import type { Reply } from '../../../../kernel/model.ts';
import { isTrue } from '../../../../kernel/oslo/booleans.ts';
import type { VolumeCall } from '../../call.ts';
import { acquireQuotaLock } from '../../domain/quotas.ts';
import type { Backup, Group, Metadata, Volume, VolumeRow } from '../../model.ts';
import { projectOf } from '../../domain/visibility.ts';
import { imageIdFor, snapshotInImage } from '../../domain/volumes/images.ts';
import {
  changeVolume,
  createVolume,
  listVolumes,
  removeVolume,
  summarizeVolumes,
} from '../../domain/volumes/volumes.ts';
import { pageLimitsOf } from '../../domain/settings.ts';
import { authorize } from '../../policy.ts';
import type { Comparison } from '../../store/lists.ts';
import { nextLink } from '../../views/links.ts';
import { volumeDetail, volumeFull, volumeSummary } from '../../views/volumes.ts';
import {
  dictionaryOf,
  readListQuery,
  versionedList,
  type ListOptions,
} from '../requests/list-query.ts';
import { bodyOf, changedTexts, trimmed, type Fields } from '../requests/body.ts';
import { volumeFields, volumeFilterVersions } from '../requests/list-fields.ts';
import { backupWithId, groupWithId, volumeOf } from '../requests/subjects.ts';

/** GET /v3/volumes */
export const list = (call: VolumeCall): Promise<Reply> =>
  listed(call, 'volumes', (volume) => volumeSummary(call, volume));

/** GET /v3/volumes/detail */
export const listDetail = (call: VolumeCall): Promise<Reply> =>
  listed(call, 'volumes/detail', (volume) => volumeFull(call, volume));

async function listed(
  call: VolumeCall,
  collection: string,
  view: (volume: Volume) => object,
): Promise<Reply> {
  authorize(call, 'volume:get_all');
  const limits = await pageLimitsOf(call);
  const request = readListQuery(call.query, volumeFields, listOptions(call), limits);
  const conditions = [...request.conditions, ...imageConditions(call), ...quotaConditions(call)];
  const { volumes, count } = await listVolumes(call, { ...request, conditions });
  const link = nextLink(call, collection, 'volumes_links', volumes, limits);
  return ok({ volumes: volumes.map(view), ...link, ...(count === undefined ? {} : { count }) });
}

function listOptions(call: VolumeCall): ListOptions {
  const { version: at, actor } = call;
  const laterFilters = Object.entries(volumeFilterVersions)
    .filter(([, version]) => !at.has(version))
    .map(([name]) => name);
  return versionedList(call, {
    strictBooleans: at.has('3.2'),
    ignored: [...laterFilters, 'consumes_quota', ...(actor.isAdmin ? ['glance_metadata'] : [])],
    withCount: at.has('3.45'),
  });
}

/** The filter `consumes_quota`. All volumes and snapshots do, so `false` matches nothing. */
export const quotaConditions = ({ version, query }: VolumeCall): 'never'[] =>
  version.has('3.65') && query.has('consumes_quota') && !isTrue(query.last('consumes_quota'))
    ? ['never']
    : [];

/**
 * The filter on image metadata, for administrators. It searches for pairs in the JSON text of the
 * column.
 */
function imageConditions({ version, actor, query }: VolumeCall): Comparison<VolumeRow>[] {
  const text = version.has('3.4') && actor.isAdmin ? query.last('glance_metadata') : undefined;
  if (text === undefined) return [];
  return Object.entries(dictionaryOf(text)).map(([name, value]) => ({
    field: 'imageMetadata',
    operator: 'contains',
    value: `${JSON.stringify(name)}:${JSON.stringify(value)}`,
  }));
}

/** GET /v3/volumes/summary */
export async function summarize(call: VolumeCall): Promise<Reply> {
  authorize(call, 'volume:get_all');
  const { isAdmin, projectId = '' } = call.actor;
  const allTenants = isAdmin && isTrue(call.query.last('all_tenants'));
  const { count, size, metadata } = await summarizeVolumes(
    call,
    allTenants ? undefined : projectId,
  );
  return ok({
    'volume-summary': {
      total_count: count,
      total_size: size,
      ...call.version.since('3.36', { metadata }),
    },
  });
}

/** GET /v3/volumes/{volume_id} */
export async function show(call: VolumeCall): Promise<Reply> {
  const volume = await volumeOf(call);
  authorize(call, 'volume:get', volume.projectId);
  return ok({ volume: volumeFull(call, volume) });
}

interface VolumeBody extends Fields {
  readonly size?: number | string | null;
  readonly volume_type?: string | null;
  readonly availability_zone?: string | null;
  readonly metadata?: Metadata | null;
  readonly imageRef?: string | null;
  readonly image_id?: string | null;
  readonly snapshot_id?: string | null;
  readonly source_volid?: string | null;
  readonly group_id?: string | null;
  readonly consistencygroup_id?: string | null;
  readonly backup_id?: string | null;
}

/** POST /v3/volumes */
export async function create(call: VolumeCall): Promise<Reply> {
  await acquireQuotaLock(call);
  projectOf(call);
  const fields = bodyOf<VolumeBody>(call, 'volume');
  checkUnsupported(fields);
  const group = await groupInBody(call, fields);
  const reference = fields.imageRef ?? fields.image_id ?? undefined;
  const imageId = reference === undefined ? undefined : await imageIdFor(call, reference);
  authorize(call, imageId === undefined ? 'volume:create' : 'volume:create_from_image');
  const imageSnapshot =
    imageId !== undefined && call.version.has('3.46')
      ? await snapshotInImage(call, imageId)
      : undefined;
  const backup = await backupInBody(call, fields);
  const origin = readImport(call) ?? null;
  const volume = await createVolume(importContext(call, origin), {
    origin,
    name: trimmed(fields, 'name', 'display_name'),
    description: trimmed(fields, 'description', 'display_description'),
    size: fields.size == null ? null : Number(fields.size),
    type: fields.volume_type,
    availabilityZone: fields.availability_zone,
    metadata: fields.metadata,
    imageId: imageSnapshot === undefined ? imageId : undefined,
    snapshotId: imageSnapshot ?? fields.snapshot_id,
    sourceVolid: fields.source_volid,
    group,
    backup,
  });
  // The type is known only now, because an image or a source may determine it.
  if (volume.multiattach) authorize(call, 'volume:multiattach');
  return accepted({ volume: volumeDetail(call, volume) });
}

/** The group that a new volume is created in, if the body names one. @throws 403, 404 */
async function groupInBody(
  call: VolumeCall,
  { group_id: groupId, consistencygroup_id: consistencyGroupId }: VolumeBody,
): Promise<Group | undefined> {
  const id = groupId ?? consistencyGroupId ?? undefined;
  return id === undefined ? undefined : groupWithId(call, id);
}

/** The backup that a new volume is created from, if the body names one. @throws 403, 404 */
async function backupInBody(
  call: VolumeCall,
  { backup_id: id }: VolumeBody,
): Promise<Backup | undefined> {
  return id ? backupWithId(call, id) : undefined;
}

/** @throws 400 for the field `multiattach` */
function checkUnsupported(fields: Fields): void {
  if (isTrue(fields['multiattach']))
    throw badRequest(
      'multiattach parameter has been removed. The default behavior is to use multiattach ' +
        'enabled volume types. Contact your administrator to create a multiattach enabled ' +
        'volume type and use it to create multiattach volumes.',
    );
}

/** PUT /v3/volumes/{volume_id} */
export async function update(call: VolumeCall): Promise<Reply> {
  const volume = await volumeOf(call);
  authorize(call, 'volume:update', volume.projectId);
  const fields = bodyOf<VolumeBody>(call, 'volume');
  const metadata = fields.metadata ? { metadata: fields.metadata } : {};
  return ok({
    volume: volumeDetail(
      call,
      await changeVolume(call, volume, { ...changedTexts(fields), ...metadata }),
    ),
  });
}

/** DELETE /v3/volumes/{volume_id} */
export async function remove(call: VolumeCall): Promise<Reply> {
  const { version, query } = call;
  const cascade = isTrue(query.last('cascade'));
  const force = version.has('3.23') && isTrue(query.last('force'));
  const volume = await volumeOf(call);
  if (force) authorize(call, 'volume:force_delete', volume.projectId);
  authorize(call, 'volume:delete', volume.projectId);
  await removeVolume(call, volume, { cascade, force });
  return reply(202);
}
