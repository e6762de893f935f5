// Prepares a started server for a suite, as its administrator.
import { tokenOf } from '../../support/tokens.ts';

export interface Named {
  readonly id: string;
  readonly name: string;
}

/**
 * Sends a request with JSON, or with bytes unchanged.
 * @returns the parsed JSON of the reply
 * @throws Error if the request fails
 */
export type Ask = <T>(method: string, path: string, body?: object) => Promise<T>;

/**
 * Signs the administrator in to the cloud at that address.
 * @param prefix the path of the region that the requests go to, empty for the first one
 */
export async function signIn(origin: string, prefix = ''): Promise<Ask> {
  const token = await tokenOf(origin, 'admin');
  return (method, path, body) => ask(origin + prefix, token, method, path, body);
}

async function ask<T>(
  origin: string,
  token: string,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  const headers: Record<string, string> = { 'x-auth-token': token };
  const request: RequestInit = { method, headers };
  if (body !== undefined) {
    headers['content-type'] = mediaTypeOf(body);
    request.body = body instanceof Uint8Array ? body : JSON.stringify(body);
  }
  const reply = await fetch(origin + path, request);
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${method} ${path} -> ${reply.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

/** The content type of a body. Arrays are JSON patches of images. */
function mediaTypeOf(body: object): string {
  if (body instanceof Uint8Array) return 'application/octet-stream';
  return Array.isArray(body) ? 'application/openstack-images-v2.1-json-patch' : 'application/json';
}

/** Creates a public image with qcow2 data. */
export async function createImage(ask: Ask, name: string, fields: object = {}): Promise<Named> {
  const all = {
    name,
    visibility: 'public',
    disk_format: 'raw',
    container_format: 'bare',
    ...fields,
  };
  const image = await ask<Named>('POST', '/image/v2/images', all);
  await ask('PUT', `/image/v2/images/${image.id}/file`, qcow2);
  return image;
}

/** The header of an empty qcow2 of 1 MiB: version 2, clusters of 64 KiB. */
const qcow2 = ((): Uint8Array<ArrayBuffer> => {
  const header = new DataView(new ArrayBuffer(512));
  header.setUint32(0, 0x51_46_49_fb);
  header.setUint32(4, 2);
  header.setUint32(20, 16);
  header.setUint32(28, 1 << 20);
  return new Uint8Array(header.buffer);
})();

export async function networkNamed(ask: Ask, name: string): Promise<Named | undefined> {
  return (await ask<{ networks: Named[] }>('GET', `/network/v2.0/networks?name=${name}`))
    .networks[0];
}
