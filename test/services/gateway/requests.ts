// Requests to emulators in other processes, without Keystone.
import type { Json } from './support.ts';

/** Sends JSON or bytes. @throws Error with the reply if it is not a success */
export async function requestJson(
  origin: string,
  method: string,
  path: string,
  body?: object,
  { user = 'alice:acme' } = {},
): Promise<Json> {
  const isAdmin = user === 'admin';
  const isBytes = Buffer.isBuffer(body);
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: {
      'x-auth-token': user,
      'x-roles': isAdmin ? 'admin' : 'member,reader',
      accept: 'application/json',
      'content-type': isBytes ? 'application/octet-stream' : 'application/json',
      'openstack-api-version': path.includes('/volume/') ? 'volume 3.70' : 'compute 2.90',
    },
    ...(body ? { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (/^[{[]/.test(text) ? JSON.parse(text) : {}) as Json;
}
