// Uses Glance of the central region, and looks at what pods have.
import type supertest from 'supertest';
import type { World } from '../../support/cloud.ts';
import { admin, alice, type Json, type Person } from './support.ts';

/** The options of a request to Glance. */
export interface GlanceOptions {
  readonly as?: Person;
  readonly body?: unknown;
  readonly mediaType?: string;
  /** The region of a pod, instead of the central region. */
  readonly at?: string;
}

/** Glance of the central region. */
export class Glance {
  private readonly world: World;

  constructor(world: World) {
    this.world = world;
  }

  ask(
    method: string,
    path: string,
    { as = alice, body, mediaType, at = 'CentralRegion' }: GlanceOptions = {},
  ): supertest.Test {
    return this.world.ask('image', method, `/${at}/image/v2/images${path}`, {
      token: as.token,
      headers: { 'x-roles': as.roles, ...(mediaType ? { 'content-type': mediaType } : {}) },
      body,
    });
  }

  /** Creates an image with data. @returns its id */
  async create(fields: Json = {}, as: Person = alice): Promise<string> {
    const body = { disk_format: 'raw', container_format: 'bare', ...fields };
    const { id } = (await this.ask('POST', '', { as, body }).expect(201)).body as { id: string };
    const mediaType = 'application/octet-stream';
    await this.ask('PUT', `/${id}/file`, { as, body: 'data', mediaType }).expect(204);
    return id;
  }

  /** Changes fields of an image. */
  async change(id: string, fields: Json, as: Person = alice): Promise<void> {
    const body = Object.entries(fields).map(([name, value]) => ({
      op: value === undefined ? 'remove' : 'add',
      path: `/${name}`,
      ...(value === undefined ? {} : { value: value as unknown }),
    }));
    const mediaType = 'application/openstack-images-v2.1-json-patch';
    await this.ask('PATCH', `/${id}`, { as, body, mediaType }).expect(200);
  }

  async show(id: string, as: Person = alice): Promise<Json> {
    return (await this.ask('GET', `/${id}`, { as }).expect(200)).body as Json;
  }

  /** The image of a pod with an id; undefined if there is none. */
  async inPod(region: string, id: string, as: Person = admin): Promise<Json | undefined> {
    await this.runJobs();
    const { status, body } = await this.ask('GET', `/${id}`, { as, at: region });
    return status === 200 ? (body as Json) : undefined;
  }

  /** The regions to which Tricircle routes an image. */
  async routings(id: string): Promise<string[]> {
    await this.runJobs();
    return (await this.world.cloud.central
      .db('tricircle_routings as r')
      .join('tricircle_pods as p', 'p.id', 'r.pod_id')
      .where('r.top_id', id)
      .orderBy('r.id')
      .pluck('p.region_name')) as string[];
  }

  /** The jobs of the central region run before a request. */
  private async runJobs(): Promise<void> {
    await this.ask('GET', '?limit=1').expect(200);
  }
}
