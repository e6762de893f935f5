// Support for the tests of Clustering: clouds with hosts, clusters and policies, and what clients
// see of them.
import { expect } from 'chai';
import type supertest from 'supertest';
import { onEachDatabase, type Asked, type World } from '../../support/cloud.ts';
import type { Config } from '../../../src/kernel/settings.ts';
import { member } from '../../support/people.ts';

export const config = { auth: 'noauth2' } as const;
export const newest = '1.14';

export { member };

/** The fields that all shown records have. */
export interface Shown {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly status_reason: string;
  readonly [field: string]: unknown;
}

export interface ShownCluster extends Shown {
  readonly nodes: string[];
  readonly desired_capacity: number;
  readonly data: Record<string, unknown>;
}

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
    placement?: { count: number };
    update?: { plan: string[][] };
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

export interface ShownReceiver {
  readonly id: string;
  readonly channel: { readonly alarm_url: string };
}

/** The message of an error. */
export const messageOf = (reply: supertest.Response): string =>
  (reply.body as { error: { message: string } }).error.message;
/** The name of upstream's exception. */
export const errorTypeOf = (reply: supertest.Response): string =>
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

/** A client of the first region of a cloud. */
export class Clustering {
  readonly world: World;
  /** The id of a profile of small servers. */
  profile = '';

  constructor(world: World) {
    this.world = world;
  }

  /** Sends a request to a path below /v1, with the newest version by default. */
  request(method: string, path: string, options: Asked = {}): supertest.Test {
    return this.world.ask('clustering', method, `/clustering/v1${path}`, {
      version: newest,
      ...member,
      ...options,
    });
  }

  /** Creates hosts in zones: `{ az1: 2 }` is two hosts in az1. */
  async createHosts(zones: Readonly<Record<string, number>>, region = ''): Promise<void> {
    for (const [zone, count] of Object.entries(zones)) {
      for (let index = 0; index < count; index++) {
        const size = { vcpus: 400, memory_mb: 4_000_000, disk_gb: 100_000 };
        const body = { name: `${zone}-${index}`, zone, ...size, ...(region ? { region } : {}) };
        await this.world
          .ask('emulator', 'POST', '/_emulator/hosts', { token: null, body })
          .expect(201);
      }
    }
  }

  createProfile(spec: object = novaSpec(), name = 'p', options: Asked = {}): Promise<string> {
    const body = { profile: { name, spec } };
    return idOf(this.request('POST', '/profiles', { ...options, body }), 'profile');
  }

  postPolicy(type: string, properties: object, name = 'policy', version = '1.0'): supertest.Test {
    const spec = { type: `senlin.policy.${type}`, version, properties };
    return this.request('POST', '/policies', { body: { policy: { name, spec } } });
  }

  createPolicy(type: string, properties: object, name?: string, version?: string): Promise<string> {
    return idOf(this.postPolicy(type, properties, name, version), 'policy');
  }

  /** Creates a cluster; without latencies its nodes are active before the next request. */
  createCluster(size: number, fields: object = {}): Promise<string> {
    const body = {
      cluster: { name: 'c', profile_id: this.profile, desired_capacity: size, ...fields },
    };
    return idOf(this.request('POST', '/clusters', { body }), 'cluster');
  }

  /** Creates an empty cluster with a policy. */
  async createClusterWith(type: string, properties: object, fields: object = {}): Promise<string> {
    const id = await this.createCluster(0, fields);
    await this.attachPolicy(id, await this.createPolicy(type, properties));
    return id;
  }

  /** Creates a node outside of any cluster. */
  async createNode(name = 'n', profile = this.profile): Promise<string> {
    const body = { node: { name, profile_id: profile } };
    return idOf(this.request('POST', '/nodes', { body }), 'node');
  }

  async createReceiver(fields: object): Promise<ShownReceiver> {
    const body = { receiver: { name: 'r', type: 'webhook', ...fields } };
    const reply = await this.request('POST', '/receivers', { body });
    expect(reply.status, reply.text).to.equal(201);
    return (reply.body as { receiver: ShownReceiver }).receiver;
  }

  private async show<T>(noun: string, path: string): Promise<T> {
    const reply = await this.request('GET', path);
    expect(reply.status, reply.text).to.equal(200);
    return (reply.body as Record<string, T>)[noun]!;
  }

  showCluster(id: string): Promise<ShownCluster> {
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

  actionsOn(target: string): Promise<ShownAction[]> {
    return this.show('actions', `/actions?target=${target}`);
  }

  /** Sends a request that queues an action. @returns the action, after its due jobs have run */
  async queuedAction(request: supertest.Test): Promise<ShownAction> {
    const reply = await request;
    expect(reply.status, reply.text).to.equal(202);
    return this.showAction(reply.headers['location']!.split('/actions/')[1]!);
  }

  /** Starts an action on a cluster. */
  startAction(id: string, body: object): Promise<ShownAction> {
    return this.queuedAction(this.request('POST', `/clusters/${id}/actions`, { body }));
  }

  /** Runs an action on a cluster, which must end with the status. */
  async runAction(id: string, body: object, status = 'SUCCEEDED'): Promise<ShownAction> {
    const action = await this.startAction(id, body);
    expect(action.status, action.status_reason).to.equal(status);
    return action;
  }

  /** Requests an action on a cluster that is rejected. @returns the message */
  async rejectedAction(id: string, body: object, status = 400): Promise<string> {
    return messageOf(
      await this.request('POST', `/clusters/${id}/actions`, { body }).expect(status),
    );
  }

  attachPolicy(id: string, policy: string, enabled = true): Promise<ShownAction> {
    return this.runAction(id, { policy_attach: { policy_id: policy, enabled } });
  }

  /** Sends a request to Compute in a region, as an administrator of the project. */
  requestCompute(
    method: string,
    path: string,
    options: Asked & { readonly region?: string } = {},
  ): supertest.Test {
    const { region = '', ...rest } = options;
    return this.world.ask('compute', method, `${regionPrefix(region)}/compute/v2.1${path}`, {
      token: 'admin:demo',
      ...rest,
    });
  }

  /** A server as Compute shows it to the administrator; undefined if it does not exist. */
  async showServer(id: string, region = ''): Promise<Record<string, unknown> | undefined> {
    const reply = await this.requestCompute('GET', `/servers/${id}`, { version: '2.9', region });
    return reply.status === 200
      ? (reply.body as { server: Record<string, unknown> }).server
      : undefined;
  }

  /** The number of a cluster's servers in each zone, by Compute. */
  async zonesOf(id: string): Promise<Record<string, number>> {
    const found: Record<string, number> = {};
    for (const { physical_id: server } of await this.membersOf(id)) {
      const zone = String((await this.showServer(server!))?.['OS-EXT-AZ:availability_zone']);
      found[zone] = (found[zone] ?? 0) + 1;
    }
    return found;
  }

  /** The number of a cluster's servers in each region, by each region's Compute. */
  async regionsOf(id: string, regions: readonly string[]): Promise<Record<string, number>> {
    const own = (await this.membersOf(id)).map(({ physical_id: server }) => server);
    const found: Record<string, number> = {};
    for (const region of regions) {
      const count = (await this.serverIds(region)).filter((id) => own.includes(id)).length;
      if (count) found[region] = count;
    }
    return found;
  }

  /** The ids of the project's servers in a region. */
  async serverIds(region = ''): Promise<string[]> {
    const reply = await this.requestCompute('GET', '/servers', { region }).expect(200);
    return (reply.body as { servers: { id: string }[] }).servers.map(({ id }) => id);
  }
}

const regionPrefix = (region: string): string => (region ? `/${region}` : '');

async function idOf(request: supertest.Test, noun: string): Promise<string> {
  const reply = await request;
  expect(reply.status, reply.text).to.be.oneOf([201, 202]);
  return (reply.body as Record<string, { id: string }>)[noun]!.id;
}

/** Declares a suite on each database, in a cloud with hosts in these zones and a profile. */
export function onClustering(
  title: string,
  zones: Readonly<Record<string, number>>,
  suite: (clustering: Clustering, world: World) => void,
  overrides: Partial<Config> = {},
): void {
  onEachDatabase(title, { ...config, ...overrides }, (world) => {
    const clustering = new Clustering(world);
    beforeEach(async () => {
      await clustering.createHosts(zones);
      clustering.profile = await clustering.createProfile();
    });
    suite(clustering, world);
  });
}
