// Tests of delegation: for whom Clustering acts later and in other regions, and with which roles.
import { expect } from 'chai';
import type supertest from 'supertest';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, ids, make, makeUser, onProject, signIn, signInReply } from '../identity/support.ts';
import { newest, novaSpec, type ShownAction, type ShownCluster } from './support.ts';

interface Trust {
  readonly id: string;
  readonly redelegated_trust_id: string | null;
}

interface Request {
  readonly token: string | null;
  readonly body?: object;
  /** The first region by default. */
  readonly region?: string;
}

onEachDatabase(
  'clustering: delegation',
  { regions: ['RegionOne', 'RegionTwo'], hosts: '1' },
  (world) => {
    /** The token of the user demo, a member of the project demo. */
    let owner: string;
    beforeEach(async () => {
      owner = await signIn(world, { name: 'demo' });
    });

    const send = (
      method: string,
      path: string,
      { token, body, region = '' }: Request,
    ): supertest.Test =>
      world.ask('clustering', method, `${region && `/${region}`}/clustering/v1${path}`, {
        version: newest,
        token,
        ...(body ? { body } : {}),
      });

    const create = async <T = { id: string }>(
      noun: string,
      fields: object,
      token: string,
      region = '',
    ): Promise<T> => {
      const body = { [noun]: { name: noun, ...fields } };
      const reply = await send('POST', `/${noun.replace(/y$/, 'ie')}s`, { token, body, region });
      expect(reply.status, reply.text).to.be.oneOf([201, 202]);
      return (reply.body as Record<string, T>)[noun]!;
    };

    /** Creates a profile and a cluster with it. @returns the id of the cluster */
    const createCluster = async (token: string, size = 0, region = ''): Promise<string> => {
      const { id } = await create('profile', { spec: novaSpec() }, token, region);
      const fields = { profile_id: id, desired_capacity: size };
      return (await create('cluster', fields, token, region)).id;
    };

    /** Creates a webhook that adds a node. @returns its trigger and the id of its trust */
    const createWebhook = async (
      cluster: string,
      token: string,
    ): Promise<{ trigger: () => Promise<ShownAction>; trust: string }> => {
      const fields = { type: 'webhook', cluster_id: cluster, action: 'CLUSTER_SCALE_OUT' };
      const { id, actor } = await create<{ id: string; actor: { trust_id: string } }>(
        'receiver',
        fields,
        token,
      );
      const trigger = async (): Promise<ShownAction> =>
        finished(await send('POST', `/webhooks/${id}/trigger?V=2`, { token: null }));
      return { trigger, trust: actor.trust_id };
    };

    /** The action that a reply names, after its due jobs have run. */
    const finished = async (reply: supertest.Response): Promise<ShownAction> => {
      expect(reply.status, reply.text).to.equal(202);
      const path = `/actions/${reply.headers['location']!.split('/actions/')[1]}`;
      const token = await signIn(world);
      return ((await send('GET', path, { token })).body as { action: ShownAction }).action;
    };

    const scaleOut = async (cluster: string, token: string): Promise<ShownAction> =>
      finished(
        await send('POST', `/clusters/${cluster}/actions`, {
          token,
          body: { scale_out: { count: 1 } },
        }),
      );

    const showCluster = async (id: string, region = ''): Promise<ShownCluster> =>
      (
        (await send('GET', `/clusters/${id}`, { token: owner, region }).expect(200)).body as {
          cluster: ShownCluster;
        }
      ).cluster;

    /** The users of the project's servers in a region. */
    const serverOwners = async (region = 'RegionOne'): Promise<string[]> => {
      const path = `/${region}/compute/v2.1/servers/detail`;
      const reply = await world.ask('compute', 'GET', path, { token: owner }).expect(200);
      return (reply.body as { servers: { user_id: string }[] }).servers.map((one) => one.user_id);
    };

    const trusts = async (): Promise<Trust[]> =>
      ((await ask(world, 'GET', '/v3/OS-TRUST/trusts')).body as { trusts: Trust[] }).trusts;

    /** A token for a trust by which demo delegates the role reader. */
    const readerToken = async (
      allow_redelegation: boolean,
    ): Promise<{ token: string; trust: string }> => {
      const trustee = await makeUser(world, 'trustee');
      const trust = {
        trustor_user_id: ids.demo,
        trustee_user_id: trustee,
        project_id: ids.demoProject,
        impersonation: true,
        roles: [{ name: 'reader' }],
        allow_redelegation,
      };
      const reply = await ask(world, 'POST', '/v3/OS-TRUST/trusts', {
        token: owner,
        body: { trust },
      });
      const { id } = (reply.body as { trust: Trust }).trust;
      const scope = { 'OS-TRUST:trust': { id } };
      return { token: await signIn(world, { name: 'trustee', password: 'pw', scope }), trust: id };
    };

    const deleteTrust = async (id: string): Promise<void> => {
      const reply = await ask(world, 'DELETE', `/v3/OS-TRUST/trusts/${id}`, { token: owner });
      expect(reply.status).to.equal(204);
    };

    it('uses one trust for a user, a project and a set of roles, in all regions', async () => {
      await createCluster(owner);
      await createCluster(owner, 0, 'RegionTwo');
      const { trust } = await createWebhook(await createCluster(owner), owner);
      expect((await trusts()).map(({ id }) => id)).to.deep.equal([trust]);
    });

    it('uses another trust for another set of roles', async () => {
      await createCluster(owner);
      await createCluster((await readerToken(true)).token);
      expect(await trusts()).to.have.length(3);
    });

    describe('a request with fewer roles than an earlier one', () => {
      it('creates no servers, in no region', async () => {
        await createCluster(owner);
        const { token } = await readerToken(true);
        for (const region of ['RegionOne', 'RegionTwo']) {
          const cluster = await createCluster(token, 2, region);
          expect((await showCluster(cluster, region)).nodes).to.have.length(2);
          expect(await serverOwners(region)).to.deep.equal([]);
        }
      });

      it('creates no servers in another region than the cluster', async () => {
        const { token } = await readerToken(true);
        const spec = novaSpec({ context: { region_name: 'RegionTwo' } });
        const profile = await create('profile', { spec }, owner);
        const fields = { profile_id: profile.id, desired_capacity: 1 };
        const { id } = await create('cluster', fields, token);
        expect(await showCluster(id)).to.not.include({ status: 'CREATING' });
        expect(await serverOwners('RegionTwo')).to.deep.equal([]);
        const other = await create('cluster', fields, owner);
        expect(await showCluster(other.id)).to.include({ status: 'ACTIVE' });
        expect(await serverOwners('RegionTwo')).to.deep.equal([ids.demo]);
      });

      it('adds no servers to a cluster of the same user', async () => {
        const cluster = await createCluster(owner, 1);
        expect(await scaleOut(cluster, (await readerToken(true)).token)).to.include({
          status: 'FAILED',
        });
        expect(await serverOwners()).to.have.length(1);
      });

      it('does not change what earlier webhooks may do', async () => {
        const { trigger } = await createWebhook(await createCluster(owner), owner);
        await createCluster((await readerToken(true)).token);
        expect(await trigger()).to.include({ status: 'SUCCEEDED' });
        expect(await serverOwners()).to.deep.equal([ids.demo]);
      });
    });

    describe('a request of another user', () => {
      it('adds no servers to a cluster without the role member', async () => {
        const cluster = await createCluster(owner);
        await makeUser(world, 'reader', 'reader');
        const scope = onProject('demo');
        const token = await signIn(world, { name: 'reader', password: 'pw', scope });
        expect(await scaleOut(cluster, token)).to.include({ status: 'FAILED' });
        expect(await serverOwners()).to.deep.equal([]);
      });

      it('adds servers of the owner with the role member, or admin elsewhere', async () => {
        const cluster = await createCluster(owner);
        await makeUser(world, 'other', 'member');
        const scope = onProject('demo');
        const other = await signIn(world, { name: 'other', password: 'pw', scope });
        for (const token of [other, await signIn(world)])
          expect(await scaleOut(cluster, token)).to.include({ status: 'SUCCEEDED' });
        expect(await serverOwners()).to.deep.equal([ids.demo, ids.demo]);
      });
    });

    it('shows no details to a user without a role in Compute', async () => {
      const cluster = await createCluster(owner, 1);
      const [node] = (await showCluster(cluster)).nodes;
      const role = await make(world, 'role', { name: 'visitor' });
      const visitor = await makeUser(world, 'visitor');
      const grant = `/v3/projects/${ids.demoProject}/users/${visitor}/roles/${role.id}`;
      await ask(world, 'PUT', grant);
      const scope = onProject('demo');
      const token = await signIn(world, { name: 'visitor', password: 'pw', scope });
      const detailsFor = async (by: string): Promise<object> => {
        const path = `/nodes/${node}?show_details=true`;
        const reply = await send('GET', path, { token: by }).expect(200);
        return (reply.body as { node: { details: object } }).node.details;
      };
      expect(await detailsFor(owner)).to.include({ status: 'ACTIVE' });
      expect(await detailsFor(token)).to.have.all.keys('Error');
    });

    for (const unrestricted of [false, true])
      it(`returns 403 to ${unrestricted ? 'an unrestricted' : 'a restricted'} application credential, and stores nothing`, async () => {
        const cluster = await createCluster(owner);
        const { trigger } = await createWebhook(cluster, owner);
        const before = await trusts();
        const reply = await ask(world, 'POST', `/v3/users/${ids.demo}/application_credentials`, {
          token: owner,
          body: { application_credential: { name: 'ci', unrestricted } },
        });
        const { id, secret } = (
          reply.body as { application_credential: { id: string; secret: string } }
        ).application_credential;
        const identity = {
          methods: ['application_credential'],
          application_credential: { id, secret },
        };
        const { headers } = await signInReply(world, { identity, scope: null });
        const token = headers['x-subject-token']!;
        const [profiles, clusters] = [
          await send('GET', '/profiles', { token }),
          await send('GET', '/clusters', { token }),
        ];
        const { profile_id } = await showCluster(cluster);
        const webhook = { type: 'webhook', cluster_id: cluster, action: 'CLUSTER_SCALE_OUT' };
        const requests: [path: string, body: object][] = [
          ['/profiles', { profile: { name: 'p', spec: novaSpec() } }],
          ['/policies', { policy: { name: 'p', spec: deletionPolicy } }],
          ['/clusters', { cluster: { name: 'c', profile_id } }],
          ['/nodes', { node: { name: 'n', profile_id } }],
          [`/clusters/${cluster}/actions`, { scale_out: { count: 1 } }],
          ['/receivers', { receiver: { name: 'r', ...webhook } }],
        ];
        for (const [path, body] of requests) {
          const refused = await send('POST', path, { token, body });
          expect(refused.status, path).to.equal(403);
          expect(refused.text).to.contain('is not allowed for managing trusts');
        }
        expect((await send('GET', '/profiles', { token })).body).to.deep.equal(profiles.body);
        expect((await send('GET', '/clusters', { token })).body).to.deep.equal(clusters.body);
        expect(await trusts()).to.deep.equal(before);
        expect(await trigger()).to.include({ status: 'SUCCEEDED' });
      });

    it('returns 403 to a trust that may not be redelegated, and changes nothing', async () => {
      const cluster = await createCluster(owner);
      const { trigger } = await createWebhook(cluster, owner);
      const { token } = await readerToken(false);
      const body = { profile: { name: 'p', spec: novaSpec() } };
      await send('POST', '/profiles', { token, body }).expect(403);
      await send('POST', `/clusters/${cluster}/actions`, {
        token,
        body: { scale_out: { count: 1 } },
      }).expect(403);
      expect(await trigger()).to.include({ status: 'SUCCEEDED' });
      expect(await scaleOut(cluster, owner)).to.include({ status: 'SUCCEEDED' });
    });

    it('redelegates the trust of a token, and loses its rights with that trust', async () => {
      const member = await createCluster(owner);
      const { token, trust } = await readerToken(true);
      const cluster = await createCluster(token);
      expect((await trusts()).map((one) => one.redelegated_trust_id)).to.include(trust);
      await deleteTrust(trust);
      expect(await scaleOut(cluster, owner)).to.include({ status: 'SUCCEEDED' });
      expect(await scaleOut(member, owner)).to.include({ status: 'SUCCEEDED' });
    });

    it("replaces a trust that its owner has deleted at the owner's next request", async () => {
      const cluster = await createCluster(owner, 1);
      const { trigger, trust } = await createWebhook(cluster, owner);
      await deleteTrust(trust);
      const { text } = await send('GET', `/clusters/${cluster}`, { token: owner });
      expect(text).to.contain('ACTIVE');
      await create('policy', { spec: deletionPolicy }, owner);
      expect((await trusts()).map(({ id }) => id)).to.deep.equal([trust]);
      expect(await trigger()).to.include({ status: 'SUCCEEDED' });
      expect(await serverOwners()).to.have.length(2);
    });
  },
);

const deletionPolicy = {
  type: 'senlin.policy.deletion',
  version: '1.1',
  properties: { criteria: 'OLDEST_FIRST' },
};
