// Tests of pods and their tags, and of the order in which errors are checked.
import { expect } from 'chai';
import { systemContext } from '../../../src/kernel/context.ts';
import { tricircle } from '../../../src/services/tricircle/index.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  advance,
  type Ask,
  asker,
  choose,
  type Fields,
  historyOf,
  makePod,
  regions,
} from './support.ts';

onEachDatabase('pods', { auth: 'noauth2', regions }, (world) => {
  let ask: Ask;
  beforeEach(() => (ask = asker(world)));

  const refused = async (
    method: string,
    path: string,
    body: unknown,
    status: number,
    text: string,
  ): Promise<void> => {
    const reply = await ask(method, path, body).expect(status);
    expect(reply.text).to.equal(text);
    expect(reply.headers['content-type']).to.equal('text/html; charset=UTF-8');
  };
  const create = (fields: Fields, status: number, text: string): Promise<void> =>
    refused('POST', '/pods', { pod: fields }, status, text);

  describe('POST /pods', () => {
    it('registers a pod, with the field names of Tricircle and Trio2o', async () => {
      const pod = await makePod(ask, {
        region_name: ' RegionOne ',
        az_name: ' az1 ',
        pod_az_name: 'nova',
        dc_name: 'Paris',
      });
      expect(pod).to.deep.equal({
        pod_id: pod['pod_id'],
        region_name: 'RegionOne',
        pod_name: 'RegionOne',
        az_name: 'az1',
        pod_az_name: 'nova',
        dc_name: 'Paris',
        resource_affinity_tag: {},
        is_under_maintenance: false,
        create_time: '2026-11-20 12:00:00',
        weight: null,
        threshold_percent: null,
        headroom: null,
        prices: null,
      });
      expect((await ask('GET', `/pods/${pod['pod_id']}`).expect(200)).body).to.deep.equal({ pod });
    });

    it('accepts the older key of the region, and returns 422 if both differ', async () => {
      expect(await makePod(ask, { pod_name: 'RegionOne', az_name: 'az1' })).to.include({
        region_name: 'RegionOne',
      });
      await create(
        { pod_name: 'a', region_name: 'b', az_name: 'az1' },
        422,
        'Valid region_name is required for pod',
      );
      expect(await makePod(ask, { pod_name: 'b', region_name: 'b', az_name: 'az1' })).to.include({
        pod_name: 'b',
      });
    });

    it('accepts the additional fields of dynamic binding #tricircle-16 #tricircle-20', async () => {
      const beyond = {
        resource_affinity_tag: { resource: 'CAD Modeling' },
        is_under_maintenance: true,
        create_time: '2026-01-02 03:04:05',
        weight: -3,
        threshold_percent: 99,
        headroom: { vcpus: 4, volume_gb: 0.5 },
        prices: { vcpus: 0.25, disk_gb: 0 },
      };
      expect(
        await makePod(ask, { region_name: 'RegionOne', az_name: 'az1', ...beyond }),
      ).to.deep.include(beyond);
    });

    it('registers the central pod without a zone, and ignores its other zone', async () => {
      const top = {
        region_name: 'CentralRegion',
        pod_az_name: 'x',
        resource_affinity_tag: { a: 'b' },
      };
      expect(await makePod(ask, top)).to.deep.include({
        az_name: '',
        pod_az_name: '',
        resource_affinity_tag: {},
      });
    });

    for (const fields of [
      {},
      { az_name: '' },
      { region_name: '' },
      { region_name: ' ', az_name: ' ' },
      { az_name: null, region_name: null },
    ])
      it(`returns 422 for ${JSON.stringify(fields)}`, () =>
        create(fields, 422, 'Valid region_name is required for top region'));
    for (const fields of [{ az_name: 'az1' }, { region_name: '', az_name: 'az1' }])
      it(`returns 422 for ${JSON.stringify(fields)}`, () =>
        create(fields, 422, 'Valid region_name is required for pod'));

    for (const [field, value] of [
      ['region_name', 1],
      ['region_name', 'x'.repeat(256)],
      ['az_name', []],
      ['pod_az_name', {}],
      ['dc_name', true],
      ['dc_name', 'x'.repeat(256)],
      ['resource_affinity_tag', 'CAD'],
      ['resource_affinity_tag', ['CAD']],
      ['resource_affinity_tag', { a: 1 }],
      ['resource_affinity_tag', { '': 'a' }],
      ['resource_affinity_tag', { a: '' }],
      ['is_under_maintenance', 'yes'],
      ['is_under_maintenance', null],
      ['create_time', 'yesterday'],
      ['weight', 1.5],
      ['weight', '1'],
      ['weight', 2 ** 31],
      ['threshold_percent', 0],
      ['threshold_percent', 100],
      ['headroom', { cpus: 1 }],
      ['headroom', { vcpus: -1 }],
      ['headroom', [1]],
      ['prices', { cpus: 1 }],
      ['prices', { vcpus: -1 }],
      ['prices', { vcpus: 1_000_000_001 }],
      ['prices', 'cheap'],
    ] as const)
      it(`returns 422 for ${field} ${JSON.stringify(value).slice(0, 30)}`, () =>
        create(
          { region_name: 'RegionOne', az_name: 'az1', [field]: value },
          422,
          `Valid ${field} is required for pod`,
        ));

    it('returns 409 for a second central pod', async () => {
      await makePod(ask, { region_name: 'CentralRegion' });
      await create({ region_name: 'Other' }, 409, 'Top region already exists');
      await create({ region_name: 'Other', az_name: '' }, 409, 'Top region already exists');
      await create({}, 422, 'Valid region_name is required for top region');
    });

    it("returns 409 for a pod in the central pod's region", async () => {
      await makePod(ask, { region_name: 'CentralRegion' });
      await create(
        { region_name: 'CentralRegion', az_name: 'az1' },
        409,
        'Pod region name duplicated with the top region name',
      );
    });

    it('returns 409 for a second pod in a region', async () => {
      await makePod(ask, { region_name: 'RegionOne', az_name: 'az1' });
      await create({ region_name: 'RegionOne', az_name: 'az2' }, 409, 'Record already exists');
      await create({ region_name: 'RegionOne' }, 409, 'Record already exists');
    });
  });

  describe('GET /pods', () => {
    it('lists pods, oldest first, and ignores the query', async () => {
      await makePod(ask, { region_name: 'B', az_name: 'az1' });
      await makePod(ask, { region_name: 'A', az_name: 'az1', create_time: '2020-01-01' });
      await advance(world, 1);
      await makePod(ask, { region_name: 'C', az_name: 'az2' });
      const { body } = await ask('GET', '/pods?az_name=az2&limit=1').expect(200);
      expect(body.pods.map((pod: Fields) => pod['region_name'])).to.deep.equal(['A', 'B', 'C']);
      for (const pod of body.pods)
        expect((await ask('GET', `/pods/${pod.pod_id}`).expect(200)).body).to.deep.equal({ pod });
    });
  });

  describe('PUT /pods/{id}', () => {
    it('updates the mutable fields only', async () => {
      const pod = await makePod(ask, {
        region_name: 'RegionOne',
        az_name: 'az1',
        dc_name: 'Paris',
        weight: 3,
      });
      const changes = {
        is_under_maintenance: true,
        weight: null,
        threshold_percent: 50,
        headroom: { memory_mb: 512 },
        pod_az_name: 'nova',
      };
      const { body } = await ask('PUT', `/pods/${pod['pod_id']}`, { pod: changes }).expect(200);
      expect(body.pod).to.deep.equal({ ...pod, ...changes });
      expect((await ask('GET', `/pods/${pod['pod_id']}`)).body).to.deep.equal(body);
    });

    it('returns 404 for an unknown pod, before it checks the body', () =>
      refused('PUT', '/pods/x', {}, 404, 'Pod not found'));

    it('returns an error for a missing pod, an invalid value, and a move', async () => {
      const { pod_id: id } = await makePod(ask, { region_name: 'RegionOne', az_name: 'az1' });
      const { body } = await ask('PUT', `/pods/${id}`, {}).expect(400);
      expect(body.description).to.equal('Request body pod not found');
      const put = (pod: Fields, text: string) => refused('PUT', `/pods/${id}`, { pod }, 422, text);
      await put({ threshold_percent: 0 }, 'Valid threshold_percent is required for pod');
      await put({ region_name: 'RegionTwo' }, 'The region_name of a pod can not be changed');
      await put({ pod_name: 'RegionTwo' }, 'The region_name of a pod can not be changed');
      await put({ az_name: 'az2' }, 'The az_name of a pod can not be changed');
      await ask('PUT', `/pods/${id}`, { pod: { region_name: 'RegionOne', az_name: 'az1' } }).expect(
        200,
      );
    });

    it('ends the bindings to a pod that leaves their group', async () => {
      const { pod_id: id } = await makePod(ask, { region_name: 'RegionOne', az_name: 'az1' });
      await choose(world.cloud, { tenant: 't', zone: 'az1' });
      await advance(world, 10);
      await ask('PUT', `/pods/${id}`, {
        pod: { is_under_maintenance: false, resource_affinity_tag: {} },
      }).expect(200);
      expect((await historyOf(ask, 't'))[0]).to.include({ is_binding: true });
      await ask('PUT', `/pods/${id}`, {
        pod: { resource_affinity_tag: { resource: 'CAD' } },
      }).expect(200);
      const ended = {
        is_binding: false,
        end_reason: 'pod_changed',
        end_binding_time: '2026-11-20 12:00:10',
      };
      expect(await historyOf(ask, 't')).to.have.length(1);
      expect((await historyOf(ask, 't'))[0]).to.include(ended);
    });
  });

  describe('DELETE /pods/{id}', () => {
    it('deletes a pod', async () => {
      const { pod_id: id } = await makePod(ask, { region_name: 'RegionOne', az_name: 'az1' });
      expect((await ask('DELETE', `/pods/${id}`).expect(200)).body).to.deep.equal({});
      await refused('DELETE', `/pods/${id}`, undefined, 404, 'Pod not found');
      await makePod(ask, { region_name: 'RegionOne', az_name: 'az1' });
    });

    it('returns 500 for a pod that a routing refers to', async () => {
      const { pod_id: id } = await makePod(ask, { region_name: 'RegionOne', az_name: 'az1' });
      const routing = {
        top_id: 'a',
        bottom_id: 'b',
        pod_id: id,
        project_id: 'p',
        resource_type: 'router',
      };
      await ask('POST', '/routings', { routing }).expect(200);
      await refused('DELETE', `/pods/${id}`, undefined, 500, 'Failed to delete pod');
    });

    it('returns 500 for a pod with a binding, until an admin deletes that', async () => {
      const { pod_id: id } = await makePod(ask, { region_name: 'RegionOne', az_name: 'az1' });
      await choose(world.cloud, { tenant: 't' });
      await refused('DELETE', `/pods/${id}`, undefined, 500, 'Failed to delete pod');
      const [binding] = await historyOf(ask, 't');
      await ask('DELETE', `/bindings/${binding!['id']}`).expect(200);
      await ask('DELETE', `/pods/${id}`).expect(200);
      expect((await historyOf(ask, 't'))[0]).to.include({ pod_id: id, end_reason: 'admin' });
    });
  });

  describe('/pod-affinity-tag', () => {
    const add = (fields: Fields) => ask('POST', '/pod-affinity-tag', { pod_affinity_tag: fields });

    it('lists the keys of tags, and adds and removes keys', async () => {
      const { pod_id: id } = await makePod(ask, {
        region_name: 'RegionOne',
        az_name: 'az1',
        resource_affinity_tag: { a: '1' },
      });
      const { body } = await add({ pod_id: id, key: 'b', value: '2' }).expect(200);
      const tag = body.pod_affinity_tag as Fields;
      expect(tag).to.deep.equal({
        affinity_tag_id: tag['affinity_tag_id'],
        pod_id: id,
        key: 'b',
        value: '2',
      });
      expect(
        (await ask('GET', '/pod-affinity-tag').expect(200)).body.pod_affinity_tag,
      ).to.have.length(2);
      expect(
        (await ask('GET', `/pod-affinity-tag/${tag['affinity_tag_id']}`).expect(200)).body,
      ).to.deep.equal(body);
      expect((await ask('GET', `/pods/${id}`)).body.pod.resource_affinity_tag).to.deep.equal({
        a: '1',
        b: '2',
      });
      expect(
        (await ask('DELETE', `/pod-affinity-tag/${tag['affinity_tag_id']}`).expect(200)).body,
      ).to.deep.equal({});
      expect((await ask('GET', `/pods/${id}`)).body.pod.resource_affinity_tag).to.deep.equal({
        a: '1',
      });
      await ask('DELETE', `/pod-affinity-tag/${tag['affinity_tag_id']}`).expect(404);
    });

    it('returns 400 for the body, the key, the value and the pod, in this order', async () => {
      const say = async (body: unknown, message: string): Promise<void> => {
        const reply = await ask('POST', '/pod-affinity-tag', body).expect(400);
        expect(reply.body).to.deep.equal({ badRequest: { message, code: 400 } });
      };
      await say({}, 'Request body not found');
      await say({ pod_affinity_tag: {} }, 'Field key can not be empty');
      await say({ pod_affinity_tag: { key: 'a', value: ' ' } }, 'Field value can not be empty');
      await say(
        { pod_affinity_tag: { key: 'a', value: 'b', pod_id: null } },
        'Field pod_id can not be empty',
      );
      await say(
        { pod_affinity_tag: { key: 'a', value: 'b', pod_id: 'x' } },
        "The pod x doesn't exist",
      );
      const { body } = await ask('GET', '/pod-affinity-tag/x').expect(404);
      expect(body).to.deep.equal({
        itemNotFound: { message: 'Pod affinity tag not found', code: 404 },
      });
    });
  });
});

const seeds = [
  { region: 'CentralRegion', azName: '', podAzName: '', dcName: '', tag: null },
  {
    region: 'RegionTwo',
    azName: 'az1',
    podAzName: 'nova',
    dcName: 'Paris',
    tag: { resource: 'CAD Modeling' },
  },
  { region: 'RegionOne', azName: 'az1', podAzName: 'nova', dcName: '', tag: null },
];

onEachDatabase(
  'the pods of a profile',
  { auth: 'noauth2', regions, pods: seeds, hosts: '1' },
  (world) => {
    const list = async (): Promise<Fields[]> =>
      (await asker(world)('GET', '/pods').expect(200)).body.pods as Fields[];

    it('exist from the start, oldest first, and can be chosen #tricircle-1', async () => {
      const pods = await list();
      expect(
        pods.map(({ region_name: name, az_name: zone }) => [name, zone] as unknown),
      ).to.deep.equal([
        ['CentralRegion', ''],
        ['RegionTwo', 'az1'],
        ['RegionOne', 'az1'],
      ]);
      expect(pods[1]).to.deep.include({
        resource_affinity_tag: { resource: 'CAD Modeling' },
        pod_az_name: 'nova',
        dc_name: 'Paris',
      });
      expect(
        (await choose(world.cloud, { tenant: 't', specs: { resource: 'CAD Modeling' } }))
          .regionName,
      ).to.equal('RegionTwo');
      await advance(world, 86_400);
      const { body } = await asker(world)('GET', '/usages').expect(200);
      expect(
        body.usages.map(({ nova }: Fields) => (nova as Fields)['count'] as number),
      ).to.deep.equal([1, 1]);
    });

    it('stay deleted, and return with the same ids after a reset', async () => {
      const [, first, second] = await list();
      await asker(world)('DELETE', `/pods/${first!['pod_id']}`).expect(200);
      const context = systemContext(
        world.cloud,
        world.cloud.firstRegion,
        world.cloud.central.db,
        0,
      );
      await tricircle.seed!(context);
      expect((await list()).map(({ region_name: name }) => name as string)).to.deep.equal([
        'CentralRegion',
        'RegionOne',
      ]);
      await world.http.post('/_emulator/reset').send({ service: 'tricircle' }).expect(204);
      expect((await list()).map(({ pod_id: id }) => id as string).slice(1)).to.deep.equal([
        first!['pod_id'],
        second!['pod_id'],
      ]);
    });
  },
);
