// Tests of Compute's services.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { putServer } from '../servers/by-hand.ts';
import { ask, config, expectFault, member } from '../support.ts';

interface Service {
  id: string;
  host: string;
  binary: string;
}

onEachDatabase('compute: services', config, (world) => {
  const listed = async (query = '', version = '2.53'): Promise<Service[]> =>
    (await ask(world, 'GET', `/os-services${query}`, { version })).body.services as Service[];
  const idOf = async (host: string, version = '2.53'): Promise<string> =>
    String((await listed(`?host=${host}`, version))[0]!.id);
  const put = async (host: string, body: object, version = '2.53') =>
    ask(world, 'PUT', `/os-services/${await idOf(host)}`, { version, body });
  const traitsOf = async (name: string): Promise<string[]> => {
    const { body } = await world.ask(
      'placement',
      'GET',
      `/placement/resource_providers?name=${name}`,
      { version: '1.39' },
    );
    return (
      await world.ask(
        'placement',
        'GET',
        `/placement/resource_providers/${body.resource_providers[0].uuid}/traits`,
        {
          version: '1.39',
        },
      )
    ).body.traits as string[];
  };

  describe('GET /os-services', () => {
    it('lists the services of the control plane and of hosts, and filters them', async () => {
      expect((await listed()).map(({ binary, host }) => `${binary} ${host}`)).to.deep.equal([
        'nova-conductor controller',
        'nova-scheduler controller',
        'nova-compute compute-1',
        'nova-compute compute-2',
        'nova-compute compute-3',
      ]);
      expect((await listed('?binary=nova-scheduler'))[0]).to.deep.include({
        zone: 'internal',
        status: 'enabled',
        state: 'up',
        disabled_reason: null,
        forced_down: false,
      });
      expect((await listed('?host=compute-2&binary=nova-compute'))[0]).to.deep.include({
        zone: 'nova',
        host: 'compute-2',
      });
      expect(await listed('?host=none')).to.deep.equal([]);
    });

    it('returns forced_down from 2.11 on, and UUIDs from 2.53 on', async () => {
      expect((await listed('', '2.10'))[0]).to.not.have.property('forced_down');
      expect((await listed('', '2.11'))[0]).to.have.property('forced_down', false);
      expect((await listed('', '2.52'))[0]!.id).to.be.a('number');
      expect((await listed('', '2.53'))[0]!.id).to.match(/^[0-9a-f-]{36}$/);
    });

    it('shows that services have reported within the last ten seconds', async () => {
      await world.setTime('2026-11-20T12:01:17Z');
      expect((await listed())[2]).to.have.property('updated_at', '2026-11-20T12:01:10.000000');
    });

    it('returns 403 for a member', async () => {
      expectFault(
        await ask(world, 'GET', '/os-services', member),
        403,
        "Policy doesn't allow os_compute_api:os-services:list to be performed.",
      );
    });
  });

  describe('PUT /os-services/{id} from 2.53 on', () => {
    it('disables and enables a service, and updates the trait of its provider', async () => {
      const { status, body } = await put('compute-1', {
        status: 'disabled',
        disabled_reason: 'broken',
      });
      expect(status).to.equal(200);
      expect(body.service).to.deep.include({
        host: 'compute-1',
        status: 'disabled',
        disabled_reason: 'broken',
        state: 'up',
      });
      expect(await traitsOf('compute-1')).to.include('COMPUTE_STATUS_DISABLED');
      const hypervisor = await ask(world, 'GET', '/os-hypervisors/detail', { version: '2.53' });
      expect(hypervisor.body.hypervisors[0])
        .to.deep.include({ status: 'disabled' })
        .and.have.nested.property('service.disabled_reason', 'broken');
      expect((await put('compute-1', { status: 'enabled' })).body.service).to.deep.include({
        status: 'enabled',
        disabled_reason: null,
      });
      expect(await traitsOf('compute-1')).to.not.include('COMPUTE_STATUS_DISABLED');
    });

    it('forces a service down and up again', async () => {
      expect((await put('compute-1', { forced_down: 'true' })).body.service).to.deep.include({
        forced_down: true,
        state: 'down',
        status: 'enabled',
      });
      expect((await ask(world, 'GET', '/os-hypervisors')).body.hypervisors[0].state).to.equal(
        'down',
      );
      expect((await put('compute-1', { forced_down: false })).body.service).to.deep.include({
        forced_down: false,
        state: 'up',
      });
    });

    it('returns 400 without an update, and for a reason without disabling', async () => {
      expectFault(
        await put('compute-1', {}),
        400,
        "No updates were requested. Fields 'status' or 'forced_down' should be specified.",
      );
      expectFault(
        await put('compute-1', { disabled_reason: 'r' }),
        400,
        /^No updates were requested/,
      );
      expectFault(
        await put('compute-1', { status: 'enabled', disabled_reason: 'r' }),
        400,
        "Specifying 'disabled_reason' with status 'enabled' is invalid.",
      );
    });

    it('returns 400 for a service other than nova-compute', async () => {
      expectFault(
        await put('controller', { status: 'disabled' }),
        400,
        'Updating a nova-conductor service is not supported. ' +
          'Only nova-compute services can be updated.',
      );
    });

    it('returns 400 for an invalid UUID, and 404 for an unknown one', async () => {
      expectFault(
        await ask(world, 'PUT', '/os-services/disable', {
          version: '2.53',
          body: { status: 'disabled' },
        }),
        400,
        'Invalid uuid disable',
      );
      const none = '11111111-1111-1111-1111-111111111111';
      expectFault(
        await ask(world, 'PUT', `/os-services/${none}`, {
          version: '2.53',
          body: { status: 'disabled' },
        }),
        404,
        `Service ${none} could not be found.`,
      );
    });
  });

  describe('PUT /os-services/{what} until 2.52', () => {
    const act = (what: string, body: object, version = '2.11') =>
      ask(world, 'PUT', `/os-services/${what}`, { version, body });
    const which = { host: 'compute-1', binary: 'nova-compute' };

    it('disables, enables and forces down a service, and returns the change', async () => {
      expect((await act('disable', which)).body).to.deep.equal({
        service: { ...which, status: 'disabled' },
      });
      expect(
        (await act('disable-log-reason', { ...which, disabled_reason: 'r' })).body,
      ).to.deep.equal({
        service: { ...which, status: 'disabled', disabled_reason: 'r' },
      });
      expect((await listed('?host=compute-1'))[0]).to.deep.include({
        status: 'disabled',
        disabled_reason: 'r',
      });
      expect((await act('enable', which)).body).to.deep.equal({
        service: { ...which, status: 'enabled' },
      });
      expect((await act('force-down', { ...which, forced_down: true })).body).to.deep.equal({
        service: { ...which, forced_down: true },
      });
    });

    it('returns 404 for unknown actions, and for force-down before 2.11', async () => {
      expectFault(await act('paint', which), 404, 'Unknown action');
      expectFault(await act('force-down', which, '2.10'), 404, 'Unknown action');
    });

    it('returns 400 for a missing field', async () => {
      expectFault(await act('force-down', which), 400, 'Missing forced_down field');
      expectFault(await act('disable-log-reason', which), 400, 'Missing disabled reason field');
    });

    it('returns 404 for an unknown host, and 400 for another service', async () => {
      expectFault(
        await act('disable', { host: 'none', binary: 'nova-compute' }),
        404,
        "Host 'none' is not mapped to any cell",
      );
      expectFault(
        await act('disable', { host: 'controller', binary: 'nova-scheduler' }),
        400,
        /^Updating a nova-scheduler service is not supported/,
      );
    });
  });

  describe('DELETE /os-services/{id}', () => {
    it('deletes a service together with its host', async () => {
      expect(
        (await ask(world, 'DELETE', `/os-services/${await idOf('compute-3')}`, { version: '2.53' }))
          .status,
      ).to.equal(204);
      expect((await ask(world, 'GET', '/os-hypervisors')).body.hypervisors).to.have.length(2);
      expect(
        (await world.ask('placement', 'GET', '/placement/resource_providers')).body
          .resource_providers,
      ).to.have.length(2);
      expect(
        (
          await ask(world, 'DELETE', `/os-services/${await idOf('compute-2', '2.52')}`, {
            version: '2.52',
          })
        ).status,
      ).to.equal(204);
    });

    it('returns 409 while servers are on the host', async () => {
      await putServer(world, { host: 'compute-1' });
      const reply = await ask(world, 'DELETE', `/os-services/${await idOf('compute-1')}`, {
        version: '2.53',
      });
      expectFault(
        reply,
        409,
        'Unable to delete compute service that is hosting instances. ' +
          'Migrate or delete the instances first.',
      );
    });

    it('returns 400 for an invalid id, and 404 for an unknown one', async () => {
      expectFault(
        await ask(world, 'DELETE', '/os-services/x', { version: '2.53' }),
        400,
        'Invalid uuid x',
      );
      expectFault(
        await ask(world, 'DELETE', '/os-services/x', { version: '2.52' }),
        400,
        'Invalid input received: id must be an integer',
      );
      expectFault(
        await ask(world, 'DELETE', '/os-services/99', { version: '2.52' }),
        404,
        'Service 99 not found.',
      );
    });
  });
});
