// Shared by the tests of Image: callers, and functions that create images.
import type supertest from 'supertest';
import type { Asked, World } from '../../support/cloud.ts';
import { someone } from '../../support/people.ts';

/** Tokens of noauth2: an administrator, members of two projects, and a reader. */
export const people = {
  admin: { token: 'admin' },
  alice: someone('member,reader', 'alice', 'blue'),
  bob: someone('member,reader', 'bob', 'red'),
  reader: { token: 'carol:blue', headers: { 'x-roles': 'reader' } },
} as const;
export type Person = keyof typeof people;

export const octets = { 'content-type': 'application/octet-stream' };
export const patchType = { 'content-type': 'application/openstack-images-v2.1-json-patch' };

/** Sends a request to a path below `/image`. */
export function ask(
  world: World,
  who: Person,
  method: string,
  path: string,
  { headers, ...asked }: Asked = {},
): supertest.Test {
  const person = people[who];
  return world.ask('image', method, `/image${path}`, {
    ...asked,
    token: person.token,
    headers: {
      accept: 'application/json',
      ...('headers' in person ? person.headers : {}),
      ...headers,
    },
  });
}

/** Creates an image and returns its id. */
export async function make(world: World, who: Person, fields: object = {}): Promise<string> {
  const reply = await ask(world, who, 'POST', '/v2/images', {
    body: { name: 'i', disk_format: 'raw', container_format: 'bare', ...fields },
  }).expect(201);
  return (reply.body as { id: string }).id;
}

export const patch = (world: World, who: Person, id: string, body: unknown): supertest.Test =>
  ask(world, who, 'PATCH', `/v2/images/${id}`, { headers: patchType, body });

export const upload = (world: World, who: Person, id: string, data: string): supertest.Test =>
  ask(world, who, 'PUT', `/v2/images/${id}/file`, { headers: octets, body: data });

/** Lists the names of the images that a caller sees, in order. */
export async function names(world: World, who: Person, query = ''): Promise<string[]> {
  const reply = await ask(world, who, 'GET', `/v2/images?${query}`).expect(200);
  return (reply.body as { images: { name: string }[] }).images.map(({ name }) => name);
}

/** The message of an error, without WebOb's envelope. */
export const said = (reply: supertest.Response): string =>
  (reply.body as { message: string }).message.replace(/<br \/><br \/>\s*$/, '');
