// Uses Neutron of the central region as a tenant, and looks at what pods have.
import type supertest from 'supertest';
import type { World } from '../../support/cloud.ts';
import { admin, alice, type Json, type Person, type Tenancy } from './support.ts';

/** The options of a request to Neutron. */
export interface NeutronOptions {
  readonly as?: Person;
  readonly body?: unknown;
  /** The region of a pod, instead of the central region. */
  readonly at?: string;
}

const collectionOf = (type: string): string => `${type.replaceAll('_', '-')}s`;

/** Neutron of the central region. */
export class Networking {
  private readonly world: World;
  private readonly cloud: Tenancy;

  constructor(world: World, cloud: Tenancy) {
    this.world = world;
    this.cloud = cloud;
  }

  ask(
    method: string,
    path: string,
    { as = alice, body, at = 'CentralRegion' }: NeutronOptions = {},
  ): supertest.Test {
    return this.world.ask('network', method, `/${at}/network/v2.0${path}`, {
      token: as.token,
      headers: { 'x-roles': as.roles },
      body,
    });
  }

  /** Creates a resource. */
  async create(type: string, fields: Json, options: NeutronOptions = {}): Promise<Json> {
    const body = { [type]: fields };
    const reply = await this.ask('POST', `/${collectionOf(type)}`, { ...options, body }).expect(
      201,
    );
    return (reply.body as Json)[type] as Json;
  }

  /** Updates a resource. */
  async update(type: string, id: string, fields: Json, as: Person = alice): Promise<Json> {
    const body = { [type]: fields };
    const reply = await this.ask('PUT', `/${collectionOf(type)}/${id}`, { as, body }).expect(200);
    return (reply.body as Json)[type] as Json;
  }

  /** Deletes a resource. */
  async remove(type: string, id: string): Promise<void> {
    await this.ask('DELETE', `/${collectionOf(type)}/${id}`).expect(204);
  }

  async show(type: string, id: string, as: Person = alice): Promise<Json> {
    const reply = await this.ask('GET', `/${collectionOf(type)}/${id}`, { as }).expect(200);
    return (reply.body as Json)[type] as Json;
  }

  async list(type: string, query: string, options: NeutronOptions = {}): Promise<Json[]> {
    const path = `/${collectionOf(type)}?${query}`;
    const reply = await this.ask('GET', path, options).expect(200);
    return (reply.body as Json)[`${type}s`] as Json[];
  }

  /** Creates a network with a subnet. */
  async network(name: string, cidr = '10.7.0.0/24'): Promise<{ network: Json; subnet: Json }> {
    const network = await this.create('network', { name });
    const fields = { network_id: network['id'], cidr, ip_version: 4, name: `${name}-subnet` };
    return { network, subnet: await this.create('subnet', fields) };
  }

  /** Creates a router between a subnet and the public network. */
  async router(subnetId: string): Promise<Json> {
    const [outside] = await this.list('network', 'name=public');
    const external_gateway_info = { network_id: outside!['id'] as string };
    const router = await this.create('router', { name: 'r', external_gateway_info });
    await this.ask('PUT', `/routers/${router['id']}/add_router_interface`, {
      body: { subnet_id: subnetId },
    }).expect(200);
    return router;
  }

  /** The central ports of a server. */
  portsOf(serverId: string, as: Person = alice): Promise<Json[]> {
    return this.list('port', `device_id=${serverId}`, { as });
  }

  /** The routing rows of a resource, by region. */
  async routings(topId: string): Promise<Map<string, string>> {
    // The jobs of the central region run before this request.
    await this.list('network', 'limit=1');
    const rows = (await this.world.cloud.central
      .db('tricircle_routings as r')
      .join('tricircle_pods as p', 'p.id', 'r.pod_id')
      .where('r.top_id', topId)
      .select('p.region_name', 'r.bottom_id')) as { region_name: string; bottom_id: string }[];
    return new Map(rows.map(({ region_name: region, bottom_id: id }) => [region, id]));
  }

  /** The copy of a central resource in a pod. */
  async inPod(region: string, type: string, topId: string): Promise<Json> {
    const id = (await this.routings(topId)).get(region);
    if (id === undefined) throw new Error(`${region} has no ${type} ${topId}`);
    const path = `/${collectionOf(type)}/${id}`;
    const reply = await this.ask('GET', path, { as: admin, at: region }).expect(200);
    return (reply.body as Json)[type] as Json;
  }

  /** Moves the tenant to another pod. */
  async leavePod(region: string): Promise<void> {
    await this.cloud.pod(region, { is_under_maintenance: true });
  }
}
