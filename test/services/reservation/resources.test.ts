// Tests of reservations of flavors and of floating IPs, of what an operator forbids, of healing,
// and of what Blazar lacks.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { onEachDatabase, type Asked } from '../../support/cloud.ts';
import {
  aggregates,
  ask,
  boot,
  classOf,
  compute,
  config,
  expectFault,
  hostOf,
  hostsWanted,
  instancesWanted,
  inventoriesOf,
  leaseOf,
  liftQuota,
  makeLease,
  member,
  reader,
  registerHosts,
  showLease,
  type Fields,
} from './support.ts';

onEachDatabase('resources of leases', config, (world) => {
  const post = (body: unknown, who = member) => ask(world, 'POST', '/v1/leases', { ...who, body });
  const set = (settings: object) =>
    world.http.put('/_emulator/reservation/settings').send(settings).expect(200);
  const network = (method: string, path: string, body?: unknown) =>
    world.ask('network', method, `/network/v2.0${path}`, body === undefined ? {} : { body });

  describe('of flavors', () => {
    const wanted = (fields: Fields = {}): Fields => ({
      resource_type: 'flavor:instance',
      flavor_id: '2',
      amount: 2,
      affinity: 'None',
      ...fields,
    });

    it('copy the flavor, and keep slots of its size', async () => {
      await registerHosts(world, 1);
      await liftQuota(world);
      const lease = await makeLease(world, [wanted({ resource_properties: '' })], {
        start_date: 'now',
      });
      const { id, ...part } = lease['reservations'][0] as Fields;
      expect(part).to.include({
        vcpus: 1,
        memory_mb: 2048,
        disk_gb: 20,
        amount: 2,
        affinity: null,
        flavor_id: id,
      });
      expect(JSON.parse(part['resource_properties'] as string)).to.include({
        id: '2',
        name: 'm1.small',
        ram: 2048,
      });
      await showLease(world, lease['id'] as string);
      expect((await inventoriesOf(world, 'compute-1'))![classOf(id as string)].total).to.equal(2);
      const states = [];
      for (let count = 0; count < 3; count++)
        states.push((await boot(world, id as string))['status']);
      expect(states).to.deep.equal(['ACTIVE', 'ACTIVE', 'ERROR']);
      await ask(world, 'PUT', `/v1/leases/${lease['id']}`, {
        ...member,
        body: { end_date: '2026-11-20 16:00' },
      }).expect(200);
      expectFault(
        await ask(world, 'PUT', `/v1/leases/${lease['id']}`, {
          ...member,
          body: { reservations: [{ id, amount: 3 }] },
        }),
        409,
        "Updating leases for 'flavor:instance' type reservations is not yet supported.",
      );
      await ask(world, 'DELETE', `/v1/leases/${lease['id']}`, member).expect(204);
      await compute(world, 'GET', `/flavors/${id}`).expect(404);
    });

    it(
      'are counted in the figures of Placement, by traits too, and go to no host where ' +
        'others are',
      async () => {
        await registerHosts(world, 1);
        const cases: [Fields, number, string | RegExp][] = [
          [{ amount: undefined, flavor_id: undefined }, 400, 'Missing parameter amount,flavor_id'],
          [
            { flavor_id: 'none' },
            404,
            /^Flavor none could not be found. \(HTTP 404\) \(Request-ID: req-[0-9a-f-]{36}\)$/,
          ],
          [{ affinity: true }, 409, 'Affinity not supported yet'],
        ];
        for (const [fields, status, message] of cases)
          expectFault(await post(leaseOf([wanted(fields)])), status, message);
        // 64 VCPU by the ratio, 65024 MB without what the host keeps: 3 of 16 GB fit.
        await makeLease(world, [wanted({ flavor_id: 5, amount: 3 })]);
        expectFault(
          await post(leaseOf([wanted({ flavor_id: 5, amount: 1 })])),
          500,
          'Not enough hosts available',
        );
        // Of the 16 VCPU that the host has, 24 are promised.
        expectFault(await post(leaseOf([instancesWanted()])), 500, 'Not enough hosts available');
        const before = { start_date: '2026-11-20 12:30', end_date: '2026-11-20 12:40' };
        await makeLease(world, [wanted({ flavor_id: 1 })], before);
        await makeLease(world, [instancesWanted()], before);
        expectFault(
          await post(leaseOf([wanted({ flavor_id: 1 })], before)),
          409,
          'Conflicting reservation types found',
        );
        const specs = { extra_specs: { 'trait:CUSTOM_GOLD': 'required' } };
        await world
          .ask('placement', 'PUT', '/placement/traits/CUSTOM_GOLD', { version: '1.29' })
          .expect(201);
        await compute(world, 'POST', '/flavors/1/os-extra_specs', { body: specs }).expect(200);
        const later = { start_date: '2026-11-21 13:00', end_date: '2026-11-21 14:00' };
        const { body } = await post(leaseOf([wanted({ flavor_id: 1 })], later)).expect(500);
        expect((body as Fields)['error_reasons']).to.deep.equal([
          { reason: 'does not have the traits CUSTOM_GOLD', hosts: 1 },
        ]);
      },
    );
  });

  describe('that are floating IPs', () => {
    let networkId: string;

    beforeEach(async () => {
      const made = await network('POST', '/networks', {
        network: { name: 'outside', 'router:external': true },
      }).expect(201);
      networkId = (made.body as Fields)['network'].id as string;
      const pools = [{ start: '10.9.0.2', end: '10.9.0.9' }];
      await network('POST', '/subnets', {
        subnet: {
          network_id: networkId,
          cidr: '10.9.0.0/24',
          ip_version: 4,
          allocation_pools: pools,
        },
      }).expect(201);
    });

    const register = (address: string, floating_network_id = networkId) =>
      ask(world, 'POST', '/v1/floatingips', {
        body: { floating_network_id, floating_ip_address: address },
      });
    const wanted = (fields: Fields = {}): Fields => ({
      resource_type: 'virtual:floatingip',
      network_id: networkId,
      amount: 1,
      required_floatingips: [],
      ...fields,
    });

    it('are registered outside of what Network hands out', async () => {
      const { floatingip } = (await register('10.9.0.20').expect(201)).body as Fields;
      expect(floatingip).to.include({
        floating_network_id: networkId,
        floating_ip_address: '10.9.0.20',
        reservable: true,
        created_at: '2026-11-20T12:00:00.000000',
        updated_at: null,
      });
      const shown = (
        await ask(world, 'GET', `/v1/floatingips/${floatingip.id}`, reader).expect(200)
      ).body as Fields;
      expect(shown['floatingip']).to.deep.equal({
        ...floatingip,
        created_at: '2026-11-20 12:00:00',
      });
      expectFault(
        await register('10.9.0.20'),
        409,
        'The floating IP 10.9.0.20 is registered already.',
      );
      expectFault(
        await register('10.9.0.5'),
        400,
        /^The floating IP 10\.9\.0\.5 is used in allocation_pools or gateway_ip in subnet /,
      );
      expectFault(
        await register('10.10.0.5'),
        404,
        'Valid subnet for the floating IP 10.10.0.5 is not found.',
      );
      expectFault(await register('10.9.0.21', 'none'), 400, 'Failed to find network none');
      expectFault(
        await ask(world, 'POST', '/v1/floatingips', { body: {} }),
        400,
        'Missing parameter floating_network_id,floating_ip_address',
      );
      await ask(world, 'DELETE', `/v1/floatingips/${floatingip.id}`).expect(204);
      expectFault(
        await ask(world, 'GET', `/v1/floatingips/${floatingip.id}`),
        404,
        `Floating IP ${floatingip.id} not found.`,
      );
    });

    it('belong to the project from the start to the end', async () => {
      const ids = [];
      for (const address of ['10.9.0.20', '10.9.0.21'])
        ids.push(((await register(address).expect(201)).body as Fields)['floatingip'].id);
      expectFault(
        await post(leaseOf([wanted({ required_floatingips: ['x'] })])),
        400,
        'IP address x is invalid form.',
      );
      expectFault(
        await post(leaseOf([wanted({ amount: 3 })])),
        400,
        'Not enough floating IPs available',
      );
      const lease = await makeLease(world, [wanted({ required_floatingips: ['10.9.0.21'] })], {
        start_date: 'now',
      });
      expect(lease['reservations'][0]).to.deep.include({
        network_id: networkId,
        amount: 1,
        required_floatingips: ['10.9.0.21'],
      });
      await showLease(world, lease['id'] as string);
      const of = async (): Promise<unknown[]> =>
        ((await network('GET', '/floatingips').expect(200)).body as Fields)['floatingips'].map(
          (ip: Fields) => [ip['floating_ip_address'], ip['project_id'], ip['tags']],
        );
      const { id } = lease['reservations'][0] as Fields;
      expect(await of()).to.deep.equal([['10.9.0.21', 'demo', ['blazar', `reservation:${id}`]]]);
      const put = (fields: object) =>
        ask(world, 'PUT', `/v1/leases/${lease['id']}`, {
          ...member,
          body: { reservations: [{ id, ...fields }] },
        });
      await put({ amount: 2 }).expect(200);
      expect(await of()).to.have.length(2);
      expectFault(
        await put({ amount: 1 }),
        400,
        'Floating IP reservation cannot be updated with requested parameters. Cannot ' +
          'remove allocations from an active reservation',
      );
      await world.setTime('2026-11-20T14:00:00Z');
      expect((await showLease(world, lease['id'] as string))['status']).to.equal('TERMINATED');
      expect(await of()).to.deep.equal([]);
      expectFault(
        await ask(world, 'DELETE', `/v1/floatingips/${ids[1]}`),
        409,
        /is allocated by reservations\.$/,
      );
      await ask(world, 'DELETE', `/v1/leases/${lease['id']}`, member).expect(204);
      await ask(world, 'DELETE', `/v1/floatingips/${ids[1]}`).expect(204);
    });

    it('leave the address to who has it, where they cannot start', async () => {
      await register('10.9.0.20').expect(201);
      const lease = await makeLease(world, [wanted()]);
      const floatingip = {
        floating_network_id: networkId,
        floating_ip_address: '10.9.0.20',
        project_id: 'other',
      };
      await network('POST', '/floatingips', { floatingip }).expect(201);
      const status = async (): Promise<unknown> =>
        (await showLease(world, lease['id'] as string))['status'];
      await world.setTime('2026-11-20T13:00:00Z');
      expect(await status()).to.equal('ERROR');
      await world.setTime('2026-11-20T14:00:00Z');
      expect(await status()).to.equal('TERMINATED');
      const { floatingips } = (await network('GET', '/floatingips').expect(200)).body as Fields;
      expect((floatingips as Fields[]).map((ip) => ip['project_id'] as string)).to.deep.equal([
        'other',
      ]);
    });
  });

  describe('that an operator limits', () => {
    it('last as long as may be, but in projects that are exempt', async () => {
      await set({ max_lease_duration: 1800 });
      const message =
        'Lease duration of 3600 seconds must be less than or equal to the maximum lease ' +
        'duration of 1800 seconds.';
      expectFault(await post(leaseOf([])), 403, message);
      const { id } = await makeLease(world, [], { end_date: '2026-11-20 13:30' });
      const longer = { ...member, body: { end_date: '2026-11-20 14:00' } };
      expectFault(await ask(world, 'PUT', `/v1/leases/${id}`, longer), 400, message);
      await set({ max_lease_duration_exempt_project_ids: ['demo'] });
      await ask(world, 'PUT', `/v1/leases/${id}`, longer).expect(200);
    });

    describe('by a service outside', () => {
      let outside: Server;
      let heard: { path: string; token: unknown; body: Fields }[];
      let answer: { status: number; body?: object };

      beforeEach((done) => {
        heard = [];
        answer = { status: 204 };
        outside = createServer((request, response) => {
          let text = '';
          request.on('data', (data: Buffer) => (text += data.toString()));
          request.on('end', () => {
            heard.push({
              path: request.url!,
              token: request.headers['x-auth-token'],
              body: JSON.parse(text) as Fields,
            });
            response.writeHead(answer.status, { 'content-type': 'application/json' });
            response.end(answer.body ? JSON.stringify(answer.body) : undefined);
          });
        }).listen(0, '127.0.0.1', done);
      });
      afterEach((done) => void outside.close(done));

      it('are told to it when they are made, changed and over', async () => {
        await registerHosts(world, 1);
        const base = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
        const { body } = await set({ external_service: { base_url: base, token: 'secret' } });
        expect((body as Fields)['external_service']).to.deep.equal({ base_url: base });
        const lease = await makeLease(world, [hostsWanted()]);
        expect(heard[0]).to.include({ path: '/check-create', token: 'secret' });
        expect(heard[0]!.body['context']).to.include({
          user_id: 'demo',
          project_id: 'demo',
          region_name: 'RegionOne',
        });
        expect(heard[0]!.body['lease'].reservations[0].allocations[0]).to.include({
          hypervisor_hostname: 'compute-1',
        });
        await ask(world, 'PUT', `/v1/leases/${lease['id']}`, {
          ...member,
          body: { end_date: '2026-11-20 15:00' },
        }).expect(200);
        expect(heard[1]!.path).to.equal('/check-update');
        expect([
          heard[1]!.body['current_lease'].end_date,
          heard[1]!.body['lease'].end_date,
        ]).to.deep.equal(['2026-11-20T14:00:00.000000', '2026-11-20T15:00:00.000000']);
        answer = { status: 403, body: { message: 'No money left.' } };
        expectFault(await post(leaseOf([])), 400, 'No money left.');
        answer = { status: 500 };
        expectFault(
          await post(leaseOf([])),
          400,
          'External service enforcement filter denied the request.',
        );
        await world.setTime('2026-11-20T15:00:00Z');
        expect(heard.at(-1)!.path).to.equal('/on-end');
        expect((await showLease(world, lease['id'] as string))['status']).to.equal('TERMINATED');
        expect(
          ((await ask(world, 'GET', '/v1/leases').expect(200)).body as Fields)['leases'],
        ).to.have.length(1);
      });
    });
  });

  describe('on hosts that fail', () => {
    it('move to other hosts, or are told to be missing', async () => {
      await registerHosts(world, 2);
      await set({ monitor_interval: 60 });
      const lease = await makeLease(world, [hostsWanted()], {
        start_date: 'now',
        end_date: '2026-11-21 12:00',
      });
      const { id } = lease['reservations'][0] as Fields;
      await world.setTime('2026-11-20T12:00:30Z');
      const down = (host: string) =>
        compute(world, 'PUT', '/os-services/disable', {
          body: { host, binary: 'nova-compute' },
        }).expect(200);
      await down('compute-1');
      await world.setTime('2026-11-20T12:02:00Z');
      const moved = await showLease(world, lease['id'] as string);
      expect(moved['degraded']).to.equal(true);
      expect(moved['reservations'][0]).to.include({
        status: 'active',
        resources_changed: true,
        missing_resources: false,
      });
      expect((await aggregates(world))[id as string]).to.deep.equal(['compute-2']);
      await down('compute-2');
      await world.setTime('2026-11-20T12:04:00Z');
      const lost = await showLease(world, lease['id'] as string);
      expect(lost['reservations'][0]).to.include({ missing_resources: true });
      expect((await aggregates(world))[id as string]).to.deep.equal([]);
      await compute(world, 'PUT', '/os-services/enable', {
        body: { host: 'compute-1', binary: 'nova-compute' },
      }).expect(200);
      await world.setTime('2026-11-20T12:06:00Z');
      const { hosts } = (await ask(world, 'GET', '/v1/os-hosts').expect(200)).body as Fields;
      expect((hosts as Fields[]).map(({ reservable }) => reservable as boolean)).to.deep.equal([
        true,
        false,
      ]);
      await world.setTime('2026-11-21T12:00:00Z');
      expect((await showLease(world, lease['id'] as string))['status']).to.equal('TERMINATED');
      expect((await aggregates(world))['freepool']).to.deep.equal(['compute-1', 'compute-2']);
    });

    it('do not move to one that fails at the same time', async () => {
      await registerHosts(world, 3);
      await set({ monitor_interval: 60 });
      const lease = await makeLease(world, [hostsWanted()], {
        start_date: 'now',
        end_date: '2026-11-21 12:00',
      });
      const { id } = lease['reservations'][0] as Fields;
      await world.setTime('2026-11-20T12:00:30Z');
      for (const host of ['compute-1', 'compute-2'])
        await compute(world, 'PUT', '/os-services/disable', {
          body: { host, binary: 'nova-compute' },
        }).expect(200);
      await world.setTime('2026-11-20T12:02:00Z');
      expect((await showLease(world, lease['id'] as string))['reservations'][0]).to.include({
        missing_resources: false,
      });
      expect((await aggregates(world))[id as string]).to.deep.equal(['compute-3']);
    });
  });

  describe('that one wants to know of beforehand', () => {
    it('have a calendar, which says nothing of who has them', async () => {
      const ids = await registerHosts(world, 2);
      await makeLease(world, [hostsWanted(), instancesWanted({ amount: 3 })]);
      const { body } = await ask(
        world,
        'GET',
        '/availability?resource_type=physical:host',
        reader,
      ).expect(200);
      const span = {
        start_date: '2026-11-20T13:00:00.000000',
        end_date: '2026-11-20T14:00:00.000000',
      };
      expect(body).to.deep.equal({
        availability: [
          {
            resource_type: 'physical:host',
            resource_id: ids[0],
            reservable: true,
            busy: [{ resource_type: 'physical:host', amount: 1, ...span }],
          },
          {
            resource_type: 'physical:host',
            resource_id: ids[1],
            reservable: true,
            busy: [{ resource_type: 'virtual:instance', amount: 3, ...span }],
          },
        ],
      });
      const later = '/availability?start_date=2026-11-20%2014:00&end_date=2026-11-20%2015:00';
      const free = ((await ask(world, 'GET', later, reader).expect(200)).body as Fields)[
        'availability'
      ] as Fields[];
      expect(free.map(({ busy }) => busy as unknown)).to.deep.equal([[], []]);
      expectFault(
        await ask(world, 'GET', '/availability?start_date=x', reader),
        400,
        /^x is an invalid date/,
      );
    });

    it('have a next time, and refusals a reason', async () => {
      await registerHosts(world, 1);
      await makeLease(world, [hostsWanted()], { start_date: 'now' });
      const next = async (reservation: Fields): Promise<unknown> =>
        (
          (
            await ask(world, 'POST', '/availability/next', {
              ...reader,
              body: { reservation, duration: 60 },
            }).expect(200)
          ).body as Fields
        )['next'];
      expect(await next(instancesWanted())).to.deep.equal({
        start_date: '2026-11-20T14:00:00.000000',
        end_date: '2026-11-20T15:00:00.000000',
      });
      expect(await next(instancesWanted({ vcpus: 99 }))).to.equal(null);
      const asked = {
        reservation: instancesWanted(),
        start_date: '2026-11-20 13:00',
        end_date: '2026-11-20 15:00',
      };
      const explain = async (who: Asked = reader): Promise<Fields> =>
        (
          (await ask(world, 'POST', '/availability/explain', { ...who, body: asked }).expect(200))
            .body as Fields
        )['explanation'] as Fields;
      const { fits, resources } = await explain();
      expect(fits).to.equal(false);
      expect((resources as Fields[])[0]).to.include({
        amount: 0,
        reason: 'is reserved as a whole from 2026-11-20T12:00 to 2026-11-20T14:00',
      });
      expect((resources as Fields[])[0]).to.not.have.property('hypervisor_hostname');
      expect(((await explain({}))['resources'] as Fields[])[0]).to.include({
        hypervisor_hostname: 'compute-1',
      });
      expect(hostOf({})).to.equal(undefined);
    });
  });
});
