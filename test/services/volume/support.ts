// Shared by the tests of Volume: callers, requests, and helpers that create resources.
import type supertest from 'supertest';
import type { Asked, World } from '../../support/cloud.ts';
import { someone } from '../../support/people.ts';

/**
 * Callers: an administrator, members of two projects, a reader, and the service user of Compute.
 */
const people = {
  admin: { token: 'admin', headers: {} },
  alice: someone('member,reader', 'alice', 'b1'),
  bob: someone('member,reader', 'bob', 'b2'),
  reader: someone('reader', 'carol', 'b1'),
  service: someone('service,member,reader', 'nova', 'b1'),
} as const;
export type Person = keyof typeof people;

export const newest = '3.70';

/** Sends a request below `/volume/v3`, by default at the newest version. */
export function ask(
  world: World,
  who: Person,
  method: string,
  path: string,
  { headers, version = newest, ...asked }: Asked = {},
): supertest.Test {
  const { token, headers: own } = people[who];
  return world.ask('volume', method, `/volume/v3${path}`, {
    ...asked,
    version,
    token,
    headers: { ...own, ...headers },
  });
}

/** Sends a request of the administrator. */
export const askAsAdmin = (
  world: World,
  method: string,
  path: string,
  body?: object,
  version?: string,
): supertest.Test =>
  ask(world, 'admin', method, path, { ...(body ? { body } : {}), ...(version ? { version } : {}) });

type Fields = Record<string, unknown>;

/** Creates a volume, which is available by the next request. @returns its id */
export async function createVolume(
  world: World,
  who: Person,
  fields: Fields = {},
): Promise<string> {
  const reply = await ask(world, who, 'POST', '/volumes', {
    body: { volume: { name: 'v', size: 1, ...fields } },
  }).expect(202);
  return (reply.body as { volume: { id: string } }).volume.id;
}

export async function createSnapshot(
  world: World,
  who: Person,
  volumeId: string,
  fields: Fields = {},
): Promise<string> {
  const reply = await ask(world, who, 'POST', '/snapshots', {
    body: { snapshot: { volume_id: volumeId, name: 's', ...fields } },
  }).expect(202);
  return (reply.body as { snapshot: { id: string } }).snapshot.id;
}

export async function createType(world: World, fields: Fields): Promise<string> {
  const reply = await ask(world, 'admin', 'POST', '/types', {
    body: { volume_type: fields },
  }).expect(200);
  return (reply.body as { volume_type: { id: string } }).volume_type.id;
}

/** Sends an action of a volume. */
export const act = (
  world: World,
  who: Person,
  id: string,
  action: object,
  version = newest,
): supertest.Test => ask(world, who, 'POST', `/volumes/${id}/action`, { body: action, version });

/** Attaches a volume in one step, to the server `5c1f8b60-…-00000000000a` by default. */
export const attach = (world: World, id: string, fields: Fields = {}): supertest.Test =>
  act(world, 'alice', id, {
    'os-attach': { instance_uuid: server, mountpoint: '/dev/vdb', ...fields },
  }).expect(202);

/** The ids of two servers, neither of which exists. */
export const server = '5c1f8b60-0000-4000-8000-00000000000a';
export const otherServer = '5c1f8b60-0000-4000-8000-00000000000b';

/** Shows a volume. */
export async function volume(world: World, id: string, who: Person = 'alice'): Promise<Fields> {
  return ((await ask(world, who, 'GET', `/volumes/${id}`).expect(200)).body as { volume: Fields })
    .volume;
}

/** The message of an error reply. */
export const messageOf = (reply: supertest.Response): string =>
  (Object.values(reply.body as object)[0] as { message: string }).message;
