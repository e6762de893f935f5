// What the tests of Volume share: callers, and creating resources.
import type supertest from 'supertest';
import type { Asked, World } from '../../support/cloud.ts';
import { someone } from '../../support/people.ts';

/** Tokens of noauth: an administrator, members of two projects, and one who only reads. */
const people = {
  admin: { token: 'admin', headers: {} },
  alice: someone('member,reader', 'alice', 'b1'),
  bob: someone('member,reader', 'bob', 'b2'),
  reader: someone('reader', 'carol', 'b1'),
  service: someone('service,member,reader', 'nova', 'b1'),
} as const;
export type Person = keyof typeof people;

export const newest = '3.70';

/** A request below `/volume/v3`, at the newest version where none is given. */
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

type Fields = Record<string, unknown>;

/** Makes a volume that is available by the next request, and gives its id. */
export async function makeVolume(world: World, who: Person, fields: Fields = {}): Promise<string> {
  const reply = await ask(world, who, 'POST', '/volumes', {
    body: { volume: { name: 'v', size: 1, ...fields } },
  }).expect(202);
  return (reply.body as { volume: { id: string } }).volume.id;
}

export async function makeSnapshot(
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

export async function makeType(world: World, fields: Fields): Promise<string> {
  const reply = await ask(world, 'admin', 'POST', '/types', {
    body: { volume_type: fields },
  }).expect(200);
  return (reply.body as { volume_type: { id: string } }).volume_type.id;
}

export const act = (
  world: World,
  who: Person,
  id: string,
  action: object,
  version = newest,
): supertest.Test => ask(world, who, 'POST', `/volumes/${id}/action`, { body: action, version });

/** A volume as its project sees it. */
export async function volume(world: World, id: string, who: Person = 'alice'): Promise<Fields> {
  return ((await ask(world, who, 'GET', `/volumes/${id}`).expect(200)).body as { volume: Fields })
    .volume;
}

/** What a refusal says. */
export const said = (reply: supertest.Response): string =>
  (Object.values(reply.body as object)[0] as { message: string }).message;
