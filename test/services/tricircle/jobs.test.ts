// Tests of asynchronous jobs: upstream's cases for all types, and the lifecycle by the emulator's
// clock.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { advance, type Ask, asker, type Fields, makePod, regions } from './support.ts';

/** The types, with the keys of their resources, and the resource type of the owner's routing. */
const types: Readonly<Record<string, readonly [keys: readonly string[], owner?: string]>> = {
  configure_route: [['router_id'], 'router'],
  router_setup: [['pod_id', 'router_id', 'network_id'], 'router'],
  port_delete: [['pod_id', 'port_id'], 'port'],
  seg_rule_setup: [['project_id']],
  update_network: [['pod_id', 'network_id'], 'network'],
  trunk_sync: [['pod_id', 'trunk_id'], 'trunk'],
  subnet_update: [['pod_id', 'subnet_id'], 'subnet'],
  shadow_port_setup: [['pod_id', 'network_id'], 'network'],
  sfc_sync: [['pod_id', 'portchain_id', 'network_id'], 'port_chain'],
  resource_recycle: [['project_id']],
  qos_create: [['pod_id', 'policy_id', 'res_type', 'res_id'], 'qos_policy'],
  qos_update: [['pod_id', 'policy_id'], 'qos_policy'],
  qos_delete: [['pod_id', 'policy_id'], 'qos_policy'],
  sync_qos_rule: [['rule_id', 'policy_id'], 'qos_policy'],
  port_update: [['pod_id', 'port_id'], 'port'],
  floatingip_update: [['pod_id', 'floatingip_id'], 'floatingip'],
};

onEachDatabase('jobs', { auth: 'noauth2', regions }, (world) => {
  let ask: Ask;
  let pod: string;

  beforeEach(async () => {
    ask = asker(world);
    pod = (await makePod(ask, { region_name: 'RegionOne', az_name: 'az1' }))['pod_id'] as string;
    for (const resourceType of new Set(
      Object.values(types).flatMap(([, owner]) => (owner ? [owner] : [])),
    )) {
      const routing = {
        top_id: 'thing',
        bottom_id: 'b',
        pod_id: pod,
        project_id: 'admin',
        resource_type: resourceType,
      };
      await ask('POST', '/routings', { routing }).expect(200);
    }
  });

  const jobOf = (type: string, more: Fields = {}): Fields => {
    const value = (key: string): string =>
      key === 'pod_id' ? pod : key === 'project_id' ? 'admin' : 'thing';
    const resource = Object.fromEntries(types[type]![0].map((key) => [key, value(key)]));
    return { type, project_id: 'admin', resource, ...more };
  };
  const make = async (type: string, more: Fields = {}): Promise<Fields> =>
    ((await ask('POST', '/jobs', { job: jobOf(type, more) }).expect(200)).body as Fields)[
      'job'
    ] as Fields;
  const refused = async (
    method: string,
    path: string,
    body: unknown,
    status: number,
    message: string,
  ): Promise<void> => {
    const reply = await ask(method, path, body).expect(status);
    expect(reply.body).to.deep.equal({
      [status === 404 ? 'itemNotFound' : 'badRequest']: { message, code: status },
    });
  };
  const list = async (query = ''): Promise<Fields[]> =>
    ((await ask('GET', `/jobs${query}`).expect(200)).body as Fields)['jobs'] as Fields[];
  const statuses = async (query = ''): Promise<string[]> =>
    (await list(query)).map(({ status }) => status as string);
  const set = (settings: Fields) =>
    world.http.put('/_emulator/tricircle/settings').send(settings).expect(200);

  describe('POST /jobs', () => {
    for (const [type, [keys, owner]] of Object.entries(types)) {
      it(`creates ${type}, and a second job with the same resource`, async () => {
        const job = await make(type);
        const expected = {
          ...jobOf(type),
          id: job['id'],
          status: 'NEW',
          timestamp: '2026-11-20 12:00:00',
        };
        expect(job).to.deep.equal(expected);
        expect((await make(type))['id']).to.not.equal(job['id']);
        expect((await ask('GET', `/jobs/${job['id']}`).expect(200)).body).to.deep.equal({ job });
      });

      it(`returns 400 for missing, invalid, redundant and foreign fields of ${type}`, async () => {
        const post = (job: Fields, message: string) =>
          refused('POST', '/jobs', { job }, 400, message);
        const good = jobOf(type);
        const without = ({ [keys[0]!]: _, ...rest }: Fields): Fields => rest;
        await post({ ...good, type: undefined }, "type isn't provided in request body");
        await post({ ...good, type: '' }, "type can't be empty");
        await post({ ...good, type: `${type}_1` }, `There is no such job type: ${type}_1`);
        await post(
          { ...good, resource: undefined },
          'Failed to create job, because the resource is not specified',
        );
        await post(
          { ...good, resource: without(good['resource']) },
          `Some required fields are not specified: {'${keys[0]}'}`,
        );
        await post(
          { ...good, resource: { ...good['resource'], [keys[0]!]: null } },
          `Some required fields are not specified: {'${keys[0]}'}`,
        );
        await post(
          { ...good, resource: { ...good['resource'], fake: 'x' } },
          "Some fields are redundant: {'fake'}",
        );
        await post({ ...good, project_id: undefined }, "project_id isn't provided in request body");
        await post({ ...good, project_id: ' ' }, "project_id can't be empty");
        await post(
          { ...good, project_id: 'other' },
          owner
            ? `${owner} thing doesn't belong to the project other`
            : "Specified project_id other and resource's project_id admin are different",
        );
      });
    }

    it('returns 400 for a body without a job', () =>
      refused('POST', '/jobs', { jobs: {} }, 400, 'Request body not found'));
  });

  describe('GET /jobs/schemas', () => {
    it('lists the types with the keys of their resources', async () => {
      const { body } = await ask('GET', '/jobs/schemas').expect(200);
      expect(body.schemas).to.deep.equal(
        Object.entries(types).map(([type, [resource]]) => ({ type, resource })),
      );
    });
  });

  describe('lifecycle', () => {
    it('adds a running job to the new one, and then a log entry', async () => {
      const { id } = await make('configure_route');
      expect(await statuses()).to.deep.equal(['NEW']);
      await advance(world, 1);
      expect(await statuses()).to.deep.equal(['RUNNING', 'NEW']);
      const running = (await list('?status=running'))[0]!;
      await refused(
        'DELETE',
        `/jobs/${running['id']}`,
        undefined,
        400,
        `Failed to delete the running job ${running['id']}`,
      );
      await refused(
        'PUT',
        `/jobs/${running['id']}`,
        undefined,
        400,
        `Can't redo job ${running['id']} which is running`,
      );
      await advance(world, 1);
      const [done] = await list();
      expect(await statuses()).to.deep.equal(['SUCCESS']);
      expect(done).to.include({ type: 'configure_route', timestamp: '2026-11-20 12:00:00' });
      expect(done!['id']).to.not.be.oneOf([id, running['id']]);
      for (const gone of [id, running['id']])
        await refused('GET', `/jobs/${gone}`, undefined, 404, 'Resource not found');
      expect((await ask('GET', `/jobs/${done!['id']}`).expect(200)).body.job.status).to.equal(
        'SUCCESS',
      );
      await refused(
        'DELETE',
        `/jobs/${done!['id']}`,
        undefined,
        400,
        `Job ${done!['id']} is from job log`,
      );
      await refused(
        'PUT',
        `/jobs/${done!['id']}`,
        undefined,
        400,
        `Job ${done!['id']} is from job log`,
      );
    });

    it('runs once for all earlier jobs, and once more for jobs created meanwhile', async () => {
      await make('configure_route');
      await make('configure_route');
      await advance(world, 1);
      await make('configure_route');
      expect((await statuses()).toSorted()).to.deep.equal(['NEW', 'NEW', 'NEW', 'RUNNING']);
      await advance(world, 1);
      expect((await statuses()).toSorted()).to.deep.equal(['NEW', 'RUNNING', 'SUCCESS']);
      await advance(world, 1);
      expect((await statuses()).toSorted()).to.deep.equal(['SUCCESS', 'SUCCESS']);
      await advance(world, 100);
      expect((await statuses()).toSorted()).to.deep.equal(['SUCCESS', 'SUCCESS']);
    });

    it('fails if the settings say so, and stays until it is redone', async () => {
      await set({ failing_job_types: ['trunk_sync'] });
      await make('trunk_sync');
      await advance(world, 2);
      expect((await statuses()).toSorted()).to.deep.equal(['FAIL', 'NEW']);
      await set({ failing_job_types: [] });
      const failed = (await list('?status=fail'))[0]!;
      const redone = await ask('PUT', `/jobs/${failed['id']}`, undefined, {
        headers: { 'content-type': 'application/json' },
      });
      expect([redone.status, redone.text, redone.headers['content-type']]).to.deep.equal([
        200,
        'null',
        'application/json',
      ]);
      await advance(world, 10);
      expect(await statuses()).to.deep.equal(['SUCCESS']);
    });

    it('fails if its pod does not exist, or has no Neutron', async () => {
      const { pod_id: bare } = await makePod(ask, { region_name: 'Nowhere', az_name: 'az1' });
      for (const podId of ['x', bare, 'not_specified_pod'])
        await make('port_delete', { resource: { pod_id: podId, port_id: 'thing' } });
      await advance(world, 2);
      const ends = (await list()).filter(({ status }) => status !== 'NEW');
      expect(
        Object.fromEntries(ends.map(({ resource, status }) => [resource.pod_id, status])),
      ).to.deep.equal({
        x: 'FAIL',
        [bare]: 'FAIL',
        not_specified_pod: 'SUCCESS',
      });
    });

    it('ends with a deletion, unless it is running or has ended', async () => {
      const { id } = await make('configure_route');
      expect((await ask('DELETE', `/jobs/${id}`).expect(200)).body).to.deep.equal({});
      for (const method of ['DELETE', 'PUT'])
        await refused(method, `/jobs/${id}`, undefined, 404, `Job ${id} not found`);
      await advance(world, 10);
      expect(await statuses()).to.deep.equal([]);
      await set({ failing_job_types: ['configure_route'] });
      await make('configure_route');
      await advance(world, 2);
      for (const { id: left } of await list()) await ask('DELETE', `/jobs/${left}`).expect(200);
      expect(await statuses()).to.deep.equal([]);
    });
  });

  describe('GET /jobs', () => {
    const ids = (jobs: readonly Fields[]): string[] => jobs.map(({ id }) => id as string);

    it('filters by type and by status in any case, and by the own project', async () => {
      await make('configure_route');
      await advance(world, 5);
      await make('port_delete');
      for (const path of ['', '/detail']) {
        expect(await statuses(path)).to.deep.equal(['NEW', 'SUCCESS']);
        expect(await statuses(`${path}?type=port_delete`)).to.deep.equal(['NEW']);
        expect(await statuses(`${path}?status=SuCCess`)).to.deep.equal(['SUCCESS']);
        expect(await statuses(`${path}?status=new&project_id=other`)).to.deep.equal(['NEW']);
        expect(await statuses(`${path}?status=new-x`)).to.deep.equal([]);
      }
      const byOther = await ask('GET', '/jobs', undefined, { token: 'admin:other' }).expect(200);
      expect(byOther.body.jobs).to.deep.equal([]);
    });

    it('returns 400 for invalid limits, filters and markers, in this order', async () => {
      const get = (query: string, message: string) =>
        refused('GET', `/jobs?${query}`, undefined, 400, message);
      await get(
        'limit=1x&fake=1',
        "Limit should be an integer or a valid literal for int() rather than '1x'",
      );
      await get('fake=1&marker=x', 'Unsupported filter type: fake');
      await get('marker=x', 'Invalid marker: x');
    });

    for (const limit of [1, 2, 3])
      it(`paginates jobs and their log with the limit ${limit}`, async () => {
        for (const type of ['configure_route', 'port_delete', 'trunk_sync']) {
          await make(type);
          await advance(world, 1);
        }
        await advance(world, 10);
        await make('qos_update');
        await make('qos_delete');
        const all = ids(await list());
        expect(await statuses()).to.deep.equal(['NEW', 'NEW', 'SUCCESS', 'SUCCESS', 'SUCCESS']);
        const found: string[] = [];
        let next: string | undefined = `?limit=${limit}`;
        while (next !== undefined) {
          const { body }: { body: Fields } = await ask('GET', `/jobs${next}`).expect(200);
          found.push(...ids(body['jobs'] as Fields[]));
          const href = body['jobs_links']?.[0].href as string | undefined;
          if (href !== undefined)
            expect(href).to.equal(`/v1.0/jobs?limit=${limit}&marker=${found.at(-1)}`);
          next = href?.replace('/v1.0/jobs', '');
        }
        expect(found).to.deep.equal(all);
      });
  });
});
