// Requests about servers, volumes and images, to pods and to the central region, as Tricircle's own
// user.
import { ApiError } from '../../../kernel/errors.ts';
import { importHeader, importValue, type Imported } from '../../../kernel/http/imports.ts';
import type { Context } from '../../../kernel/model.ts';
import type { Pod } from '../model.ts';
import { computeDefinition } from './compute.ts';
import { imageDefinition } from './image.ts';
import { PodFailure, requestCentre, requestPod, type AdminRequest } from './pods.ts';
import { volumeDefinition } from './volume.ts';

const definitions = {
  compute: computeDefinition,
  volumev3: volumeDefinition,
  image: imageDefinition,
};

/** Type of a service in the catalog. */
export type ServiceType = keyof typeof definitions;

/** The prefixes of paths at the central region, where the catalog's URL is not used. */
const versionPaths: Readonly<Record<ServiceType, string>> = {
  compute: '/v2.1',
  volumev3: '/v3',
  image: '',
};

/** The newest microversions that a migration needs. */
const versions: Readonly<Partial<Record<ServiceType, string>>> = {
  compute: '2.90',
  volumev3: '3.50',
};

/** The body of a reply. */
export type Json = Readonly<Record<string, unknown>>;

/** A reply with success. */
export interface Answer {
  readonly body: Json;
  readonly bytes?: Buffer;
}

/**
 * Sends a request.
 * @returns undefined if there is no such resource
 * @throws PodFailure if the service does not answer or fails; ApiError if it refuses
 */
export async function ask(
  context: Context,
  place: Pod | 'centre',
  service: ServiceType,
  request: AdminRequest,
): Promise<Answer | undefined> {
  const version = request.version ?? versions[service];
  const versioned = { ...request, ...(version === undefined ? {} : { version }) };
  const reply =
    place === 'centre'
      ? await requestCentre(context, definitions[service], {
          ...versioned,
          path: versionPaths[service] + request.path,
        })
      : await requestPod(context, place, service, versioned);
  const { status, body } = reply;
  if (status < 300) return reply;
  if (status === 404) return undefined;
  const message = String(body['message']);
  if (status >= 500) throw new PodFailure(message);
  throw new ApiError(status, message, { code: 'tricircle.refused' });
}

/** Reads the resource under a key of a reply; undefined if there is none. @throws as `ask` */
export async function read(
  context: Context,
  place: Pod | 'centre',
  service: ServiceType,
  { path, key, ...rest }: Pick<AdminRequest, 'path' | 'query' | 'version'> & { key: string },
): Promise<Json | undefined> {
  const answer = await ask(context, place, service, { method: 'GET', path, ...rest });
  return answer?.body[key] as Json | undefined;
}

/** A resource to create with the id, owner and age that it has elsewhere. */
export interface NewImport {
  /** The path of its type, below the version. */
  readonly path: string;
  /** Its key in a reply. */
  readonly key: string;
  readonly imported: Imported;
  readonly body: Json;
}

/**
 * Creates a resource in a pod with a given id.
 * @returns false if the pod is no emulator, and gives ids of its own
 * @throws as `ask`
 */
export async function importResource(
  context: Context,
  pod: Pod,
  service: ServiceType,
  { path, key, imported, body }: NewImport,
): Promise<boolean> {
  const headers = { [importHeader]: importValue(imported) };
  const answer = await ask(context, pod, service, { method: 'POST', path, body, headers });
  const made = (answer?.body[key] as Json | undefined)?.['id'];
  if (made === imported.id) return true;
  if (typeof made === 'string')
    await ask(context, pod, service, { method: 'DELETE', path: `${path}/${made}` });
  return false;
}

/** Sends an action of a server or volume. @throws as `ask` */
export const act = (
  context: Context,
  pod: Pod,
  service: ServiceType,
  path: string,
  action: Json,
): Promise<Answer | undefined> =>
  ask(context, pod, service, { method: 'POST', path: `${path}/action`, body: action });

/** The paths of resources. */
export const serverPath = (id: string): string => `/servers/${encodeURIComponent(id)}`;
export const volumePath = (id: string): string => `/volumes/${encodeURIComponent(id)}`;
export const groupPath = (id: string): string => `/os-server-groups/${encodeURIComponent(id)}`;

export const readServer = (context: Context, pod: Pod, id: string): Promise<Json | undefined> =>
  read(context, pod, 'compute', { path: serverPath(id), key: 'server' });

/** The id of a server's flavor, which Nova no longer shows from 2.47 on. */
export async function readFlavorId(context: Context, pod: Pod, id: string): Promise<string> {
  const request = { path: serverPath(id), key: 'server', version: '2.46' };
  const server = await read(context, pod, 'compute', request);
  return String((server?.['flavor'] as Json | undefined)?.['id']);
}

export const readVolume = (context: Context, pod: Pod, id: string): Promise<Json | undefined> =>
  read(context, pod, 'volumev3', { path: volumePath(id), key: 'volume' });

export const readGroup = (context: Context, pod: Pod, id: string): Promise<Json | undefined> =>
  read(context, pod, 'compute', { path: groupPath(id), key: 'server_group' });

/** A volume of a server, as Nova shows it. */
export interface ServerVolume {
  readonly volumeId: string;
  readonly device: string | null;
  readonly tag: string | null;
  readonly delete_on_termination: boolean;
}

/** Lists the volumes of a server. */
export async function listServerVolumes(
  context: Context,
  pod: Pod,
  id: string,
): Promise<readonly ServerVolume[]> {
  const path = `${serverPath(id)}/os-volume_attachments`;
  const answer = await ask(context, pod, 'compute', { method: 'GET', path });
  return (answer?.body['volumeAttachments'] ?? []) as ServerVolume[];
}
