// Tests of requests for migrations between pods: plans, and what is refused.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { Migrating } from './migrating.ts';
import { Networking } from './networking.ts';
import { admin, alice, messageOf, Tenancy, threePods, type Json } from './support.ts';

onEachDatabase('gateway: plans of migrations between pods', threePods, (world) => {
  let cloud: Tenancy;
  let net: Networking;
  let moving: Migrating;
  let pod2 = '';
  beforeEach(async () => {
    cloud = new Tenancy(world);
    net = new Networking(world, cloud);
    moving = new Migrating(world, cloud);
    pod2 = await moving.podId('Pod2');
  });

  const reasonOf = async (id: string): Promise<string> => {
    const plan = await moving.plan({ server_id: id, target_pod_id: pod2 });
    expect(plan['moves']).to.deep.equal([]);
    const refused = (plan['refused'] as Json[]).find((resource) => resource['id'] === id);
    return refused!['reason'] as string;
  };
  const refusal = async (status: number, migration: Json): Promise<string> =>
    messageOf((await moving.ask('POST', '', migration).expect(status)).body);

  describe('POST /migrations with dry_run', () => {
    it('shows what would move, from where to where, with sizes, and changes nothing', async () => {
      const { id } = await cloud.server('vm');
      const volume = await cloud.volume('data', { size: 3 });
      const plan = await moving.plan({ project_id: 'acme', target_pod_id: pod2 });
      expect(plan).to.deep.include({
        id: null,
        status: 'PLANNED',
        project_id: 'acme',
        refused: [],
        totals: {
          servers: 1,
          volumes: 1,
          server_groups: 0,
          vcpus: 1,
          memory_mb: 512,
          disk_gb: 1,
          volume_gb: 3,
        },
      });
      expect((plan['moves'] as Json[])[0]).to.deep.include({
        project_id: 'acme',
        source_region: 'Pod1',
        target_region: 'Pod2',
        target_pod_id: pod2,
        resources: [
          {
            resource_type: 'server',
            id,
            name: 'vm',
            project_id: 'acme',
            size: { vcpus: 1, memory_mb: 512, disk_gb: 1 },
          },
        ],
      });
      expect((plan['moves'] as Json[])[1]!['resources'][0]).to.include({ id: volume['id'] });
      await moving.pass(3);
      expect(await cloud.show(id as string)).to.include({ status: 'ACTIVE', locked: false });
      const { body } = await moving.ask('GET', '').expect(200);
      expect(body).to.deep.equal({ migrations: [] });
    });

    it('leaves the bindings of projects alone', async () => {
      await cloud.server('vm');
      await net.leavePod('Pod1');
      const bindings = async () => (await cloud.tricircle('GET', '/bindings')).body as Json;
      const before = await bindings();
      const plan = await moving.plan({ pod_id: await moving.podId('Pod1') });
      expect((plan['moves'] as Json[])[0]).to.include({ target_region: 'Pod2' });
      expect(await bindings()).to.deep.equal(before);
    });

    it('names what prevents a move', async () => {
      const { id } = await cloud.server('vm');
      const act = (action: Json) =>
        cloud.nova('POST', `/servers/${id}/action`, { as: admin, body: action }).expect(202);
      await act({ pause: null });
      expect(await reasonOf(id as string)).to.contain('Its status is PAUSED.');
      await act({ unpause: null });
      const volume = await cloud.volume('data');
      await cloud.nova('POST', `/servers/${id}/os-volume_attachments`, {
        body: { volumeAttachment: { volumeId: volume['id'] } },
      });
      const alone = await moving.plan({ volume_id: volume['id'], target_pod_id: pod2 });
      expect((alone['refused'] as Json[])[0]!['reason']).to.equal(
        `The server ${id} would have to move with it.`,
      );
      await cloud.cinder('POST', '/snapshots', {
        body: { snapshot: { volume_id: volume['id'], force: true } },
        version: '3.0',
      });
      expect(await reasonOf(id as string)).to.equal(
        `It has to move with the volume ${volume['id']} in Pod1, which cannot be moved.`,
      );
      const plan = await moving.plan({ server_id: id, target_pod_id: pod2 });
      expect((plan['refused'] as Json[])[1]).to.deep.include({
        resource_type: 'volume',
        region: 'Pod1',
        reason: 'It has snapshots, which cannot be moved.',
      });
    });

    it('names the other members of a server group', async () => {
      const made = await cloud.nova('POST', '/os-server-groups', {
        body: { server_group: { name: 'g', policy: 'affinity' } },
      });
      const group = ((made.body as Json)['server_group'] as Json)['id'] as string;
      const one = await cloud.server('one', {}, alice, { group });
      const two = await cloud.server('two', {}, alice, { group });
      expect(await reasonOf(one['id'] as string)).to.equal(
        `It has to move with the server group ${group} in Pod1, which cannot be moved.`,
      );
      const plan = await moving.plan({ server_id: one['id'], target_pod_id: pod2 });
      expect((plan['refused'] as Json[])[0]!['reason']).to.equal(
        `The server ${two['id']} would have to move with it.`,
      );
    });

    it('refuses a pod for resources with another tag, and the pod that a server is in', async () => {
      const { id } = await cloud.server('vm');
      const tagged = { server_id: id, target_pod_id: await moving.podId('Pod4') };
      expect(((await moving.plan(tagged))['refused'] as Json[])[0]!['reason']).to.equal(
        'Pod1 has the tag {}, and Pod4 the tag {"resource":"CAD Modeling"}.',
      );
      expect(((await moving.plan({ server_id: id }))['refused'] as Json[])[0]!['reason']).to.equal(
        'It is in Pod1 already.',
      );
    });
  });

  describe('POST /migrations', () => {
    it('returns 403 for a tenant', async () => {
      const { id } = await cloud.server('vm');
      for (const [method, path] of [
        ['GET', ''],
        ['POST', ''],
        ['GET', '/x'],
        ['DELETE', '/x'],
      ] as const)
        await moving.ask(method, path, { server_id: id }, alice).expect(403);
    });

    it('returns 400 for a body without one resource, project or pod', async () => {
      const one = 'Exactly one of server_id, volume_id, project_id, pod_id is required';
      expect(await refusal(400, {})).to.equal(one);
      expect(await refusal(400, { server_id: 'a', pod_id: 'b' })).to.equal(one);
      expect(await refusal(400, { server_id: 1 })).to.equal('Field server_id can not be empty');
      expect(await refusal(400, { server_id: 'x'.repeat(128) })).to.contain('is too long');
      expect(await refusal(400, { project_id: 'a', dry_run: 'yes' })).to.contain('dry_run');
      expect(await refusal(400, { project_id: 'a', to: 'b' })).to.equal('Field to is unknown');
    });

    it('returns 404 for an unknown server, volume or pod', async () => {
      expect(await refusal(404, { server_id: 'x' })).to.equal('The server x could not be found');
      expect(await refusal(404, { volume_id: 'x' })).to.equal('The volume x could not be found');
      expect(await refusal(404, { pod_id: 'x' })).to.equal('Pod not found');
      expect(await refusal(404, { project_id: 'acme', target_pod_id: 'x' })).to.contain('Pod');
      const central = await moving.podId('CentralRegion');
      expect(await refusal(404, { project_id: 'acme', target_pod_id: central })).to.contain('Pod');
    });

    it('returns 409 for a pod in service, and for a target under maintenance', async () => {
      expect(await refusal(409, { pod_id: pod2 })).to.equal(
        'The pod Pod2 is not under maintenance: it would get new servers meanwhile',
      );
      await net.leavePod('Pod2');
      expect(await refusal(409, { project_id: 'acme', target_pod_id: pod2 })).to.equal(
        'The pod Pod2 is under maintenance',
      );
    });

    it('does not move a resource twice at the same time', async () => {
      const { id } = await cloud.server('vm');
      await moving.create({ server_id: id, target_pod_id: pod2 });
      expect(await reasonOf(id as string)).to.equal('It is being moved already.');
    });
  });

  describe('GET /migrations', () => {
    it('lists migrations, latest first, by status and page', async () => {
      const { id } = await cloud.server('vm');
      const running = await moving.create({ server_id: id, target_pod_id: pod2 });
      const empty = await moving.create({ project_id: 'nobody' });
      const list = async (query: string): Promise<Json> =>
        (await moving.ask('GET', query).expect(200)).body as Json;
      const ids = ({ migrations }: Json) =>
        (migrations as Json[]).map((one) => one['id'] as string);
      expect(ids(await list(''))).to.deep.equal([empty['id'], running['id']]);
      expect(ids(await list('?status=running'))).to.deep.equal([running['id']]);
      const first = await list('?limit=1');
      expect(ids(first)).to.deep.equal([empty['id']]);
      expect((first['migrations_links'] as Json[])[0]!['href']).to.equal(
        `/v1.0/migrations?limit=1&marker=${empty['id']}`,
      );
      expect(ids(await list(`?limit=1&marker=${empty['id']}`))).to.deep.equal([running['id']]);
      await moving.ask('GET', '?marker=x').expect(400);
      await moving.ask('GET', '?colour=x').expect(400);
      await moving.ask('GET', '/x').expect(404);
    });
  });
});
