// Helpers for tests of Reservation: requests with noauth tokens, and bodies of leases.
import { expect } from 'chai';
import type supertest from 'supertest';
import { cirrosId } from '../../../src/services/image/index.ts';
import type { Asked, World } from '../../support/cloud.ts';
import { member, reader, someone } from '../../support/people.ts';

/** Three hosts, and tokens without Keystone. */
export const config = { auth: 'noauth2', hosts: '3' } as const;

export { member, reader, someone };

export type Fields = Record<string, any>; // eslint-disable-line

export const ask = (
  world: World,
  method: string,
  path: string,
  options: Asked = {},
): supertest.Test => world.ask('reservation', method, `/reservation${path}`, options);

export const compute = (
  world: World,
  method: string,
  path: string,
  options: Asked = {},
): supertest.Test => world.ask('compute', method, `/compute/v2.1${path}`, options);

export const placement = (
  world: World,
  method: string,
  path: string,
  options: Asked = {},
): supertest.Test =>
  world.ask('placement', method, `/placement${path}`, { version: '1.29', ...options });

export const network = (
  world: World,
  method: string,
  path: string,
  body?: unknown,
): supertest.Test =>
  world.ask('network', method, `/network/v2.0${path}`, body === undefined ? {} : { body });

export const postLease = (world: World, body: unknown, who: Asked = member): supertest.Test =>
  ask(world, 'POST', '/v1/leases', { ...who, body });

export const putLease = (
  world: World,
  id: string,
  body: unknown,
  who: Asked = member,
): supertest.Test => ask(world, 'PUT', `/v1/leases/${id}`, { ...who, body });

/** Lists the allocations of all hosts. */
export async function allocations(world: World, query = ''): Promise<Fields[]> {
  const { body } = await ask(world, 'GET', `/v1/os-hosts/allocations${query}`).expect(200);
  return (body as Fields)['allocations'] as Fields[];
}

export const updateSettings = (world: World, settings: object): supertest.Test =>
  world.http.put('/_emulator/reservation/settings').send(settings).expect(200);

/** Expects an error in Blazar's format. */
export function expectError(
  reply: supertest.Response,
  status: number,
  message: string | RegExp,
): void {
  expect(reply.status, reply.text).to.equal(status);
  const { error_code: code, error_message: text, error_name: name } = reply.body as Fields;
  expect([code, name]).to.deep.equal([status, status]);
  if (typeof message === 'string') expect(text).to.equal(message);
  else expect(text).to.match(message);
}

/** Registers the first hosts. @returns their ids */
export async function registerHosts(
  world: World,
  count = 3,
  extra: Fields = {},
): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 1; number <= count; number++) {
    const name = `compute-${number}`;
    const { body } = await ask(world, 'POST', '/v1/os-hosts', { body: { name, ...extra } }).expect(
      201,
    );
    ids.push((body as Fields)['host'].id as string);
  }
  return ids;
}

export const hostReservation = (fields: Fields = {}): Fields => ({
  resource_type: 'physical:host',
  min: 1,
  max: 1,
  hypervisor_properties: '',
  resource_properties: '',
  ...fields,
});

export const instanceReservation = (fields: Fields = {}): Fields => ({
  resource_type: 'virtual:instance',
  vcpus: 1,
  memory_mb: 1024,
  disk_gb: 10,
  amount: 1,
  affinity: null,
  resource_properties: '',
  ...fields,
});

/** The body of a lease from 13:00 to 14:00; the clock starts at 12:00. */
export const leaseBody = (reservations: readonly Fields[], fields: Fields = {}): Fields => ({
  name: 'lease',
  start_date: '2026-11-20 13:00',
  end_date: '2026-11-20 14:00',
  reservations,
  events: [],
  before_end_date: null,
  ...fields,
});

/** Creates a lease, by default as a member of the project `demo`. */
export async function createLease(
  world: World,
  reservations: readonly Fields[],
  fields: Fields = {},
  who: Asked = member,
): Promise<Fields> {
  const reply = await ask(world, 'POST', '/v1/leases', {
    ...who,
    body: leaseBody(reservations, fields),
  });
  expect(reply.status, reply.text).to.equal(201);
  return (reply.body as Fields)['lease'] as Fields;
}

export async function showLease(world: World, id: string): Promise<Fields> {
  return ((await ask(world, 'GET', `/v1/leases/${id}`).expect(200)).body as Fields)[
    'lease'
  ] as Fields;
}

/** Boots a server. @returns it after it has been built */
export async function bootServer(
  world: World,
  flavorRef: string,
  hints: Fields = {},
  who: Asked = member,
): Promise<Fields> {
  const server = { name: 's', imageRef: cirrosId, flavorRef, networks: 'none' };
  const body = { server, 'os:scheduler_hints': hints };
  const reply = await compute(world, 'POST', '/servers', { ...who, version: '2.37', body });
  expect(reply.status, reply.text).to.equal(202);
  const { id } = (reply.body as Fields)['server'] as Fields;
  return ((await compute(world, 'GET', `/servers/${id}`).expect(200)).body as Fields)[
    'server'
  ] as Fields;
}

/** Removes the limits of a project's quota. */
export async function liftQuota(world: World, project = 'demo'): Promise<void> {
  const body = { quota_set: { cores: -1, ram: -1, instances: -1 } };
  await compute(world, 'PUT', `/os-quota-sets/${project}`, { body }).expect(200);
}

/** The host of a server. */
export const hostOf = (server: Fields): unknown => server['OS-EXT-SRV-ATTR:host'];

/** The inventories of a host's reservation provider; undefined if the provider does not exist. */
export async function inventoriesOf(world: World, host: string): Promise<Fields | undefined> {
  const { body } = await placement(world, 'GET', `/resource_providers?name=blazar_${host}`).expect(
    200,
  );
  const [provider] = (body as Fields)['resource_providers'] as Fields[];
  if (!provider) return undefined;
  const reply = await placement(
    world,
    'GET',
    `/resource_providers/${provider['uuid']}/inventories`,
  ).expect(200);
  return (reply.body as Fields)['inventories'] as Fields;
}

export const classOf = (reservationId: string): string =>
  `CUSTOM_RESERVATION_${reservationId.toUpperCase().replaceAll('-', '_')}`;

/** The aggregates of Compute, with their hosts, by name. */
export async function aggregates(world: World): Promise<Record<string, string[]>> {
  const { body } = await compute(world, 'GET', '/os-aggregates').expect(200);
  return Object.fromEntries(
    ((body as Fields)['aggregates'] as Fields[]).map(({ name, hosts }) => [
      name,
      hosts as string[],
    ]),
  );
}
