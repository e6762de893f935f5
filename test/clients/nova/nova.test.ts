// Runs a real Nova on top of the emulator: boot, attach, migrate, resize, evacuate and delete, each
// checked in Placement, Neutron and Cinder.
import { expect } from 'chai';
import { Deployment, hosts, type Body } from './deployment.ts';
import { missing, novaRelease } from './programs.ts';

/** A reply without some of its fields, at any depth. */
const without = (reply: Body, fields: readonly string[]): Body =>
  JSON.parse(
    JSON.stringify(reply, (key, value: unknown) => (fields.includes(key) ? undefined : value)),
  ) as Body;

describe('a real Nova', () => {
  let nova: Deployment;
  let flavors: Record<string, string>;
  let image: string;
  let network: string;

  before(async function () {
    const reason = await missing('nova.cmd.compute', 'python3-nova');
    if (reason !== undefined) {
      console.log(`    skipped: ${reason}`);
      return this.skip();
    }
    nova = await Deployment.start();
    console.log(`    Nova ${await novaRelease()}`);
    flavors = { small: await makeFlavor('small', 1), large: await makeFlavor('large', 2) };
    const networks = (await nova.ask('network', 'GET', '/networks?name=private')).body;
    network = networks['networks'][0].id as string;
    const images = (await nova.ask('image', 'GET', '/images')).body;
    image = images['images'][0].id as string;
  });

  after(async () => nova?.stop());

  async function makeFlavor(name: string, vcpus: number): Promise<string> {
    const flavor = { name, vcpus, ram: 512 * vcpus, disk: vcpus };
    const { body } = await nova.ask('nova', 'POST', '/flavors', { flavor });
    return body['flavor'].id as string;
  }

  const show = async (id: string): Promise<Body> =>
    (await nova.ask('nova', 'GET', `/servers/${id}`)).body['server'] as Body;

  const hostOf = (server: Body): string => server['OS-EXT-SRV-ATTR:host'] as string;

  /** Waits until a server has a status and no task. @throws Error if it has failed */
  async function reaches(id: string, status: string): Promise<Body> {
    let server: Body = {};
    await nova.waitFor(`the status ${status}`, async () => {
      server = await show(id);
      if (server['status'] === 'ERROR' && status !== 'ERROR')
        throw new Error(`The server failed: ${JSON.stringify(server['fault'])}`);
      return server['status'] === status && server['OS-EXT-STS:task_state'] === null;
    });
    return server;
  }

  async function boot(fields: object = {}): Promise<Body> {
    const { body } = await nova.ask('nova', 'POST', '/servers', {
      server: {
        name: 's',
        flavorRef: flavors['small'],
        imageRef: image,
        networks: [{ uuid: network }],
        ...fields,
      },
    });
    return reaches(body['server'].id as string, 'ACTIVE');
  }

  const act = (id: string, action: object): Promise<unknown> =>
    nova.ask('nova', 'POST', `/servers/${id}/action`, action);

  /** Waits until a server is on another host. @throws Error if its migration has failed */
  const leaves = (id: string, host: string): Promise<void> =>
    nova.waitFor('another host', async () => {
      const { body } = await nova.ask('nova', 'GET', `/os-migrations?instance_uuid=${id}`);
      const [migration] = body['migrations'] as Body[];
      if (migration?.['status'] === 'error')
        throw new Error('The migration failed: see the log of the compute.');
      return hostOf(await show(id)) !== host;
    });

  async function remove(id: string): Promise<void> {
    await nova.ask('nova', 'DELETE', `/servers/${id}`);
    await nova.waitFor('the deletion', () =>
      show(id).then(
        () => false,
        () => true,
      ),
    );
  }

  /** The allocations of a server, by the name of the host that provides them. */
  async function allocationsOf(id: string): Promise<Record<string, Body>> {
    const { body } = await nova.ask('placement', 'GET', `/allocations/${id}`);
    const found: Record<string, Body> = {};
    for (const [uuid, { resources }] of Object.entries(body['allocations'] as Body)) {
      const provider = await nova.ask('placement', 'GET', `/resource_providers/${uuid}`);
      found[provider.body['name'] as string] = resources as Body;
    }
    return found;
  }

  const portsOf = async (id: string): Promise<Body[]> =>
    (await nova.ask('network', 'GET', `/ports?device_id=${id}`)).body['ports'] as Body[];

  /** Expects a server on a host: its allocations, and ports that are bound and active there. */
  async function expectOn(id: string, host: string, vcpus: number): Promise<void> {
    const amounts = { VCPU: vcpus, MEMORY_MB: 512 * vcpus, DISK_GB: vcpus };
    await nova.waitFor('the allocations', async () => {
      const names = Object.keys(await allocationsOf(id));
      return names.length === 1 && names[0] === host;
    });
    expect(await allocationsOf(id)).to.deep.equal({ [host]: amounts });
    const ports = await portsOf(id);
    expect(ports).to.have.length(1);
    expect(ports[0]).to.include({
      device_owner: 'compute:nova',
      'binding:host_id': host,
      'binding:vif_type': 'ovs',
      status: 'ACTIVE',
    });
  }

  const volumeOf = async (id: string): Promise<Body> =>
    (await nova.ask('volume', 'GET', `/volumes/${id}`)).body['volume'] as Body;

  async function volumeReaches(id: string, status: string): Promise<void> {
    await nova.waitFor(`the volume's status ${status}`, async () => {
      const current = (await volumeOf(id))['status'] as string;
      if (current.startsWith('error')) throw new Error(`The volume is in the status ${current}.`);
      return current === status;
    });
  }

  async function makeVolume(): Promise<string> {
    const { body } = await nova.ask('volume', 'POST', '/volumes', { volume: { size: 1 } });
    const id = body['volume'].id as string;
    await volumeReaches(id, 'available');
    return id;
  }

  async function attach(server: string, volume: string): Promise<void> {
    await nova.ask('nova', 'POST', `/servers/${server}/os-volume_attachments`, {
      volumeAttachment: { volumeId: volume },
    });
    await volumeReaches(volume, 'in-use');
  }

  /** The attachments of a volume, with the server and the host of each. */
  async function attachmentsOf(volume: string): Promise<Body[]> {
    const { body } = await nova.ask('volume', 'GET', `/attachments/detail?volume_id=${volume}`);
    return (body['attachments'] as Body[]).map(({ instance, status, attached_at, id }) => ({
      instance: instance as string,
      status: status as string,
      isAttached: attached_at !== null,
      id: id as string,
    }));
  }

  async function expectAttached(volume: string, server: string): Promise<void> {
    await nova.waitFor(
      'a single attachment',
      async () => (await attachmentsOf(volume)).length === 1,
    );
    const [attachment] = await attachmentsOf(volume);
    expect(attachment).to.include({ instance: server, status: 'attached', isAttached: true });
    expect(await volumeOf(volume)).to.include({ status: 'in-use' });
  }

  async function actionsOf(id: string): Promise<string[]> {
    const { body } = await nova.ask('nova', 'GET', `/servers/${id}/os-instance-actions`);
    return (body['instanceActions'] as Body[]).map(({ action }) => action as string);
  }

  /** Expects that every event has reached Nova. */
  async function expectDelivered(): Promise<void> {
    await nova.waitFor('the events', async () => {
      const { body } = await nova.ask('_emulator', 'GET', '/outbox');
      const undelivered = (body['messages'] as Body[]).filter(({ error }) => error !== null);
      expect(undelivered).to.deep.equal([]);
      return !(body['messages'] as Body[]).length;
    });
  }

  it('registers its computes in Placement', async () => {
    const { body } = await nova.ask('placement', 'GET', '/resource_providers');
    const names = (body['resource_providers'] as Body[]).map(({ name }) => name as string);
    expect(names.toSorted()).to.deep.equal([...hosts]);
  });

  it('boots and deletes a server', async () => {
    const server = await boot();
    await expectOn(server['id'], hostOf(server), 1);
    const [port] = await portsOf(server['id'] as string);
    expect(server['addresses'].private[0]).to.include({
      addr: port!['fixed_ips'][0].ip_address,
      'OS-EXT-IPS-MAC:mac_addr': port!['mac_address'],
    });
    await remove(server['id'] as string);
    expect(await portsOf(server['id'] as string)).to.deep.equal([]);
    await nova.waitFor('the end of the allocations', async () => {
      const { body } = await nova.ask('placement', 'GET', `/allocations/${server['id'] as string}`);
      return !Object.keys(body['allocations'] as Body).length;
    });
    await expectDelivered();
  });

  it('attaches, extends and detaches a volume', async () => {
    const id = (await boot())['id'] as string;
    const volume = await makeVolume();
    await attach(id, volume);
    await expectAttached(volume, id);
    await nova.ask('volume', 'POST', `/volumes/${volume}/action`, { 'os-extend': { new_size: 2 } });
    await volumeReaches(volume, 'in-use');
    await nova.waitFor('the event', async () => (await actionsOf(id)).includes('extend_volume'));
    await nova.ask('nova', 'DELETE', `/servers/${id}/os-volume_attachments/${volume}`);
    await volumeReaches(volume, 'available');
    expect(await attachmentsOf(volume)).to.deep.equal([]);
    await remove(id);
  });

  it('attaches and detaches a port', async () => {
    const id = (await boot())['id'] as string;
    const { body } = await nova.ask('nova', 'POST', `/servers/${id}/os-interface`, {
      interfaceAttachment: { net_id: network },
    });
    const port = body['interfaceAttachment'].port_id as string;
    expect(await portsOf(id)).to.have.length(2);
    await nova.ask('nova', 'DELETE', `/servers/${id}/os-interface/${port}`);
    await nova.waitFor('the detached port', async () => (await portsOf(id)).length === 1);
    await remove(id);
  });

  it('sees a floating IP', async () => {
    const id = (await boot())['id'] as string;
    const [port] = await portsOf(id);
    const found = await nova.ask('network', 'GET', '/networks?name=public');
    const outside = found.body['networks'][0].id as string;
    const floating = await nova.ask('network', 'POST', '/floatingips', {
      floatingip: { floating_network_id: outside, port_id: port!['id'] as string },
    });
    const address = floating.body['floatingip'].floating_ip_address as string;
    await nova.waitFor('the floating IP', async () => {
      const shown = (await show(id))['addresses'].private as Body[];
      return shown.some(({ addr }) => addr === address);
    });
    await remove(id);
    await nova.ask('network', 'DELETE', `/floatingips/${floating.body['floatingip'].id as string}`);
    await expectDelivered();
  });

  it('live-migrates a server with a volume', async () => {
    const server = await boot();
    const id = server['id'] as string;
    const volume = await makeVolume();
    await attach(id, volume);
    await act(id, { 'os-migrateLive': { host: null, block_migration: 'auto' } });
    await leaves(id, hostOf(server));
    const moved = await reaches(id, 'ACTIVE');
    await expectOn(id, hostOf(moved), 1);
    await expectAttached(volume, id);
    const { body } = await nova.ask('nova', 'GET', `/os-migrations?instance_uuid=${id}`);
    expect(body['migrations'][0]).to.include({ status: 'completed', dest_compute: hostOf(moved) });
    await remove(id);
    await volumeReaches(volume, 'available');
    await expectDelivered();
  });

  it('resizes a server, and confirms it', async () => {
    const server = await boot();
    const id = server['id'] as string;
    await act(id, { resize: { flavorRef: flavors['large'] } });
    const resized = await reaches(id, 'VERIFY_RESIZE');
    expect(Object.keys(await allocationsOf(id))).to.deep.equal([hostOf(resized)]);
    await act(id, { confirmResize: null });
    await expectOn(id, hostOf(await reaches(id, 'ACTIVE')), 2);
    await remove(id);
  });

  it('resizes a server with a volume, and reverts it', async () => {
    const server = await boot();
    const id = server['id'] as string;
    const volume = await makeVolume();
    await attach(id, volume);
    await act(id, { resize: { flavorRef: flavors['large'] } });
    await reaches(id, 'VERIFY_RESIZE');
    await act(id, { revertResize: null });
    const reverted = await reaches(id, 'ACTIVE');
    expect(hostOf(reverted)).to.equal(hostOf(server));
    await expectOn(id, hostOf(server), 1);
    await expectAttached(volume, id);
    await remove(id);
  });

  it('shelves a server, and unshelves it', async () => {
    const id = (await boot())['id'] as string;
    await act(id, { shelve: null });
    await reaches(id, 'SHELVED_OFFLOADED');
    expect(await allocationsOf(id)).to.deep.equal({});
    await act(id, { unshelve: null });
    await expectOn(id, hostOf(await reaches(id, 'ACTIVE')), 1);
    await remove(id);
  });

  it('is captured with its servers, and what they have', async () => {
    const group = { name: 'apart', policy: 'anti-affinity' };
    const made = await nova.ask('nova', 'POST', '/os-server-groups', { server_group: group });
    const { body: created } = await nova.ask('nova', 'POST', '/servers', {
      server: {
        name: 'captured',
        flavorRef: flavors['large'],
        imageRef: image,
        networks: [{ uuid: network }],
        metadata: { role: 'web' },
      },
      'os:scheduler_hints': { group: made.body['server_group'].id as string },
    });
    const id = created['server'].id as string;
    await reaches(id, 'ACTIVE');
    const volume = await makeVolume();
    await attach(id, volume);
    const copy = await nova.startCopy(await nova.capture());
    try {
      for (const [target, path, ignored] of [
        ['nova', `/servers/${id}`, ['links', 'updated']],
        ['nova', `/servers/${id}/os-volume_attachments`, []],
        ['nova', '/flavors/detail', ['links']],
        ['nova', '/os-server-groups', []],
        ['network', '/ports', ['updated_at', 'revision_number', 'created_at']],
        ['volume', `/volumes/${volume}`, ['links', 'updated_at']],
        ['placement', `/allocations/${id}`, []],
      ] as const)
        expect(without(await copy.ask(target, path), ignored), path).to.deep.equal(
          without((await nova.ask(target, 'GET', path)).body, ignored),
        );
      const audit = (await copy.ask('_emulator', '/audit'))['audit'] as Body;
      expect(audit['inconsistencies']).to.deep.equal([]);
    } finally {
      await copy.stop();
    }
    await remove(id);
    await nova.ask('nova', 'DELETE', `/os-server-groups/${made.body['server_group'].id as string}`);
  });

  it('evacuates a server with a volume from a host that is down', async () => {
    const server = await boot();
    const id = server['id'] as string;
    const volume = await makeVolume();
    await attach(id, volume);
    const host = hostOf(server);
    await nova.stopCompute(host);
    const { body } = await nova.ask('nova', 'GET', `/os-services?binary=nova-compute&host=${host}`);
    const service = `/os-services/${body['services'][0].id as string}`;
    await nova.ask('nova', 'PUT', service, { forced_down: true });
    await act(id, { evacuate: {} });
    await leaves(id, host);
    const moved = await reaches(id, 'ACTIVE');
    const ports = await portsOf(id);
    expect(ports[0]).to.include({ 'binding:host_id': hostOf(moved), status: 'ACTIVE' });
    await expectAttached(volume, id);
    // The allocation on the failed host stays until its compute has started again.
    expect(Object.keys(await allocationsOf(id)).toSorted()).to.deep.equal(
      [host, hostOf(moved)].toSorted(),
    );
    nova.startCompute(host);
    await nova.waitFor('the end of the migration', async () => {
      const listed = await nova.ask('nova', 'GET', `/os-migrations?instance_uuid=${id}`);
      return listed.body['migrations'][0].status === 'completed';
    });
    await nova.ask('nova', 'PUT', service, { forced_down: false });
    await expectOn(id, hostOf(moved), 1);
    await remove(id);
    await expectDelivered();
  });
});
