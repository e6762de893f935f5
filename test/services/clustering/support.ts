// What the tests of Clustering share: a cloud with hosts, clusters and policies in it, and what has
// become of them.
import { expect } from 'chai';
import type supertest from 'supertest';
import { onEachDatabase, type Asked, type World } from '../../support/cloud.ts';
import type { Config } from '../../../src/kernel/settings.ts';
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
    creation?: {
      count: number;
      zones?: Record<string, number>;
      regions?: Record<string, number>;
      nodes?: string[];
    };
    deletion?: {
      count: number;
      zones?: Record<string, number>;
      regions?: Record<string, number>;
      candidates?: string[];
    };
  };
  readonly inputs: Record<string, unknown>;
  readonly depends_on: readonly string[];
}

export interface ShownNode extends Shown {
  readonly index: number;
  readonly physical_id: string | null;
  readonly cluster_id: string;
  readonly profile_id: string;
  readonly data: { placement?: { zone?: string; region_name?: string }; lb_member?: string };
}

/** The message of a refusal. */
export const said = (reply: supertest.Response): string =>
  (reply.body as { error: { message: string } }).error.message;
export const typeOf = (reply: supertest.Response): string =>
  (reply.body as { error: { type: string } }).error.type;

export const novaSpec = (properties: object = {}): object => ({
  type: 'os.nova.server',
  version: '1.0',
  properties: { flavor: 'm1.tiny', image: 'cirros', ...properties },
});

export const heatSpec = {
  type: 'os.heat.stack',
  version: '1.0',
  properties: { template: { resources: {} } },
};

/**
 * The first region of a cloud as the tests of Clustering use it: what they ask for, and what they
 * see afterwards.
 */
export class Clustering {
  readonly world: World;
  /** A profile of small servers. */
  profile = '';

  constructor(world: World) {
    this.world = world;
  }

  /** A request below /v1, at the newest version where none is given. */
  ask(method: string, path: string, asked: Asked = {}): supertest.Test {
    return this.world.ask('clustering', method, `/clustering/v1${path}`, {
      version: newest,
      ...member,
      ...asked,
    });
  }

  /** Hosts in zones: `{ az1: 2 }` is two hosts in az1. */
  async makeHosts(zones: Readonly<Record<string, number>>, region = ''): Promise<void> {
    for (const [zone, count] of Object.entries(zones)) {
      for (let at = 0; at < count; at++) {
        const size = { vcpus: 400, memory_mb: 4_000_000, disk_gb: 100_000 };
        const body = { name: `${zone}-${at}`, zone, ...size, ...(region ? { region } : {}) };
        await this.world
          .ask('emulator', 'POST', '/_emulator/hosts', { token: null, body })
          .expect(201);
      }
    }
  }

  makeProfile(spec: object = novaSpec(), name = 'p', as: Asked = {}): Promise<string> {
    return idOf(
      this.ask('POST', '/profiles', { ...as, body: { profile: { name, spec } } }),
      'profile',
    );
  }

  createPolicy(type: string, properties: object, name = 'policy', version = '1.0'): supertest.Test {
    const spec = { type: `senlin.policy.${type}`, version, properties };
    return this.ask('POST', '/policies', { body: { policy: { name, spec } } });
  }

  makePolicy(type: string, properties: object, name?: string, version?: string): Promise<string> {
    return idOf(this.createPolicy(type, properties, name, version), 'policy');
  }

  /** A cluster that is as it is wanted when the next request comes. */
  makeCluster(size: number, fields: object = {}): Promise<string> {
    const body = {
      cluster: { name: 'c', profile_id: this.profile, desired_capacity: size, ...fields },
    };
    return idOf(this.ask('POST', '/clusters', { body }), 'cluster');
  }

  /** An empty cluster with a policy that places its nodes. */
  async makeSpread(type: string, properties: object, fields: object = {}): Promise<string> {
    const id = await this.makeCluster(0, fields);
    await this.attach(id, await this.makePolicy(type, properties));
    return id;
  }

  private async show<T>(noun: string, path: string): Promise<T> {
    const reply = await this.ask('GET', path);
    expect(reply.status, reply.text).to.equal(200);
    return (reply.body as Record<string, T>)[noun]!;
  }

  showCluster(id: string): Promise<Shown & { nodes: string[]; desired_capacity: number }> {
    return this.show('cluster', `/clusters/${id}`);
  }

  showNode(id: string): Promise<ShownNode> {
    return this.show('node', `/nodes/${id}`);
  }

  showAction(id: string): Promise<ShownAction> {
    return this.show('action', `/actions/${id}`);
  }

  membersOf(id: string): Promise<ShownNode[]> {
    return this.show('nodes', `/nodes?cluster_id=${id}&sort=index`);
  }

  /** The action that a request has queued, as it is by the next request. */
  async queued(request: supertest.Test): Promise<ShownAction> {
    const reply = await request;
    expect(reply.status, reply.text).to.equal(202);
    return this.showAction(reply.headers['location']!.split('/actions/')[1]!);
  }

  /** Asks for an action on a cluster, which goes on. */
  begin(id: string, body: object): Promise<ShownAction> {
    return this.queued(this.ask('POST', `/clusters/${id}/actions`, { body }));
  }

  /** Does something to a cluster. @returns the action, which must have succeeded */
  async act(id: string, body: object, status = 'SUCCEEDED'): Promise<ShownAction> {
    const action = await this.begin(id, body);
    expect(action.status, action.status_reason).to.equal(status);
    return action;
  }

  /** The message of a refusal to act on a cluster. */
  async refused(id: string, body: object, status = 400): Promise<string> {
    return said(await this.ask('POST', `/clusters/${id}/actions`, { body }).expect(status));
  }

  attach(id: string, policy: string, enabled = true): Promise<ShownAction> {
    return this.act(id, { policy_attach: { policy_id: policy, enabled } });
  }

  /** Something that a project's administrator asks of Compute in a region. */
  compute(
    method: string,
    path: string,
    asked: Asked & { readonly region?: string } = {},
  ): supertest.Test {
    const { region = '', ...rest } = asked;
    return this.world.ask('compute', method, `${below(region)}/compute/v2.1${path}`, {
      token: 'admin:demo',
      ...rest,
    });
  }

  /** A server as Compute shows it to the administrator. */
  async showServer(id: string, region = ''): Promise<Record<string, unknown> | undefined> {
    const reply = await this.compute('GET', `/servers/${id}`, { version: '2.9', region });
    return reply.status === 200
      ? (reply.body as { server: Record<string, unknown> }).server
      : undefined;
  }

  /** How many servers of a cluster stand in each zone, by what Compute says. */
  async zonesOf(id: string): Promise<Record<string, number>> {
    const found: Record<string, number> = {};
    for (const { physical_id: server } of await this.membersOf(id)) {
      const zone = String((await this.showServer(server!))?.['OS-EXT-AZ:availability_zone']);
      found[zone] = (found[zone] ?? 0) + 1;
    }
    return found;
  }

  /** How many servers of a cluster stand in each region, by what each of their Computes says. */
  async regionsOf(id: string, regions: readonly string[]): Promise<Record<string, number>> {
    const own = (await this.membersOf(id)).map(({ physical_id: server }) => server);
    const found: Record<string, number> = {};
    for (const region of regions) {
      const many = (await this.servers(region)).filter((server) => own.includes(server)).length;
      if (many) found[region] = many;
    }
    return found;
  }

  /** The ids of the project's servers in a region. */
  async servers(region = ''): Promise<string[]> {
    const reply = await this.compute('GET', '/servers', { region }).expect(200);
    return (reply.body as { servers: { id: string }[] }).servers.map(({ id }) => id);
  }
}

const below = (region: string): string => (region ? `/${region}` : '');

async function idOf(request: supertest.Test, noun: string): Promise<string> {
  const reply = await request;
  expect(reply.status, reply.text).to.be.oneOf([201, 202]);
  return (reply.body as Record<string, { id: string }>)[noun]!.id;
}

/** Declares a suite on each database, in a cloud with hosts in these zones and a profile. */
export function onClustering(
  title: string,
  zones: Readonly<Record<string, number>>,
  suite: (the: Clustering, world: World) => void,
  overrides: Partial<Config> = {},
): void {
  onEachDatabase(title, { ...config, ...overrides }, (world) => {
    const the = new Clustering(world);
    beforeEach(async function () {
      this.timeout(20_000);
      await the.makeHosts(zones);
      the.profile = await the.makeProfile();
    });
    suite(the, world);
  });
}
