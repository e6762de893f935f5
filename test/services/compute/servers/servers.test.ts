// Tests the life cycle of servers: each action, and its errors.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, config, expectFault, member, reader, someone } from '../support.ts';
import {
  act,
  admin,
  imageId,
  madeServer,
  newest,
  postServer,
  showServer,
  spread,
  type Shown,
} from './makers.ts';

const state = (server: Shown): unknown[] => [
  server.status,
  server['OS-EXT-STS:vm_state'],
  server['OS-EXT-STS:task_state'],
  server['OS-EXT-STS:power_state'],
];

onEachDatabase('compute: servers', config, (world) => {
  const placement = async (path: string): Promise<Record<string, unknown>> => {
    const reply = await world.ask('placement', 'GET', `/placement${path}`, {
      token: 'admin',
      version: '1.39',
    });
    return reply.body as Record<string, unknown>;
  };

  describe('POST /servers', () => {
    it('returns 202 with id, links, password and Location, and builds the server', async () => {
      const reply = await postServer(world, { name: 'web', metadata: { a: 'b' } });
      expect(reply.status).to.equal(202);
      const { server } = reply.body as { server: Record<string, unknown> };
      expect(Object.keys(server).toSorted()).to.deep.equal([
        'OS-DCF:diskConfig',
        'adminPass',
        'id',
        'links',
        'security_groups',
      ]);
      expect(server['adminPass']).to.match(/^\w{12}$/);
      expect(reply.headers['location']).to.match(
        new RegExp(`/compute/v2.1/servers/${String(server['id'])}$`),
      );
      const shown = await showServer(world, server['id'] as string);
      expect(state(shown)).to.deep.equal(['ACTIVE', 'active', null, 1]);
      expect(shown).to.deep.include({
        name: 'web',
        metadata: { a: 'b' },
        tags: [],
        description: null,
        locked: false,
        host_status: 'UP',
      });
      const { allocations } = await placement(`/allocations/${shown.id}`);
      expect(Object.values(allocations as object)).to.deep.equal([
        {
          generation: (Object.values(allocations as object)[0] as { generation: number })
            .generation,
          resources: { VCPU: 1, MEMORY_MB: 512, DISK_GB: 1 },
        },
      ]);
    });

    it('numbers several servers, and returns the reservation id on request', async () => {
      const reply = await postServer(world, {
        name: 'w',
        min_count: '2',
        max_count: 3,
        return_reservation_id: true,
      });
      expect(reply.body).to.have.all.keys('reservation_id');
      const list = await ask(
        world,
        'GET',
        `/servers?reservation_id=${String(reply.body.reservation_id)}&sort_key=display_name&sort_dir=asc`,
        { ...admin, version: newest },
      );
      expect((list.body as { servers: Shown[] }).servers.map(({ name }) => name)).to.deep.equal([
        'w-1',
        'w-2',
        'w-3',
      ]);
    });

    it('creates as many servers of a range as the quota allows', async () => {
      await postServer(world, { name: 'w', min_count: 1, max_count: 2_000_000_000 });
      expect(Object.values(await spread(world)).reduce((sum, count) => sum + count, 0)).to.equal(
        10,
      );
    });

    it('returns errors that it can detect at once', async () => {
      const cases: [Record<string, unknown>, number, string][] = [
        [{ imageRef: undefined }, 400, 'Missing imageRef attribute'],
        [{ imageRef: '11111111-1111-1111-1111-111111111111' }, 400, 'Can not find requested image'],
        [{ flavorRef: 'nope' }, 400, 'Flavor nope could not be found.'],
        [{ key_name: 'nope' }, 400, 'Invalid key_name provided.'],
        [{ min_count: 3, max_count: 2 }, 400, 'min_count must be <= max_count'],
        [{ availability_zone: 'nope' }, 400, 'The requested availability zone is not available'],
        [
          { availability_zone: 'a:b:c:d' },
          400,
          'Invalid input received: Unable to parse availability_zone',
        ],
        [{ host: 'nope' }, 400, 'Compute host nope could not be found.'],
        [{ name: '' }, 400, "Invalid input for field/attribute name. Value: . '' is too short"],
        [
          { name: ' a' },
          400,
          "An invalid 'name' value was provided. The name must be: printable characters. Can not start or end with whitespace.",
        ],
        [
          { networks: [{ uuid: '11111111-1111-1111-1111-111111111111' }] },
          400,
          'Network 11111111-1111-1111-1111-111111111111 could not be found.',
        ],
        [
          { max_count: 11, min_count: 11 },
          403,
          'Quota exceeded for instances: Requested 11, but already used 0 of 10 instances',
        ],
      ];
      for (const [fields, status, message] of cases)
        expectFault(await postServer(world, fields), status, message);
      expect(await spread(world)).to.deep.equal({});
    });

    it('returns 403 for a forced host to members, and for creation to readers', async () => {
      expectFault(
        await postServer(world, { availability_zone: 'nova:compute-1' }, member),
        403,
        "Policy doesn't allow os_compute_api:servers:create:forced_host to be performed.",
      );
      expectFault(
        await postServer(world, { host: 'compute-1' }, member),
        403,
        "Policy doesn't allow compute:servers:create:requested_destination to be performed.",
      );
      expectFault(
        await postServer(world, {}, reader),
        403,
        "Policy doesn't allow os_compute_api:servers:create to be performed.",
      );
    });

    it('requires networks from 2.37 on', async () => {
      const body = { server: { name: 's', flavorRef: 1, imageRef: imageId } };
      await ask(world, 'POST', '/servers', { ...admin, version: '2.36', body }).expect(202);
      const reply = await ask(world, 'POST', '/servers', { ...admin, version: '2.37', body });
      expect(reply.status).to.equal(400);
      expect(reply.body.badRequest.message).to.contain("'networks' is a required property");
    });

    it('creates ports and addresses, which are deleted with the server', async () => {
      const networks = await world.ask('network', 'GET', '/network/v2.0/networks?name=private', {
        token: 'admin',
      });
      const network = networks.body.networks[0].id as string;
      const server = await madeServer(world, { networks: [{ uuid: network }] });
      expect(server['addresses']).to.have.all.keys('private');
      const [address] = (server['addresses'] as Record<string, Record<string, unknown>[]>)[
        'private'
      ]!;
      expect(address).to.include({ version: 4, 'OS-EXT-IPS:type': 'fixed' });
      expect(server['security_groups']).to.deep.equal([{ name: 'default' }]);
      const ips = await ask(world, 'GET', `/servers/${server.id}/ips/private`, admin);
      expect(ips.body).to.deep.equal({ private: [{ version: 4, addr: address!['addr'] }] });
      const interfaces = await ask(world, 'GET', `/servers/${server.id}/os-interface`, {
        ...admin,
        version: newest,
      });
      expect(interfaces.body.interfaceAttachments).to.have.length(1);
      const more = await ask(world, 'POST', `/servers/${server.id}/os-interface`, {
        ...admin,
        version: newest,
        body: { interfaceAttachment: { net_id: network, tag: 'second' } },
      });
      expect(more.status, more.text).to.equal(200);
      expect(more.body.interfaceAttachment.tag).to.equal('second');
      await ask(
        world,
        'DELETE',
        `/servers/${server.id}/os-interface/${String(more.body.interfaceAttachment.port_id)}`,
        admin,
      ).expect(202);
      const byIp = await ask(
        world,
        'GET',
        `/servers?ip=${String(address!['addr']).replaceAll('.', '\\.')}`,
        {
          ...admin,
          version: newest,
        },
      );
      expect(byIp.body.servers).to.have.length(1);
      await ask(world, 'DELETE', `/servers/${server.id}`, admin).expect(204);
      const left = await world.ask('network', 'GET', `/network/v2.0/ports?device_id=${server.id}`, {
        token: 'admin',
      });
      expect(left.body.ports).to.deep.equal([]);
    });
  });

  describe('actions', () => {
    it('stop, start, pause, suspend and reboot change the state', async () => {
      const { id } = await madeServer(world);
      const steps: [object, unknown[]][] = [
        [{ 'os-stop': null }, ['SHUTOFF', 'stopped', null, 4]],
        [{ 'os-start': null }, ['ACTIVE', 'active', null, 1]],
        [{ pause: null }, ['PAUSED', 'paused', null, 3]],
        [{ unpause: null }, ['ACTIVE', 'active', null, 1]],
        [{ suspend: null }, ['SUSPENDED', 'suspended', null, 4]],
        [{ resume: null }, ['ACTIVE', 'active', null, 1]],
        [{ reboot: { type: 'SOFT' } }, ['ACTIVE', 'active', null, 1]],
        [{ 'os-stop': null }, ['SHUTOFF', 'stopped', null, 4]],
        [{ reboot: { type: 'HARD' } }, ['ACTIVE', 'active', null, 1]],
        [{ 'os-resetState': { state: 'error' } }, ['ERROR', 'error', null, 1]],
        [{ 'os-resetState': { state: 'active' } }, ['ACTIVE', 'active', null, 1]],
      ];
      for (const [action, after] of steps)
        expect(state(await act(world, id, action)), JSON.stringify(action)).to.deep.equal(after);
    });

    it('return 409 in other states, and 400 for unknown actions', async () => {
      const { id } = await madeServer(world);
      const post = (body: object) =>
        ask(world, 'POST', `/servers/${id}/action`, { ...admin, version: newest, body });
      expectFault(
        await post({ 'os-start': null }),
        409,
        `Cannot 'start' instance ${id} while it is in vm_state active`,
      );
      expectFault(
        await post({ confirmResize: null }),
        409,
        `Cannot 'confirmResize' instance ${id} while it is in vm_state active`,
      );
      expectFault(
        await post({ restore: null }),
        409,
        `Cannot 'restore' instance ${id} while it is in vm_state active`,
      );
      expectFault(await post({ fly: null }), 400, 'There is no such action: fly');
      expectFault(await post({ 'os-stop': null, 'os-start': null }), 400, 'Malformed request body');
      const unknown = await ask(world, 'POST', '/servers/nope/action', {
        ...admin,
        body: { 'os-stop': null },
      });
      expectFault(unknown, 404, 'Instance nope could not be found.');
    });

    it('lock returns 409 for actions of all but administrators', async () => {
      const { id } = await madeServer(world, {}, member);
      const locked = await act(world, id, { lock: { locked_reason: 'mine' } }, 202, member);
      expect(locked).to.include({ locked: true, locked_reason: 'mine' });
      const stop = await ask(world, 'POST', `/servers/${id}/action`, {
        ...member,
        body: { 'os-stop': null },
      });
      expectFault(stop, 409, `Instance ${id} is locked`);
      expectFault(
        await ask(world, 'DELETE', `/servers/${id}`, member),
        409,
        `Instance ${id} is locked`,
      );
      expect((await act(world, id, { unlock: null }, 202, member))['locked_reason']).to.equal(null);
    });

    it('resize claims both flavors until it is confirmed or reverted', async () => {
      const { id, ...before } = await madeServer(world);
      const used = async (): Promise<number[]> => {
        const { hypervisors } = (await ask(world, 'GET', '/os-hypervisors/detail', admin)).body as {
          hypervisors: { vcpus_used: number }[];
        };
        return hypervisors.map(({ vcpus_used: vcpus }) => vcpus).toSorted();
      };
      const resized = await act(world, id, { resize: { flavorRef: '2' } });
      expect(resized.status).to.equal('VERIFY_RESIZE');
      expect(resized['OS-EXT-SRV-ATTR:host']).to.not.equal(before['OS-EXT-SRV-ATTR:host']);
      expect((resized['flavor'] as { original_name: string }).original_name).to.equal('m1.small');
      expect(await used()).to.deep.equal([0, 1, 1]);
      const back = await act(world, id, { revertResize: null });
      expect(back['OS-EXT-SRV-ATTR:host']).to.equal(before['OS-EXT-SRV-ATTR:host']);
      expect((back['flavor'] as { original_name: string }).original_name).to.equal('m1.tiny');
      expect(await used()).to.deep.equal([0, 0, 1]);
      await act(world, id, { resize: { flavorRef: '2' } });
      const stays = await act(world, id, { confirmResize: null }, 204);
      expect(stays.status).to.equal('ACTIVE');
      expect(await used()).to.deep.equal([0, 0, 1]);
      const same = await ask(world, 'POST', `/servers/${id}/action`, {
        ...admin,
        body: { resize: { flavorRef: '2' } },
      });
      expectFault(same, 400, 'When resizing, instances must change flavor!');
      const migrations = await ask(world, 'GET', '/os-migrations', { ...admin, version: newest });
      expect(
        (migrations.body as { migrations: Shown[] }).migrations.map((one) => [
          one['migration_type'],
          one.status,
        ]),
      ).to.deep.equal([
        ['resize', 'confirmed'],
        ['resize', 'reverted'],
      ]);
    });

    it('migrate and live-migrate move the server to the given host', async () => {
      const { id } = await madeServer(world, { availability_zone: 'nova:compute-1' });
      const moved = await act(world, id, { migrate: { host: 'compute-3' } });
      expect(moved).to.include({ status: 'VERIFY_RESIZE', 'OS-EXT-SRV-ATTR:host': 'compute-3' });
      await act(world, id, { confirmResize: null }, 204);
      const live = await act(world, id, {
        'os-migrateLive': { host: 'compute-2', block_migration: 'auto' },
      });
      expect(live).to.include({ status: 'ACTIVE', 'OS-EXT-SRV-ATTR:host': 'compute-2' });
      const old = {
        ...admin,
        version: '2.33',
        body: { 'os-migrateLive': { host: null, block_migration: 'auto' } },
      };
      await ask(world, 'POST', `/servers/${id}/action`, old).expect(202);
      expect((await showServer(world, id))['OS-EXT-SRV-ATTR:host']).to.not.equal('compute-2');
      const self = {
        ...admin,
        version: newest,
        body: { migrate: { host: (await showServer(world, id))['OS-EXT-SRV-ATTR:host'] } },
      };
      expectFault(
        await ask(world, 'POST', `/servers/${id}/action`, self),
        400,
        'Cannot migrate to the host where the server exists.',
      );
    });

    it('migrations omit the hosts for a manager of the project', async () => {
      const { id } = await madeServer(world);
      await act(world, id, { 'os-migrateLive': { host: null, block_migration: 'auto' } });
      const path = '/os-migrations?project_id=demo';
      const told = await ask(world, 'GET', path, {
        ...someone('manager,member,reader'),
        version: newest,
      });
      expect(told.status, told.text).to.equal(200);
      expect((told.body as { migrations: object[] }).migrations[0]).to.deep.include({
        instance_uuid: id,
        source_compute: null,
      });
      expect(
        (await ask(world, 'GET', '/os-migrations', { ...someone('manager'), version: newest }))
          .status,
      ).to.equal(403);
      expect((await ask(world, 'GET', path, { ...member, version: newest })).status).to.equal(403);
    });

    it('evacuate returns 400 unless the host is down', async () => {
      const { id } = await madeServer(world, { availability_zone: 'nova:compute-1' });
      const evacuate = { ...admin, version: newest, body: { evacuate: {} } };
      expectFault(
        await ask(world, 'POST', `/servers/${id}/action`, evacuate),
        400,
        'Compute service of compute-1 is still in use.',
      );
      const services = await ask(world, 'GET', '/os-services?host=compute-1&binary=nova-compute', {
        ...admin,
        version: '2.53',
      });
      const service = services.body.services[0].id as string;
      await ask(world, 'PUT', `/os-services/${service}`, {
        ...admin,
        version: '2.53',
        body: { forced_down: true },
      }).expect(200);
      expect((await showServer(world, id))['host_status']).to.equal('DOWN');
      const after = await act(world, id, { evacuate: {} }, 200);
      expect(after).to.include({ status: 'SHUTOFF' });
      expect(after['OS-EXT-SRV-ATTR:host']).to.not.equal('compute-1');
    });

    it('shelve frees the host, and unshelve selects one', async () => {
      const { id } = await madeServer(world);
      const shelved = await act(world, id, { shelve: null });
      expect(state(shelved)).to.deep.equal(['SHELVED_OFFLOADED', 'shelved_offloaded', null, 4]);
      expect(shelved['OS-EXT-SRV-ATTR:host']).to.equal(null);
      expect(await placement(`/allocations/${id}`)).to.deep.equal({ allocations: {} });
      expect(state(await act(world, id, { unshelve: null }))).to.deep.equal([
        'ACTIVE',
        'active',
        null,
        1,
      ]);
    });

    it('rebuild returns the server, and createImage the image', async () => {
      const { id } = await madeServer(world);
      const rebuilt = await ask(world, 'POST', `/servers/${id}/action`, {
        ...admin,
        version: newest,
        body: { rebuild: { imageRef: imageId, name: 'new', metadata: { x: 'y' } } },
      });
      expect(rebuilt.status).to.equal(202);
      expect(rebuilt.body.server).to.deep.include({
        name: 'new',
        status: 'REBUILD',
        metadata: { x: 'y' },
      });
      expect((await showServer(world, id)).status).to.equal('ACTIVE');
      const image = await ask(world, 'POST', `/servers/${id}/action`, {
        ...admin,
        version: '2.45',
        body: { createImage: { name: 'snap' } },
      });
      expect(image.status).to.equal(202);
      const found = await world.ask(
        'image',
        'GET',
        `/image/v2/images/${String(image.body.image_id)}`,
        { token: 'admin:demo' },
      );
      expect(found.body).to.include({ name: 'snap', status: 'active' });
    });

    it('are recorded with their events', async () => {
      const { id } = await madeServer(world);
      await act(world, id, { 'os-stop': null });
      const list = await ask(world, 'GET', `/servers/${id}/os-instance-actions`, {
        ...admin,
        version: newest,
      });
      expect(
        (list.body as { instanceActions: { action: string }[] }).instanceActions.map(
          ({ action }) => action,
        ),
      ).to.deep.equal(['stop', 'create']);
      const request = list.body.instanceActions[1].request_id as string;
      const shown = await ask(world, 'GET', `/servers/${id}/os-instance-actions/${request}`, {
        ...admin,
        version: newest,
      });
      const events = shown.body.instanceAction.events as { event: string; result: string }[];
      expect(events.map(({ event, result }) => `${event} ${result}`)).to.deep.equal([
        'compute__do_build_and_run_instance Success',
        'conductor_schedule_and_build_instances Success',
      ]);
    });
  });
});
