// Migrates servers and volumes between pods, and looks at what pods have.
import type supertest from 'supertest';
import { formatTime } from './times.ts';
import type { World } from '../../support/cloud.ts';
import { admin, type Json, type Person, type Tenancy } from './support.ts';

/** Migrations of Tricircle. */
export class Migrating {
  private readonly world: World;
  private readonly cloud: Tenancy;
  /** Seconds after the start of the test. */
  private seconds = 0;

  constructor(world: World, cloud: Tenancy) {
    this.world = world;
    this.cloud = cloud;
  }

  ask(method: string, path: string, migration?: Json, as: Person = admin): supertest.Test {
    return this.world.ask('tricircle', method, `/tricircle/v1.0/migrations${path}`, {
      token: as.token,
      headers: { accept: 'application/json', 'x-roles': as.roles },
      ...(migration ? { body: { migration } } : {}),
    });
  }

  /** The id of a region's pod. */
  async podId(region: string): Promise<string> {
    const { body } = await this.cloud.tricircle('GET', '/pods').expect(200);
    const pods = (body as Json)['pods'] as Json[];
    return pods.find((pod) => pod['region_name'] === region)!['pod_id'] as string;
  }

  async plan(migration: Json): Promise<Json> {
    return this.create({ ...migration, dry_run: true });
  }

  async create(migration: Json): Promise<Json> {
    const { body } = await this.ask('POST', '', migration).expect(200);
    return (body as Json)['migration'] as Json;
  }

  async show(id: string): Promise<Json> {
    const { body } = await this.ask('GET', `/${id}`).expect(200);
    return (body as Json)['migration'] as Json;
  }

  /** Moves the clock, second by second. */
  async pass(seconds: number): Promise<void> {
    for (let index = 0; index < seconds; index++)
      await this.world.setTime(formatTime(++this.seconds));
  }

  /** Runs a migration to its end. */
  async finish(id: string): Promise<Json> {
    for (let round = 0; round < 60; round++) {
      await this.pass(1);
      const migration = await this.show(id);
      if (migration['finished_at'] !== null) return migration;
    }
    throw new Error(`The migration does not end: ${JSON.stringify(await this.show(id))}`);
  }

  /** Runs a migration until its first move has come to a step. */
  async passTo(id: string, step: string): Promise<void> {
    for (let round = 0; round < 60; round++) {
      await this.pass(1);
      if (((await this.show(id))['moves'] as Json[])[0]!['step'] === step) return;
    }
    throw new Error(`The migration does not come to ${step}.`);
  }

  /** The ids of what a pod has of a type, for all tenants. */
  async inPod(region: string, type: 'servers' | 'volumes'): Promise<string[]> {
    const send = type === 'servers' ? this.cloud.nova : this.cloud.cinder;
    const { body } = await send('GET', `/${type}?all_tenants=1`, { as: admin, at: region });
    return ((body as Json)[type] as Json[]).map(({ id }) => id as string).toSorted();
  }

  /** Whether Placement of a pod has claims of a server. */
  async hasClaims(region: string, id: string): Promise<boolean> {
    const path = `/${region}/placement/allocations/${id}`;
    const { body } = await this.world.ask('placement', 'GET', path).expect(200);
    return Object.keys((body as Json)['allocations'] as Json).length > 0;
  }
}
