// What the tests of Clustering share: a cloud of several zones, clusters and policies in it, and what has become of them.
import { expect } from 'chai';
import type supertest from 'supertest';
import type { Asked, World } from '../../support/cloud.ts';
import { member } from '../../support/people.ts';

export const config = { auth: 'noauth2' } as const;
export const newest = '1.14';

export { member };

export interface Shown {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly status_reason: string;
  readonly [field: string]: unknown;
}

/** An action as it is shown. */
export interface ShownAction extends Shown {
  readonly data: Record<string, unknown> & {
    creation?: { count: number; zones?: Record<string, number>; nodes?: string[] };
    deletion?: { count: number; zones?: Record<string, number>; candidates?: string[] };
  };
  readonly inputs: Record<string, unknown>;
  readonly depends_on: readonly string[];
}

export interface ShownNode extends Shown {
  readonly index: number;
  readonly physical_id: string | null;
  readonly cluster_id: string;
  readonly profile_id: string;
  readonly data: { placement?: { zone?: string }; lb_member?: string };
}

/** A request below /v1, at the newest version where none is given. */
export const ask = (world: World, method: string, path: string, asked: Asked = {}): supertest.Test =>
  world.ask('clustering', method, `/clustering/v1${path}`, { version: newest, ...member, ...asked });

/** The message of a refusal. */
export const said = (reply: supertest.Response): string => (reply.body as { error: { message: string } }).error.message;
export const typeOf = (reply: supertest.Response): string => (reply.body as { error: { type: string } }).error.type;

/** Hosts in zones: `{ az1: 2 }` is two hosts in az1. */
export async function makeHosts(world: World, zones: Readonly<Record<string, number>>): Promise<void> {
  for (const [zone, count] of Object.entries(zones)) {
    for (let at = 0; at < count; at++) {
      const body = { name: `${zone}-${at}`, zone, vcpus: 400, memory_mb: 4_000_000, disk_gb: 100_000 };
      await world.ask('emulator', 'POST', '/_emulator/hosts', { token: null, body }).expect(201);
    }
  }
}

export const novaSpec = (properties: object = {}): object => ({
  type: 'os.nova.server',
  version: '1.0',
  properties: { flavor: 'm1.tiny', image: 'cirros', ...properties },
});

export const heatSpec = { type: 'os.heat.stack', version: '1.0', properties: { template: { resources: {} } } };

const made = async (request: supertest.Test, noun: string): Promise<string> => {
  const reply = await request;
  expect(reply.status, reply.text).to.be.oneOf([201, 202]);
  return (reply.body as Record<string, { id: string }>)[noun]!.id;
};

export const makeProfile = (world: World, spec: object = novaSpec(), name = 'p', as: Asked = {}): Promise<string> =>
  made(ask(world, 'POST', '/profiles', { ...as, body: { profile: { name, spec } } }), 'profile');

export const makePolicy = (world: World, type: string, properties: object, name = 'policy', version = '1.0'): Promise<string> =>
  made(
    ask(world, 'POST', '/policies', { body: { policy: { name, spec: { type: `senlin.policy.${type}`, version, properties } } } }),
    'policy',
  );

/** A cluster that is as it is wanted when the next request comes. */
export async function makeCluster(world: World, profile: string, size: number, fields: object = {}): Promise<string> {
  const body = { cluster: { name: 'c', profile_id: profile, desired_capacity: size, ...fields } };
  return made(ask(world, 'POST', '/clusters', { body }), 'cluster');
}

async function show<T>(world: World, noun: string, path: string): Promise<T> {
  const reply = await ask(world, 'GET', path);
  expect(reply.status, reply.text).to.equal(200);
  return (reply.body as Record<string, T>)[noun]!;
}

export const showCluster = (world: World, id: string): Promise<Shown & { nodes: string[]; desired_capacity: number }> =>
  show(world, 'cluster', `/clusters/${id}`);
export const showNode = (world: World, id: string): Promise<ShownNode> => show(world, 'node', `/nodes/${id}`);
export const showAction = (world: World, id: string): Promise<ShownAction> => show(world, 'action', `/actions/${id}`);
export const membersOf = (world: World, id: string): Promise<ShownNode[]> =>
  show(world, 'nodes', `/nodes?cluster_id=${id}&sort=index`);

/** The action that a request has queued, as it is by the next request. */
export async function queued(world: World, request: supertest.Test): Promise<ShownAction> {
  const reply = await request;
  expect(reply.status, reply.text).to.equal(202);
  return showAction(world, reply.headers['location']!.split('/actions/')[1]!);
}

/** Does something to a cluster. @returns the action, which must have succeeded */
export async function act(world: World, id: string, body: object, status = 'SUCCEEDED'): Promise<ShownAction> {
  const action = await queued(world, ask(world, 'POST', `/clusters/${id}/actions`, { body }));
  expect(action.status, action.status_reason).to.equal(status);
  return action;
}

export const attach = (world: World, id: string, policy: string, enabled = true): Promise<ShownAction> =>
  act(world, id, { policy_attach: { policy_id: policy, enabled } });

/** A server as Compute shows it to the administrator. */
export async function showServer(world: World, id: string): Promise<Record<string, unknown> | undefined> {
  const reply = await world.ask('compute', 'GET', `/compute/v2.1/servers/${id}`, { token: 'admin:demo', version: '2.9' });
  return reply.status === 200 ? (reply.body as { server: Record<string, unknown> }).server : undefined;
}

/** How many servers of a cluster stand in each zone, by what Compute says. */
export async function zonesOf(world: World, id: string): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const { physical_id: server } of await membersOf(world, id)) {
    const zone = String((await showServer(world, server!))?.['OS-EXT-AZ:availability_zone']);
    found[zone] = (found[zone] ?? 0) + 1;
  }
  return found;
}

/** How many servers the project has. */
export async function serverCount(world: World): Promise<number> {
  const reply = await world.ask('compute', 'GET', '/compute/v2.1/servers', { token: 'admin:demo' }).expect(200);
  return (reply.body as { servers: unknown[] }).servers.length;
}
