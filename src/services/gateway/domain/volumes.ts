// Creates volumes in pods, and keeps the pods' volume types like those of the central region.
import { notFound, type ApiError } from '../../../kernel/errors.ts';
import type { GatewayCall, Json } from '../call.ts';
import { listVolumeTypes, readVolumeType } from '../clients/centre.ts';
import { carryOut, execute } from '../clients/execute.ts';
import { successBody, type ServiceReply, type ServiceRequest } from '../clients/message.ts';
import { requestFromPod } from '../clients/pods.ts';
import type { Pod } from '../clients/tricircle.ts';
import { imageIdFor, imageSteps, unknownVolumeImage } from './images/for-requests.ts';
import { findVolumeType, planVolume, volumeTypeStep } from './plan.ts';
import { choosePodFor } from './pod-choice.ts';
import { referencesOfVolume, serversOfVolume } from './references.ts';
import {
  findPodOf,
  pathBelowVersion,
  routeCreated,
  showInPod,
} from '../clients/routed-resources.ts';
import { defaultType, type VolumeDemand } from '../clients/volume.ts';
import { withinVolumeQuota } from './volume-quotas.ts';

/**
 * Creates a volume in the pod that suits the request, after bringing the pod its type and image.
 * @throws 400, 403, 404, 409, 500, 503, 504
 */
export async function createVolume(
  call: GatewayCall,
  body: { readonly volume: Json },
): Promise<{ pod: Pod; reply: ServiceReply }> {
  const { image_id: imageId, imageRef = imageId, ...others } = body.volume;
  const image = typeof imageRef === 'string' ? await imageIdFor(call, imageRef) : undefined;
  const volume = { ...others, ...(image === undefined ? {} : { imageRef: image }) };
  const { volume_type: typeName, size } = body.volume;
  const hasType = typeof typeName === 'string' && typeName !== '';
  const type = hasType ? await readVolumeType(call, typeName) : undefined;
  if (hasType && !type) throw notFound(`Volume type with name ${typeName} could not be found.`);
  const images = image === undefined ? [] : await imageSteps(call, [image], unknownVolumeImage);
  const pod = await choosePodFor(call, {
    name: body.volume['name'],
    zone: body.volume['availability_zone'],
    specs: type?.extraSpecs ?? {},
    references: referencesOfVolume(body),
    serversOfVolume: serversOfVolume(body),
    // A volume that is made from another one may have no size of its own.
    ...(typeof size === 'number' ? { demand: { volume_gb: size } } : {}),
  });
  const source = await readSource(call, pod, body.volume);
  const gigabytes = Number(body.volume['size'] ?? source?.['size'] ?? 0);
  const demand = {
    projectId: call.caller!.projectId!,
    typeName: type?.fields.name ?? (await readTypeName(call, pod, source)),
    volumes: 1,
    gigabytes,
    volumeSize: gigabytes,
  };
  return withinVolumeQuota(call, demand, async () => {
    const reply = await execute(call, pod, planVolume({ type, images }, pod, { ...body, volume }));
    await routeCreated(call, pod, 'volume', reply);
    return { pod, reply };
  });
}

/** The volume or snapshot that a new volume copies; undefined for none, and for an unknown one. */
async function readSource(
  call: GatewayCall,
  pod: Pod,
  { snapshot_id: snapshotId, source_volid: volumeId }: Json,
): Promise<Json | undefined> {
  if (typeof snapshotId === 'string') return showInPod(call, pod, 'snapshot', snapshotId);
  return typeof volumeId === 'string' ? showInPod(call, pod, 'volume', volumeId) : undefined;
}

/** The name of the type of a new volume that names none: that of its source, or the default. */
async function readTypeName(
  call: GatewayCall,
  pod: Pod,
  source: Json | undefined,
): Promise<string> {
  const { volume_type: ofVolume, volume_id: volumeId } = source ?? {};
  const type =
    typeof volumeId === 'string'
      ? (await showInPod(call, pod, 'volume', volumeId))?.['volume_type']
      : ofVolume;
  return typeof type === 'string' ? type : (await defaultType(call)).name;
}

/** What a snapshot of a volume adds to the usage; undefined for an unknown volume. */
export async function snapshotDemand(
  call: GatewayCall,
  pod: Pod,
  volumeId: string,
): Promise<VolumeDemand | undefined> {
  const volume = await showInPod(call, pod, 'volume', volumeId);
  return (
    volume && {
      projectId: call.caller?.projectId ?? '',
      typeName: String(volume['volume_type']),
      snapshots: 1,
      gigabytes: Number(volume['size']),
    }
  );
}

/**
 * What an action of a volume adds to the usage; undefined for nothing, and for an unknown volume.
 */
export async function actionDemand(
  call: GatewayCall,
  volumeId: string,
): Promise<VolumeDemand | undefined> {
  const { 'os-extend': extend, 'os-retype': retype } = call.body as {
    readonly 'os-extend'?: { readonly new_size: number | string };
    readonly 'os-retype'?: { readonly new_type: string };
  };
  if (!extend && !retype) return undefined;
  const pod = await findPodOf(call, 'volume', volumeId);
  const volume = pod && (await showInPod(call, pod, 'volume', volumeId));
  if (!volume) return undefined;
  const { size: current, volume_type: typeName } = volume as { size: number; volume_type: string };
  const projectId = String(volume['os-vol-tenant-attr:tenant_id'] ?? call.caller?.projectId ?? '');
  if (extend) {
    const volumeSize = Number(extend.new_size);
    const gigabytes = Math.max(0, volumeSize - current);
    return { projectId, typeName, gigabytes, volumeSize };
  }
  const type = await readVolumeType(call, retype!.new_type);
  if (!type || type.fields.name === typeName) return undefined;
  const { name } = type.fields;
  return { projectId, typeName: name, volumes: 1, gigabytes: current, typeOnly: true };
}

/**
 * Brings a pod a volume type of the central region.
 * @returns its name, which the pod knows instead of its id; undefined for an unknown type
 */
export async function bringVolumeType(
  call: GatewayCall,
  pod: Pod,
  idOrName: string,
): Promise<string | undefined> {
  const type = await readVolumeType(call, idOrName);
  if (type) await carryOut(call, pod, [volumeTypeStep(type)]);
  return type?.fields.name;
}

/** Brings a pod the image that overwrites a volume. @throws 404, 409 */
export async function bringImage(call: GatewayCall, pod: Pod, id: string): Promise<void> {
  const refusal = (_: string, status?: string): ApiError =>
    status === undefined
      ? notFound(`Image ${id} could not be found.`)
      : unknownVolumeImage(id, status);
  await carryOut(call, pod, await imageSteps(call, [id], refusal));
}

/** Sends a write to a volume type to a pod, which has the type under another id. */
export async function writeTypeInPod(
  call: GatewayCall,
  pod: Pod,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<ServiceReply | undefined> {
  const listed = successBody(await requestFromPod(call, pod, listVolumeTypes));
  const type = findVolumeType(listed, name);
  if (!type) return undefined;
  const below = pathBelowVersion(call).slice(`/types/${id}`.length);
  return requestFromPod(call, pod, sameRequestTo(call, `/types/${type.id}${below}`));
}

/** The client's request with another path. */
const sameRequestTo = ({ method, query, raw }: GatewayCall, path: string): ServiceRequest => ({
  method,
  path,
  query: query.text,
  ...(raw?.length ? { bytes: raw } : {}),
});
