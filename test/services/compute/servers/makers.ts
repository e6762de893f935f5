// Creates servers over HTTP for tests.
import { expect } from 'chai';
import type supertest from 'supertest';
import { cirrosId } from '../../../../src/services/image/index.ts';
import type { Asked, World } from '../../../support/cloud.ts';
import { ask } from '../support.ts';

export const newest = '2.104';

/** The fields of a server that the tests read. */
export interface Shown {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly fault?: { readonly code: number; readonly message: string };
  readonly [field: string]: unknown;
}

export const imageId = cirrosId;

/** The administrator of the project `demo`. */
export const admin: Asked = { token: 'admin:demo' };

/** The body of a request for a server without networks. */
export const serverBody = (
  fields: Readonly<Record<string, unknown>> = {},
  hints?: Readonly<Record<string, unknown>>,
): object => ({
  server: { name: 's', flavorRef: '1', imageRef: imageId, networks: 'none', ...fields },
  ...(hints ? { 'os:scheduler_hints': hints } : {}),
});

export const postServer = (
  world: World,
  fields: Readonly<Record<string, unknown>> = {},
  { hints, version = newest, ...as }: Asked & { hints?: Readonly<Record<string, unknown>> } = admin,
): supertest.Test =>
  ask(world, 'POST', '/servers', { ...admin, ...as, version, body: serverBody(fields, hints) });

/** Creates a server, and shows it afterwards. */
export async function madeServer(
  world: World,
  fields: Readonly<Record<string, unknown>> = {},
  how: Asked & { hints?: Readonly<Record<string, unknown>> } = admin,
): Promise<Shown> {
  const reply = await postServer(world, fields, how);
  expect(reply.status, reply.text).to.equal(202);
  return showServer(world, (reply.body as { server: Shown }).server.id);
}

/** Shows a server to the administrator. */
export async function showServer(world: World, id: string, version = newest): Promise<Shown> {
  const reply = await ask(world, 'GET', `/servers/${id}`, { ...admin, version });
  expect(reply.status, reply.text).to.equal(200);
  return (reply.body as { server: Shown }).server;
}

/** Performs an action on a server, and shows it afterwards. */
export async function act(
  world: World,
  id: string,
  action: object,
  status = 202,
  as: Asked = admin,
): Promise<Shown> {
  const reply = await ask(world, 'POST', `/servers/${id}/action`, {
    version: newest,
    ...as,
    body: action,
  });
  expect(reply.status, reply.text).to.equal(status);
  return showServer(world, id);
}

/** Creates a group with a policy. @returns its id */
export async function madeGroup(world: World, policy: string, rules?: object): Promise<string> {
  const body = { server_group: { name: 'g', policy, ...(rules ? { rules } : {}) } };
  const reply = await ask(world, 'POST', '/os-server-groups', { ...admin, version: '2.64', body });
  expect(reply.status, reply.text).to.equal(200);
  return (reply.body as { server_group: { id: string } }).server_group.id;
}

/** Counts the servers on each host. */
export async function spread(world: World): Promise<Record<string, number>> {
  const reply = await ask(world, 'GET', '/servers/detail?all_tenants=1', {
    ...admin,
    version: newest,
  });
  const counts: Record<string, number> = {};
  for (const server of (reply.body as { servers: Shown[] }).servers) {
    const host = String(server['OS-EXT-SRV-ATTR:host']);
    counts[host] = (counts[host] ?? 0) + 1;
  }
  return counts;
}

/** Removes the limits of the project `demo`. */
export async function liftQuotas(world: World): Promise<void> {
  const body = {
    quota_set: { instances: -1, cores: -1, ram: -1, server_group_members: -1, server_groups: -1 },
  };
  await ask(world, 'PUT', '/os-quota-sets/demo', { ...admin, version: newest, body }).expect(200);
}
