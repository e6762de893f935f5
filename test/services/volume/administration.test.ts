// Tests of Volume's API for operators: QoS specs, encryption, services, pools, messages, quota
// classes.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { act, ask, makeSnapshot, makeType, makeVolume, said, volume } from './support.ts';

onEachDatabase('running volumes', { auth: 'noauth2' }, (world) => {
  const admin = (method: string, path: string, body?: object, version?: string) =>
    ask(world, 'admin', method, path, {
      ...(body ? { body } : {}),
      ...(version ? { version } : {}),
    });

  describe('QoS specs', () => {
    const make = async (specs: object): Promise<string> =>
      (
        (await admin('POST', '/qos-specs', { qos_specs: specs }).expect(200)).body as {
          qos_specs: { id: string };
        }
      ).qos_specs.id;

    it('are made, changed and deleted, by administrators', async () => {
      const id = await make({ name: ' gold ', consumer: 'both', iops: '100' });
      const show = async (): Promise<unknown> =>
        (await admin('GET', `/qos-specs/${id}`).expect(200)).body.qos_specs;
      expect(await show()).to.deep.equal({
        id,
        name: 'gold',
        consumer: 'both',
        specs: { iops: '100' },
      });
      await admin('PUT', `/qos-specs/${id}`, {
        qos_specs: { consumer: 'back-end', bytes: '5' },
      }).expect(200);
      await admin('PUT', `/qos-specs/${id}/delete_keys`, { keys: ['iops'] }).expect(202);
      expect(await show()).to.deep.equal({
        id,
        name: 'gold',
        consumer: 'back-end',
        specs: { bytes: '5' },
      });
      expect(
        said(await admin('PUT', `/qos-specs/${id}/delete_keys`, { keys: ['iops'] }).expect(404)),
      ).to.equal(`QoS spec ${id} has no spec with key iops.`);
      expect(
        said(await admin('POST', '/qos-specs', { qos_specs: { name: 'gold' } }).expect(409)),
      ).to.equal('QoS Specs gold already exists.');
      expect(
        said(
          await admin('POST', '/qos-specs', { qos_specs: { name: 'x', consumer: 'me' } }).expect(
            400,
          ),
        ),
      ).to.contain('Valid consumer of QoS specs are');
      await ask(world, 'alice', 'GET', '/qos-specs').expect(403);
      await admin('DELETE', `/qos-specs/${id}`).expect(202);
      expect(said(await admin('GET', `/qos-specs/${id}`).expect(404))).to.equal(
        `No such QoS spec ${id}.`,
      );
    });

    it('belong to types, one to each', async () => {
      const [one, two] = [await make({ name: 'one' }), await make({ name: 'two' })];
      const type = await makeType(world, { name: 't' });
      expect(said(await admin('GET', `/qos-specs/${one}/associate`).expect(400))).to.contain(
        'must not be None',
      );
      await admin('GET', `/qos-specs/${one}/associate?vol_type_id=${type}`).expect(202);
      expect((await admin('GET', `/types/${type}`)).body.volume_type.qos_specs_id).to.equal(one);
      expect(
        (await admin('GET', `/qos-specs/${one}/associations`)).body.qos_associations,
      ).to.deep.equal([{ association_type: 'volume_type', name: 't', id: type }]);
      expect(
        said(await admin('GET', `/qos-specs/${two}/associate?vol_type_id=${type}`).expect(400)),
      ).to.contain('already associated with another qos specs');
      expect(said(await admin('DELETE', `/qos-specs/${one}`).expect(400))).to.equal(
        'Qos specs still in use.',
      );
      await admin('GET', `/qos-specs/${one}/disassociate?vol_type_id=${type}`).expect(202);
      expect((await admin('GET', `/types/${type}`)).body.volume_type.qos_specs_id).to.equal(null);
      await admin('GET', `/qos-specs/${two}/associate?vol_type_id=${type}`).expect(202);
      await admin('GET', `/qos-specs/${two}/disassociate_all`).expect(202);
      await admin('GET', `/qos-specs/${one}/associate?vol_type_id=${type}`).expect(202);
      await admin('DELETE', `/qos-specs/${one}?force=True`).expect(202);
      expect((await admin('GET', `/types/${type}`)).body.volume_type.qos_specs_id).to.equal(null);
    });
  });

  it('a type may be encrypted, as long as no volume has it', async () => {
    const type = await makeType(world, { name: 'secret' });
    const path = `/types/${type}/encryption`;
    expect((await admin('GET', path).expect(200)).body).to.deep.equal({});
    const encryption = { provider: 'luks', control_location: 'front-end', key_size: '256' };
    const made = (await admin('POST', path, { encryption }).expect(200)).body.encryption as {
      encryption_id: string;
    };
    expect(made).to.include({ provider: 'luks', key_size: 256, volume_type_id: type });
    expect(said(await admin('POST', path, { encryption }).expect(400))).to.contain(
      'already exists',
    );
    await admin('PUT', `${path}/${made.encryption_id}`, { encryption: { cipher: 'aes' } }).expect(
      200,
    );
    expect((await admin('GET', path)).body).to.include({
      cipher: 'aes',
      key_size: 256,
      encryption_id: made.encryption_id,
    });
    expect((await admin('GET', `${path}/cipher`).expect(200)).body).to.deep.equal({
      cipher: 'aes',
    });
    await admin('GET', `${path}/colour`).expect(404);
    const id = await makeVolume(world, 'alice', { volume_type: 'secret' });
    expect(await volume(world, id)).to.include({ encrypted: true });
    expect(
      (await ask(world, 'alice', 'GET', `/volumes/${id}/encryption`).expect(200)).body,
    ).to.deep.equal({
      encryption_key_id: '00000000-0000-0000-0000-000000000000',
      provider: 'luks',
      control_location: 'front-end',
      cipher: 'aes',
      key_size: 256,
    });
    expect(said(await admin('DELETE', `${path}/x`).expect(400))).to.equal(
      'Cannot delete encryption specs. Volume type in use.',
    );
    await ask(world, 'alice', 'DELETE', `/volumes/${id}`).expect(202);
    await admin('DELETE', `${path}/x`).expect(202);
    await admin('DELETE', `${path}/x`).expect(404);
  });

  describe('scheduling', () => {
    it('makes an error of a volume that no backend is good for, and leaves a message', async () => {
      const specs = { vendor_name: 'Nobody' };
      await makeType(world, { name: 'odd', extra_specs: specs });
      const id = await makeVolume(world, 'alice', { volume_type: 'odd' });
      expect(await volume(world, id)).to.include({ status: 'error' });
      const [message] = (
        await ask(world, 'alice', 'GET', `/messages?resource_uuid=${id}`).expect(200)
      ).body.messages;
      expect(message).to.include({
        event_id: 'VOLUME_VOLUME_001_003',
        user_message: 'schedule allocate volume:Could not find any available weighted backend.',
        message_level: 'ERROR',
        resource_type: 'VOLUME',
        resource_uuid: id,
        guaranteed_until: '2026-12-20T12:00:00.000000',
      });
      expect(message.request_id).to.match(/^req-/);
      await ask(world, 'bob', 'GET', `/messages/${message.id}`).expect(404);
      await ask(world, 'alice', 'GET', `/messages?colour=red`).expect(400);
      await ask(world, 'alice', 'DELETE', `/messages/${message.id}`).expect(204);
      await ask(world, 'alice', 'GET', `/messages/${message.id}`).expect(404);
    });

    it('takes what a type wants as a comparison', async () => {
      const cases: [string, string, string][] = [
        ['storage_protocol', '<or> FC <or> iSCSI', 'available'],
        ['capabilities:vendor_name', '<in> Open', 'available'],
        ['multiattach', '<is> True', 'available'],
        ['QoS_support', '<is> True', 'error'],
        ['reserved_percentage', '<= 10', 'available'],
        ['vendor:colour', 'red', 'available'],
      ];
      for (const [name, value, status] of cases) {
        await makeType(world, { name: `${name} ${value}`, extra_specs: { [name]: value } });
        const id = await makeVolume(world, 'alice', { volume_type: `${name} ${value}` });
        expect(await volume(world, id), name).to.include({ status });
      }
    });

    it('stops where the volume service is disabled', async () => {
      const body = { binary: 'cinder-volume', host: 'cumulet@lvmdriver-1' };
      await ask(world, 'alice', 'PUT', '/os-services/disable', { body }).expect(403);
      const disabled = await admin('PUT', '/os-services/disable-log-reason', {
        ...body,
        disabled_reason: 'why',
      }).expect(200);
      expect(disabled.body).to.deep.equal({
        ...body,
        service: '',
        status: 'disabled',
        disabled: true,
        disabled_reason: 'why',
      });
      const [one] = (
        await admin('GET', '/os-services?binary=cinder-volume&host=cumulet').expect(200)
      ).body.services;
      expect(one).to.include({
        status: 'disabled',
        state: 'up',
        disabled_reason: 'why',
        frozen: false,
        backend_state: 'up',
      });
      expect(await volume(world, await makeVolume(world, 'alice'))).to.include({ status: 'error' });
      const zones = (await ask(world, 'alice', 'GET', '/os-availability-zone')).body
        .availabilityZoneInfo;
      expect(zones[0].zoneState).to.deep.equal({ available: false });
      await admin('PUT', '/os-services/enable', body).expect(200);
      expect(await volume(world, await makeVolume(world, 'alice'))).to.include({
        status: 'available',
      });
      expect(
        said(await admin('PUT', '/os-services/enable', { ...body, host: 'x' }).expect(404)),
      ).to.equal('Service cinder-volume could not be found on host x.');
      expect(
        said(await admin('PUT', '/os-services/enable', { binary: 'cinder-volume' }).expect(400)),
      ).to.contain('Host field is missing');
    });

    it('tells pools, capabilities and hosts', async () => {
      const id = await makeVolume(world, 'alice', { size: 3 });
      await makeSnapshot(world, 'alice', id);
      const pool = 'cumulet@lvmdriver-1#lvmdriver-1';
      expect(
        (await admin('GET', '/scheduler-stats/get_pools').expect(200)).body.pools,
      ).to.deep.equal([{ name: pool }]);
      const [full] = (await admin('GET', '/scheduler-stats/get_pools?detail=True')).body.pools;
      expect(full.capabilities).to.include({
        allocated_capacity_gb: 3,
        total_volumes: 2,
        storage_protocol: 'iSCSI',
      });
      expect((await admin('GET', '/scheduler-stats/get_pools?name=x')).body.pools).to.deep.equal(
        [],
      );
      expect((await admin('GET', '/capabilities/cumulet@lvmdriver-1').expect(200)).body).to.include(
        {
          vendor_name: 'Open Source',
        },
      );
      expect(said(await admin('GET', '/capabilities/x').expect(404))).to.equal(
        "Can't find service: x",
      );
      expect((await admin('GET', '/os-hosts')).body.hosts).to.have.length(2);
      const { host } = (await admin('GET', '/os-hosts/cumulet@lvmdriver-1').expect(200)).body;
      expect(host.map((one: { resource: object }) => one.resource)).to.deep.equal(
        ['(total)', 'b1'].map((project) => ({
          host: 'cumulet@lvmdriver-1',
          project,
          volume_count: '1',
          total_volume_gb: '3',
          snapshot_count: '1',
          total_snapshot_gb: '3',
        })),
      );
      await ask(world, 'alice', 'GET', '/scheduler-stats/get_pools').expect(403);
    });
  });

  it('gives a volume another type, where a backend is good for it', async () => {
    const good = await makeType(world, {
      name: 'good',
      extra_specs: { volume_backend_name: 'lvmdriver-1' },
    });
    await makeType(world, { name: 'bad', extra_specs: { volume_backend_name: 'x' } });
    const id = await makeVolume(world, 'alice');
    const retype = (type: string, more = {}) =>
      act(world, 'alice', id, { 'os-retype': { new_type: type, ...more } });
    await retype('bad').expect(202);
    expect(await volume(world, id)).to.include({ status: 'available', volume_type: 'lvmdriver-1' });
    await retype(good).expect(202);
    expect(await volume(world, id)).to.include({ status: 'available', volume_type: 'good' });
    expect(said(await retype('good').expect(400))).to.contain('requested type has to be different');
    const type = await makeType(world, { name: 'secret' });
    await admin('POST', `/types/${type}/encryption`, {
      encryption: { provider: 'luks', control_location: 'front-end' },
    });
    await retype('secret').expect(202);
    expect(await volume(world, id)).to.include({ volume_type: 'good', encrypted: false });
    await retype('secret', { migration_policy: 'on-demand' }).expect(202);
    expect(await volume(world, id)).to.include({ volume_type: 'secret', encrypted: true });
  });

  it('has classes of limits; those of `default` are for whoever has no others', async () => {
    const path = '/os-quota-class-sets/default';
    expect((await admin('GET', path).expect(200)).body.quota_class_set).to.include({
      id: 'default',
      volumes: 10,
      groups: 10,
    });
    await admin('PUT', path, { quota_class_set: { volumes: '1' } }).expect(200);
    await makeVolume(world, 'alice');
    const body = { volume: { size: 1 } };
    expect(said(await ask(world, 'alice', 'POST', '/volumes', { body }).expect(413))).to.contain(
      'allowed (1)',
    );
    expect(
      said(await admin('PUT', path, { quota_class_set: { colours: 1 } }).expect(400)),
    ).to.contain('Bad key(s)');
    expect((await admin('GET', '/os-quota-class-sets/x')).body.quota_class_set).to.include({
      id: 'x',
      volumes: 1,
    });
    await ask(world, 'alice', 'GET', path).expect(403);
  });

  it('tells the extensions that it has', async () => {
    const { extensions } = (await ask(world, 'alice', 'GET', '/extensions').expect(200)).body;
    expect(extensions.map(({ alias }: { alias: string }) => alias)).to.include.members([
      'encryption',
      'qos-specs',
    ]);
    expect(
      (await ask(world, 'alice', 'GET', '/extensions/encryption').expect(200)).body.extension.alias,
    ).to.equal('encryption');
    await ask(world, 'alice', 'GET', '/extensions/x').expect(404);
  });

  it('freezes a backend, of which nothing is deleted or copied until it is thawed', async () => {
    const host = 'cumulet@lvmdriver-1';
    const put = (verb: string, body: object = { host }, version?: string) =>
      admin('PUT', `/os-services/${verb}`, body, version);
    const shown = async (): Promise<object> =>
      (
        (await admin('GET', '/os-services?binary=cinder-volume').expect(200)).body as {
          services: object[];
        }
      ).services[0]!;
    const id = await makeVolume(world, 'alice');
    await ask(world, 'alice', 'PUT', '/os-services/freeze', { body: { host } }).expect(403);
    await put('freeze').expect(200);
    expect(await shown()).to.include({
      frozen: true,
      status: 'disabled',
      disabled_reason: 'frozen',
    });
    const frozen =
      'Invalid input received: Modification operations are not allowed on frozen storage backends.';
    expect(said(await ask(world, 'alice', 'DELETE', `/volumes/${id}`).expect(400))).to.equal(
      frozen,
    );
    const snapshot = { body: { snapshot: { volume_id: id } } };
    expect(said(await ask(world, 'alice', 'POST', '/snapshots', snapshot).expect(400))).to.equal(
      frozen,
    );
    expect(said(await put('freeze').expect(400))).to.contain(`frozen in ['${host}'] must be False`);
    await put('thaw').expect(200);
    expect(await shown()).to.include({ frozen: false, status: 'enabled', disabled_reason: '' });
    await ask(world, 'alice', 'DELETE', `/volumes/${id}`).expect(202);
    expect(said(await put('thaw', { host: 'nope' }).expect(400))).to.equal(
      'Invalid input received: No service found with host=nope',
    );
    expect(said(await put('thaw', {}).expect(400))).to.contain(
      'One and only one of cluster and host must be set.',
    );
    expect(said(await put('thaw', {}, '3.25').expect(400))).to.contain('Host field is missing.');
    expect(said(await put('thaw', { cluster: 'c' }).expect(400))).to.contain(
      'No service found with cluster=c',
    );
  });

  it('has default types of projects, since 3.62', async () => {
    const type = await makeType(world, { name: 'gold' });
    const path = '/default-types/b1';
    const put = (name: string) => admin('PUT', path, { default_type: { volume_type: name } });
    await admin('GET', '/default-types', undefined, '3.61').expect(404);
    expect(said(await admin('GET', path).expect(404))).to.equal(
      'Default type for project b1 not found.',
    );
    expect(said(await put('none').expect(400))).to.equal(
      'Volume type with name none could not be found.',
    );
    const entry = { project_id: 'b1', volume_type_id: type };
    expect((await put('gold').expect(200)).body).to.deep.equal({ default_type: entry });
    expect((await put(type).expect(200)).body).to.deep.equal({ default_type: entry });
    expect((await admin('GET', path).expect(200)).body).to.deep.equal({ default_type: entry });
    expect((await admin('GET', '/default-types').expect(200)).body).to.deep.equal({
      default_types: [entry],
    });
    expect(said(await ask(world, 'alice', 'GET', path).expect(403))).to.equal(
      'You are not authorized to perform this operation.',
    );
    expect(await volume(world, await makeVolume(world, 'alice'))).to.include({
      volume_type: 'gold',
    });
    expect(await volume(world, await makeVolume(world, 'bob'), 'bob')).to.include({
      volume_type: 'lvmdriver-1',
    });
    expect(
      (await ask(world, 'alice', 'GET', '/types/default').expect(200)).body.volume_type,
    ).to.include({ name: 'gold' });
    expect(said(await admin('DELETE', `/types/${type}`).expect(400))).to.equal(
      `The volume type ${type} is a default volume type and cannot be deleted.`,
    );
    await admin('DELETE', path).expect(204);
    await admin('DELETE', path).expect(204);
    await admin('GET', path).expect(404);
  });

  it('lists the filters of everybody, since 3.33', async () => {
    const filters = async (query = ''): Promise<{ resource: string; filters: string[] }[]> =>
      (await ask(world, 'alice', 'GET', `/resource_filters${query}`).expect(200)).body
        .resource_filters as never;
    expect((await filters()).map(({ resource }) => resource)).to.include.members([
      'volume',
      'snapshot',
      'pool',
      'backup',
    ]);
    expect(await filters('?resource=volume_type')).to.deep.equal([
      { resource: 'volume_type', filters: ['is_public', 'extra_specs'] },
    ]);
    expect(await filters('?resource=nope')).to.deep.equal([]);
    await ask(world, 'alice', 'GET', '/resource_filters', { version: '3.32' }).expect(404);
  });
});
