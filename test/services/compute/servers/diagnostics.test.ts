// Tests diagnostics, topology and the password of a server.
import { expect } from 'chai';
import { onEachDatabase, type Asked } from '../../../support/cloud.ts';
import { ask, config, expectFault, member, reader } from '../support.ts';
import { act, admin, madeServer, newest } from './makers.ts';

onEachDatabase('compute: diagnostics, topology and passwords of servers', config, (world) => {
  const get = (path: string, version = newest, as: Asked = admin) =>
    ask(world, 'GET', path, { ...as, version });

  const flavor = async (
    fields: object,
    specs: Readonly<Record<string, string>> = {},
  ): Promise<string> => {
    const body = { flavor: { name: 'f', ram: 1024, vcpus: 4, disk: 1, ...fields } };
    const { id } = (
      await ask(world, 'POST', '/flavors', { ...admin, version: newest, body }).expect(200)
    ).body.flavor as {
      id: string;
    };
    const extra = { extra_specs: specs };
    if (Object.keys(specs).length)
      await ask(world, 'POST', `/flavors/${id}/os-extra_specs`, {
        ...admin,
        version: newest,
        body: extra,
      }).expect(200);
    return id;
  };

  describe('diagnostics', () => {
    it('contain the devices of the server from 2.48 on', async () => {
      const flavorRef = await flavor({ 'OS-FLV-EXT-DATA:ephemeral': 1, swap: 512 });
      const { networks } = (
        await world.ask('network', 'GET', '/network/v2.0/networks?name=private', { token: 'admin' })
      ).body;
      const { id } = await madeServer(world, {
        flavorRef,
        config_drive: true,
        networks: [{ uuid: networks[0].id }],
      });
      const volume = (
        await world.ask('volume', 'POST', '/volume/v3/demo/volumes', {
          token: 'admin:demo',
          body: { volume: { size: 1 } },
        })
      ).body.volume.id as string;
      const body = { volumeAttachment: { volumeId: volume } };
      await ask(world, 'POST', `/servers/${id}/os-volume_attachments`, {
        ...admin,
        version: '2.100',
        body,
      }).expect(200);
      await world.setTime('2026-11-20T12:01:00Z');
      const told = (await get(`/servers/${id}/diagnostics`)).body as Record<string, unknown>;
      expect(told).to.deep.include({
        state: 'running',
        driver: 'libvirt',
        uptime: 60,
        config_drive: true,
        num_cpus: 4,
        num_disks: 4,
        num_nics: 1,
        memory_details: { maximum: 1024, used: 1024 },
      });
      expect((told['cpu_details'] as object[])[3]).to.deep.equal({
        id: 3,
        time: 5_200_000_000,
        utilisation: null,
      });
      const disks = told['disk_details'] as Record<string, number>[];
      expect(disks[0]).to.include({ write_bytes: 4_317_184, errors_count: 0 });
      expect(disks[1]).to.include({ read_requests: 64, write_bytes: 0 });
      const port = (await get(`/servers/${id}/os-interface`)).body.interfaceAttachments[0] as {
        mac_addr: string;
        port_id: string;
      };
      expect((told['nic_details'] as object[])[0]).to.include({
        mac_address: port.mac_addr,
        rx_octets: 12_816,
        rx_rate: null,
      });
      const loose = (await get(`/servers/${id}/diagnostics`, '2.47')).body as object;
      const tap = `tap${port.port_id.slice(0, 11)}`;
      expect(loose).to.include({
        cpu3_time: 5_200_000_000,
        vda_read: 50_335_488,
        vdb_write_req: 0,
        vdd_errors: 0,
        memory: 1_048_576,
        [`${tap}_rx`]: 12_816,
      });
    });

    it('grow with the clock, and are the same for servers of one age and flavor', async () => {
      await world.setTime('2026-11-20T12:00:00Z');
      const [one, other] = [await madeServer(world), await madeServer(world)];
      const at = async (id: string): Promise<unknown> => {
        const { body } = await get(`/servers/${id}/diagnostics`);
        return [body.uptime, body.cpu_details[0].time, body.disk_details[0].write_requests];
      };
      expect(await at(one.id)).to.deep.equal([0, 4_000_000_000, 256]);
      await world.setTime('2026-11-20T12:16:40Z');
      expect(await at(one.id)).to.deep.equal([1000, 24_000_000_000, 506]);
      expect(await at(other.id)).to.deep.equal(await at(one.id));
    });

    it('return 403 for members, and 409 for a server that is not running', async () => {
      const { id } = await madeServer(world);
      expectFault(
        await get(`/servers/${id}/diagnostics`, newest, member),
        403,
        "Policy doesn't allow os_compute_api:os-server-diagnostics to be performed.",
      );
      await act(world, id, { pause: null });
      expectFault(
        await get(`/servers/${id}/diagnostics`),
        409,
        `Cannot 'get_diagnostics' instance ${id} while it is in power state paused`,
      );
      await act(world, id, { unpause: null });
      await act(world, id, { shelve: null });
      expectFault(
        await get(`/servers/${id}/diagnostics`, '2.1'),
        409,
        `Instance ${id} is not ready`,
      );
      expectFault(await get(`/servers/${id}/diagnostics?a=b`), 400, /'a' was unexpected/);
    });
  });

  describe('topology', () => {
    it('is empty if the flavor requests none, and returns 404 before 2.78', async () => {
      const { id } = await madeServer(world);
      const told = await get(`/servers/${id}/topology`, newest, reader);
      expect(told.body).to.deep.equal({ nodes: [], pagesize_kb: null });
      expectFault(
        await get(`/servers/${id}/topology`, '2.77'),
        404,
        'The resource could not be found.',
      );
    });

    it('contains the flavor’s nodes, with host details for administrators', async () => {
      const flavorRef = await flavor({}, { 'hw:numa_nodes': '2', 'hw:mem_page_size': 'large' });
      const { id } = await madeServer(world, { flavorRef });
      const node = (cpus: number[]) => ({ vcpu_set: cpus, siblings: [], memory_mb: 512 });
      expect((await get(`/servers/${id}/topology`, '2.78', reader)).body).to.deep.equal({
        nodes: [node([0, 1]), node([2, 3])],
        pagesize_kb: 2048,
      });
      expect((await get(`/servers/${id}/topology`)).body.nodes[1]).to.deep.equal({
        ...node([2, 3]),
        host_node: 1,
        cpu_pinning: {},
      });
    });

    it('divides CPUs and memory as the flavor requests', async () => {
      const specs = {
        'hw:numa_nodes': '2',
        'hw:numa_cpus.0': '0-3,^1',
        'hw:numa_mem.0': '768',
        'hw:numa_cpus.1': '1',
        'hw:numa_mem.1': '256',
      };
      const { id } = await madeServer(world, { flavorRef: await flavor({}, specs) });
      const { nodes } = (await get(`/servers/${id}/topology`)).body as {
        nodes: { vcpu_set: number[]; memory_mb: number }[];
      };
      expect(nodes.map((one) => [one.vcpu_set, one.memory_mb])).to.deep.equal([
        [[0, 2, 3], 768],
        [[1], 256],
      ]);
    });
  });

  describe('the password', () => {
    it('is empty, and can be deleted by members', async () => {
      const { id } = await madeServer(world);
      const path = `/servers/${id}/os-server-password`;
      expect((await get(path, newest, reader)).body).to.deep.equal({ password: '' });
      expect((await ask(world, 'DELETE', path, { ...member, version: newest })).status).to.equal(
        204,
      );
      expect((await ask(world, 'DELETE', path, { ...reader, version: newest })).status).to.equal(
        403,
      );
      expectFault(
        await get('/servers/nope/os-server-password', '2.1'),
        404,
        'Instance nope could not be found.',
      );
    });
  });
});
