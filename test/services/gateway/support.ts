// Configures a cloud with general and CAD pods, and sends tenants' requests to the central region
// or to a pod.
import type supertest from 'supertest';
import type { Config } from '../../../src/kernel/settings.ts';
import { profiles } from '../../../src/services/tricircle/profiles.ts';
import type { World } from '../../support/cloud.ts';

export type Json = Record<string, any>; // eslint-disable-line

const pods = profiles['six-pods']!.filter(
  ({ region }) => !['Pod3', 'Pod5', 'Pod6'].includes(region),
);

/** A central region, two general pods, and one for CAD, each with a host. */
export const threePods: Partial<Config> = {
  regions: pods.map(({ region }) => region),
  pods,
  auth: 'noauth2',
  hosts: '1',
};

/** The regions of the pods. */
export const bottomRegions = ['Pod1', 'Pod2', 'Pod4'];

/** A user: a token and roles, for a cloud without Keystone. */
export interface Person {
  readonly token: string;
  readonly roles: string;
}

export const admin: Person = { token: 'admin', roles: 'admin' };
export const alice: Person = { token: 'alice:acme', roles: 'member,reader' };
export const bob: Person = { token: 'bob:bolts', roles: 'member,reader' };

/** A request's options. */
export interface RequestOptions {
  readonly as?: Person;
  readonly body?: unknown;
  /** The microversion; by default the newest of the service that these tests know. */
  readonly version?: string;
  /** The region of a pod, instead of the central region. */
  readonly at?: string;
}

export type Ask = (method: string, path: string, options?: RequestOptions) => supertest.Test;

const asker =
  (world: World, service: 'compute' | 'volume', base: string, newest: string): Ask =>
  (method, path, { as = alice, body, version = newest, at = 'CentralRegion' } = {}) =>
    world.ask(service, method, `/${at}${base}${path}`, {
      version,
      token: as.token,
      headers: { 'x-roles': as.roles },
      body,
    });

/** Sends requests to Nova or Cinder of the central region, or of a pod. */
export const novaOf = (world: World): Ask => asker(world, 'compute', '/compute/v2.1', '2.90');
export const cinderOf = (world: World): Ask => asker(world, 'volume', '/volume/v3', '3.70');

/** Sends requests to Tricircle. */
export const adminOf =
  (world: World) =>
  (method: string, path: string, body?: unknown): supertest.Test =>
    world.ask('tricircle', method, `/tricircle/v1.0${path}`, {
      headers: { accept: 'application/json' },
      body,
    });

/** A cloud as its tenants use it: creates resources through the gateways. */
export class Tenancy {
  readonly nova: Ask;
  readonly cinder: Ask;
  readonly tricircle: ReturnType<typeof adminOf>;
  private readonly world: World;

  constructor(world: World) {
    this.world = world;
    this.nova = novaOf(world);
    this.cinder = cinderOf(world);
    this.tricircle = adminOf(world);
  }

  /** The id of the image that every region has. */
  async image(): Promise<string> {
    const { body } = await this.world
      .ask('image', 'GET', '/CentralRegion/image/v2/images')
      .expect(200);
    return ((body as Json)['images'] as { id: string }[])[0]!.id;
  }

  /** Creates a server through the gateway. */
  async server(name: string, fields: Json = {}, as: Person = alice, hints?: Json): Promise<Json> {
    const server = {
      name,
      imageRef: await this.image(),
      flavorRef: '1',
      networks: 'none',
      ...fields,
    };
    const body = { server, ...(hints ? { 'os:scheduler_hints': hints } : {}) };
    const reply = await this.nova('POST', '/servers', { as, body }).expect(202);
    return (reply.body as Json)['server'] as Json;
  }

  /** Shows a server to its tenant. */
  async show(id: string): Promise<Json> {
    const { body } = await this.nova('GET', `/servers/${id}`).expect(200);
    return (body as Json)['server'] as Json;
  }

  /** Creates a volume through the gateway. */
  async volume(name: string, fields: Json = {}, as: Person = alice): Promise<Json> {
    const reply = await this.cinder('POST', '/volumes', {
      as,
      body: { volume: { name, size: 1, ...fields } },
    }).expect(202);
    return (reply.body as Json)['volume'] as Json;
  }

  /** The region to which Tricircle routes a resource. */
  async podOf(id: string): Promise<string | undefined> {
    const rows = (await this.world.cloud.central
      .db('tricircle_routings as r')
      .join('tricircle_pods as p', 'p.id', 'r.pod_id')
      .where('r.top_id', id)
      .pluck('p.region_name')) as string[];
    return rows[0];
  }

  /** Sets where a tenant's new volumes go. */
  preferVolumes(volume_placement: Json, as: Person = alice): supertest.Test {
    return this.world.ask('tricircle', 'PUT', '/tricircle/v1.0/volume-placement', {
      token: as.token,
      headers: { accept: 'application/json', 'x-roles': as.roles },
      body: { volume_placement },
    });
  }

  /** Changes fields of a pod. */
  async pod(region: string, fields: Json): Promise<void> {
    const { body } = await this.tricircle('GET', '/pods').expect(200);
    const found = ((body as Json)['pods'] as Json[]).find((pod) => pod['region_name'] === region)!;
    await this.tricircle('PUT', `/pods/${found['pod_id']}`, { pod: fields }).expect(200);
  }

  /** Creates a flavor `cad` and a volume type `cad-vol`, which only CAD pods accept. */
  async cad(): Promise<void> {
    const flavor = { name: 'cad', ram: 512, vcpus: 1, disk: 1, id: 'cad' };
    await this.nova('POST', '/flavors', { as: admin, body: { flavor } }).expect(200);
    const extra_specs = { resource: 'CAD Modeling' };
    await this.nova('POST', '/flavors/cad/os-extra_specs', {
      as: admin,
      body: { extra_specs },
    }).expect(200);
    const volume_type = { name: 'cad-vol', extra_specs };
    await this.cinder('POST', '/types', { as: admin, body: { volume_type } }).expect(200);
  }
}

/** The message in an error of Nova or Cinder. */
export const messageOf = (body: unknown): string =>
  (Object.values(body as Json)[0] as { message: string }).message;
