// Tests of snapshots, metadata, types, quotas and limits.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { act, ask, makeSnapshot, makeType, makeVolume, newest, said } from './support.ts';

onEachDatabase('snapshots, metadata, types and quotas', { auth: 'noauth2' }, (world) => {
  describe('snapshots', () => {
    it('are made, shown, changed and deleted', async () => {
      const id = await makeVolume(world, 'alice', { size: 2 });
      const body = {
        snapshot: { volume_id: id, name: 'one', description: 'words', metadata: { a: 'b' } },
      };
      const made = (await ask(world, 'alice', 'POST', '/snapshots', { body }).expect(202)).body
        .snapshot as { id: string };
      expect(made).to.deep.include({
        name: 'one',
        description: 'words',
        volume_id: id,
        size: 2,
        status: 'creating',
        metadata: { a: 'b' },
        user_id: 'alice',
      });
      const shown = await ask(world, 'alice', 'GET', `/snapshots/${made.id}`).expect(200);
      expect(shown.body.snapshot).to.include({
        status: 'available',
        'os-extended-snapshot-attributes:progress': '100%',
      });
      const old = (await ask(world, 'alice', 'GET', `/snapshots/${made.id}`, { version: '3.13' }))
        .body.snapshot as object;
      expect(old).to.not.have.any.keys('group_snapshot_id', 'user_id', 'consumes_quota');
      const changed = await ask(world, 'alice', 'PUT', `/snapshots/${made.id}`, {
        body: { snapshot: { name: 'two' } },
      }).expect(200);
      expect(changed.body.snapshot).to.include({ name: 'two', description: 'words' });
      await ask(world, 'bob', 'GET', `/snapshots/${made.id}`).expect(404);
      await ask(world, 'reader', 'DELETE', `/snapshots/${made.id}`).expect(403);
      await ask(world, 'alice', 'DELETE', `/snapshots/${made.id}`).expect(202);
      expect(said(await ask(world, 'alice', 'GET', `/snapshots/${made.id}`).expect(404))).to.equal(
        `Snapshot ${made.id} could not be found.`,
      );
    });

    it('of a volume in use need force before 3.66', async () => {
      const id = await makeVolume(world, 'alice');
      await act(world, 'alice', id, {
        'os-attach': { host_name: 'h', mountpoint: '/dev/vdb' },
      }).expect(202);
      const make = (fields: object, version: string) =>
        ask(world, 'alice', 'POST', '/snapshots', {
          body: { snapshot: { volume_id: id, ...fields } },
          version,
        });
      expect(said(await make({}, '3.65').expect(400))).to.contain(
        'status must be available, but current status is: in-use',
      );
      await make({ force: true }, '3.65').expect(202);
      await make({}, '3.66').expect(202);
      await make({ force: true }, '3.66').expect(202);
      expect(said(await make({ force: false }, '3.66').expect(400))).to.contain(
        "the 'force' flag is invalid",
      );
    });

    it('are listed by what they are', async () => {
      const one = await makeVolume(world, 'alice');
      const two = await makeVolume(world, 'alice');
      await makeSnapshot(world, 'alice', one, { name: 'a', metadata: { colour: 'red' } });
      await makeSnapshot(world, 'alice', two, { name: 'b' });
      const names = async (
        query: string,
        who: 'alice' | 'bob' | 'admin' = 'alice',
        version = newest,
      ): Promise<string[]> => {
        const reply = await ask(world, who, 'GET', `/snapshots/detail?${query}`, {
          version,
        }).expect(200);
        return (reply.body as { snapshots: { name: string }[] }).snapshots.map(({ name }) => name);
      };
      const cases: [string, string[]][] = [
        ['sort=name:asc', ['a', 'b']],
        [`volume_id=${one}`, ['a']],
        ['name=b', ['b']],
        ['status=error', []],
        [encodeURI("metadata={'colour':'red'}"), ['a']],
        ['availability_zone=nova&sort=name:desc', ['b', 'a']],
        ['availability_zone=x', []],
        ['consumes_quota=no', []],
        ['limit=1&sort=name:asc', ['a']],
      ];
      for (const [query, expected] of cases)
        expect(await names(query), query).to.deep.equal(expected);
      expect(await names('', 'bob')).to.deep.equal([]);
      expect(await names('all_tenants=True&sort=name:asc', 'admin')).to.deep.equal(['a', 'b']);
      await ask(world, 'alice', 'GET', '/snapshots?sort=name', { version: '3.29' }).expect(400);
      const summary = await ask(world, 'alice', 'GET', '/snapshots?limit=1&with_count=1').expect(
        200,
      );
      expect(summary.body).to.include({ count: 2 });
      expect(summary.body.snapshots_links[0].href).to.contain('marker=');
    });

    it('are reset and deleted by force, for administrators', async () => {
      const id = await makeSnapshot(world, 'alice', await makeVolume(world, 'alice'));
      const action = (body: object, who: 'alice' | 'admin' = 'admin') =>
        ask(world, who, 'POST', `/snapshots/${id}/action`, { body });
      await action({ 'os-reset_status': { status: 'error' } }, 'alice').expect(403);
      await action({ 'os-reset_status': { status: 'x' } }).expect(400);
      await action({ 'os-reset_status': { status: 'creating' } }).expect(202);
      await ask(world, 'alice', 'DELETE', `/snapshots/${id}`).expect(400);
      const update = (fields: object) => action({ 'os-update_snapshot_status': fields }, 'alice');
      expect(said(await update({ status: 'in-use' }).expect(400))).to.equal(
        'Provided snapshot status in-use not allowed for snapshot with status creating.',
      );
      expect(said(await update({ status: 'error', progress: '101%' }).expect(400))).to.contain(
        'between 0 and 100',
      );
      await update({ status: 'error', progress: '80%' }).expect(202);
      expect((await ask(world, 'alice', 'GET', `/snapshots/${id}`)).body.snapshot).to.include({
        status: 'error',
        'os-extended-snapshot-attributes:progress': '80%',
      });
      expect(said(await update({ status: 'error' }).expect(400))).to.equal(
        'Snapshot status error not allowed for update_snapshot_status',
      );
      await action({ 'os-force_delete': {} }).expect(202);
      await ask(world, 'alice', 'GET', `/snapshots/${id}`).expect(404);
    });
  });

  it('metadata of volumes and snapshots is written whole and in parts', async () => {
    const volumeId = await makeVolume(world, 'alice');
    const snapshotId = await makeSnapshot(world, 'alice', volumeId);
    for (const [base, noun] of [
      [`/volumes/${volumeId}`, 'Volume'],
      [`/snapshots/${snapshotId}`, 'Snapshot'],
    ] as const) {
      const request = (method: string, path: string, body?: object) =>
        ask(world, 'alice', method, `${base}/metadata${path}`, body ? { body } : {});
      expect(
        (await request('POST', '', { metadata: { a: '1', b: '2' } }).expect(200)).body,
      ).to.deep.equal({
        metadata: { a: '1', b: '2' },
      });
      expect((await request('PUT', '/a', { meta: { a: '3' } }).expect(200)).body).to.deep.equal({
        meta: { a: '3' },
      });
      expect(said(await request('PUT', '/a', { meta: { b: '3' } }).expect(400))).to.equal(
        'Request body and URI mismatch',
      );
      expect((await request('GET', '/a').expect(200)).body).to.deep.equal({ meta: { a: '3' } });
      await request('DELETE', '/b').expect(200);
      expect(said(await request('DELETE', '/b').expect(404)))
        .to.contain(`${noun} `)
        .and.contain('has no metadata with key b.');
      await request('PUT', '', { metadata: { c: '4' } }).expect(200);
      expect((await request('GET', '').expect(200)).body).to.deep.equal({ metadata: { c: '4' } });
      await request('POST', '', { metadata: { 'a!': '1' } }).expect(400);
      await ask(world, 'bob', 'GET', `${base}/metadata`).expect(404);
    }
    const { headers } = await ask(world, 'alice', 'GET', `/volumes/${volumeId}/metadata`);
    const put = (etag: string) =>
      ask(world, 'alice', 'PUT', `/volumes/${volumeId}/metadata`, {
        body: { metadata: { d: '5' } },
        headers: { 'if-match': etag },
      });
    await put('old').expect(412);
    await put(headers['etag'] as string).expect(200);
  });

  describe('types', () => {
    it('are there from the beginning, and one is the usual one', async () => {
      const { body } = await ask(world, 'reader', 'GET', '/types?sort=name:asc').expect(200);
      expect(body.volume_types.map(({ name }: { name: string }) => name)).to.deep.equal([
        '__DEFAULT__',
        'lvmdriver-1',
      ]);
      expect(body.volume_types[1].extra_specs).to.deep.equal({});
      const usual = await ask(world, 'admin', 'GET', '/types/default').expect(200);
      expect(usual.body.volume_type).to.deep.include({
        name: 'lvmdriver-1',
        extra_specs: { volume_backend_name: 'lvmdriver-1' },
        qos_specs_id: null,
      });
    });

    it('are made, changed and deleted by administrators', async () => {
      const id = await makeType(world, { name: 'gold', description: 'd', extra_specs: { a: 'b' } });
      await ask(world, 'alice', 'POST', '/types', { body: { volume_type: { name: 'x' } } }).expect(
        403,
      );
      const twice = await ask(world, 'admin', 'POST', '/types', {
        body: { volume_type: { name: 'gold' } },
      }).expect(409);
      expect(said(twice)).to.equal('Volume Type gold already exists.');
      const put = (fields: object) =>
        ask(world, 'admin', 'PUT', `/types/${id}`, { body: { volume_type: fields } });
      expect(
        (await put({ name: 'silver', is_public: 'no' }).expect(200)).body.volume_type,
      ).to.include({
        name: 'silver',
        is_public: false,
      });
      await put({ name: 'lvmdriver-1' }).expect(409);
      expect(said(await put({}).expect(400))).to.contain('Specify volume type name');
      await ask(world, 'admin', 'DELETE', `/types/${id}`).expect(202);
      expect(said(await ask(world, 'admin', 'GET', `/types/${id}`).expect(404))).to.equal(
        `Volume type ${id} could not be found.`,
      );
    });

    it('that volumes have, or that is the usual one, stay', async () => {
      const id = await makeType(world, { name: 'gold' });
      await makeVolume(world, 'alice', { volume_type: 'gold' });
      expect(said(await ask(world, 'admin', 'DELETE', `/types/${id}`).expect(400))).to.equal(
        'Target volume type is still in use.',
      );
      const usual = (await ask(world, 'admin', 'GET', '/types/default')).body.volume_type as {
        id: string;
      };
      expect(
        said(await ask(world, 'admin', 'DELETE', `/types/${usual.id}`).expect(400)),
      ).to.contain('default volume type and cannot be deleted');
      await ask(world, 'admin', 'POST', `/types/${id}/extra_specs`, {
        body: { extra_specs: { a: 'b' } },
      }).expect(400);
    });

    it('that are not public are for whom they are opened', async () => {
      const id = await makeType(world, {
        name: 'private',
        'os-volume-type-access:is_public': false,
      });
      const action = (body: object) => ask(world, 'admin', 'POST', `/types/${id}/action`, { body });
      await ask(world, 'alice', 'GET', `/types/${id}`).expect(404);
      await ask(world, 'alice', 'POST', '/volumes', {
        body: { volume: { size: 1, volume_type: 'private' } },
      }).expect(404);
      await action({ addProjectAccess: { project: 'b1' } }).expect(202);
      await action({ addProjectAccess: { project: 'b1' } }).expect(409);
      await makeVolume(world, 'alice', { volume_type: 'private' });
      await ask(world, 'bob', 'GET', `/types/${id}`).expect(404);
      const access = await ask(world, 'admin', 'GET', `/types/${id}/os-volume-type-access`).expect(
        200,
      );
      expect(access.body.volume_type_access).to.deep.equal([
        { volume_type_id: id, project_id: 'b1' },
      ]);
      await action({ removeProjectAccess: { project: 'b1' } }).expect(202);
      await action({ removeProjectAccess: { project: 'b1' } }).expect(404);
      const names = async (query: string): Promise<string[]> =>
        (
          (await ask(world, 'admin', 'GET', `/types?${query}&sort=name:asc`)).body as {
            volume_types: { name: string }[];
          }
        ).volume_types.map(({ name }) => name);
      expect(await names('')).to.not.include('private');
      expect(await names('is_public=None')).to.include('private');
      expect(await names('is_public=False')).to.deep.equal(['private']);
      await ask(world, 'admin', 'GET', '/types?is_public=x').expect(400);
    });

    it('have extra specs, most of which only administrators see', async () => {
      const id = await makeType(world, { name: 'gold' });
      const specs = `/types/${id}/extra_specs`;
      await ask(world, 'admin', 'POST', specs, {
        body: { extra_specs: { secret: 'x', multiattach: '<is> True' } },
      }).expect(200);
      expect(
        (await ask(world, 'admin', 'PUT', `${specs}/secret`, { body: { secret: 'y' } }).expect(200))
          .body,
      ).to.deep.equal({
        secret: 'y',
      });
      await ask(world, 'admin', 'PUT', `${specs}/secret`, { body: { other: 'y' } }).expect(400);
      expect((await ask(world, 'admin', 'GET', specs)).body.extra_specs).to.deep.equal({
        secret: 'y',
        multiattach: '<is> True',
      });
      expect((await ask(world, 'reader', 'GET', specs)).body.extra_specs).to.deep.equal({
        multiattach: '<is> True',
      });
      await ask(world, 'reader', 'GET', `${specs}/secret`).expect(404);
      const found = await ask(
        world,
        'admin',
        'GET',
        encodeURI("/types?extra_specs={'secret':'y'}"),
      );
      expect(found.body.volume_types).to.have.length(1);
      await ask(world, 'admin', 'POST', specs, {
        body: { extra_specs: { cacheable: '<is> True' } },
      }).expect(400);
      await ask(world, 'admin', 'DELETE', `${specs}/secret`).expect(202);
      await ask(world, 'admin', 'DELETE', `${specs}/secret`).expect(404);
      await ask(world, 'alice', 'DELETE', `${specs}/multiattach`).expect(403);
    });
  });

  describe('quotas and limits', () => {
    it('are the usual ones until they are set', async () => {
      await makeSnapshot(world, 'alice', await makeVolume(world, 'alice', { size: 2 }));
      const usage = await ask(world, 'alice', 'GET', '/os-quota-sets/b1?usage=True').expect(200);
      expect(usage.body.quota_set).to.deep.include({
        id: 'b1',
        volumes: { limit: 10, in_use: 1, reserved: 0 },
        gigabytes: { limit: 1000, in_use: 4, reserved: 0 },
      });
      const set = await ask(world, 'admin', 'PUT', '/os-quota-sets/b1', {
        body: { quota_set: { volumes: 5, tenant_id: 'b1' } },
      }).expect(200);
      expect(set.body.quota_set).to.include({ volumes: 5, snapshots: 10 });
      const limits = await ask(world, 'alice', 'GET', '/limits').expect(200);
      expect(limits.body.limits.absolute).to.include({
        maxTotalVolumes: 5,
        totalVolumesUsed: 1,
        totalGigabytesUsed: 4,
        totalSnapshotsUsed: 1,
      });
      expect(
        (await ask(world, 'admin', 'GET', '/limits?project_id=b1')).body.limits.absolute,
      ).to.include({ maxTotalVolumes: 5 });
      expect(
        (await ask(world, 'alice', 'GET', '/os-quota-sets/b1/defaults')).body.quota_set,
      ).to.include({
        volumes: 10,
        'volumes_lvmdriver-1': -1,
      });
      await ask(world, 'admin', 'DELETE', '/os-quota-sets/b1').expect(200);
      expect((await ask(world, 'alice', 'GET', '/os-quota-sets/b1')).body.quota_set).to.include({
        volumes: 10,
      });
    });

    it('are refused where they make no sense, or are for others', async () => {
      await makeVolume(world, 'alice');
      const set = (quota_set: object, who: 'admin' | 'alice' = 'admin') =>
        ask(world, who, 'PUT', '/os-quota-sets/b1', { body: { quota_set } });
      expect(said(await set({ cats: 1 }).expect(400))).to.equal('Bad key(s) in quota set: cats');
      expect(said(await set({ volumes: 'x' }).expect(400))).to.equal('volumes must be an integer.');
      expect(said(await set({ volumes: 0 }).expect(400))).to.contain(
        'Current usage is 1 and the requested limit is 0.',
      );
      await set({ volumes: 1 }, 'alice').expect(403);
      await ask(world, 'bob', 'GET', '/os-quota-sets/b1').expect(403);
      await set({}).expect(400);
    });

    it('the zone is nova', async () => {
      const { body } = await ask(world, 'reader', 'GET', '/os-availability-zone').expect(200);
      expect(body).to.deep.equal({
        availabilityZoneInfo: [{ zoneName: 'nova', zoneState: { available: true } }],
      });
    });
  });
});
