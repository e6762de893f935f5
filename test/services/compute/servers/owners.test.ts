// Tests the names, metadata and tags of servers, and who sees them.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, config, expectFault, member, someone } from '../support.ts';
import { act, admin, liftQuotas, madeServer, newest, type Shown } from './makers.ts';

onEachDatabase('compute: ownership of servers', config, (world) => {
  describe('metadata, tags, names', () => {
    it('are updated and shown', async () => {
      const { id } = await madeServer(world, { metadata: { a: '1' } });
      const at = { ...admin, version: newest };
      const added = await ask(world, 'POST', `/servers/${id}/metadata`, {
        ...at,
        body: { metadata: { b: '2' } },
      });
      expect(added.body).to.deep.equal({ metadata: { a: '1', b: '2' } });
      await ask(world, 'DELETE', `/servers/${id}/metadata/a`, at).expect(204);
      expectFault(
        await ask(world, 'GET', `/servers/${id}/metadata/a`, at),
        404,
        'Metadata item was not found',
      );
      await ask(world, 'PUT', `/servers/${id}/tags`, { ...at, body: { tags: ['x', 'a'] } }).expect(
        200,
      );
      await ask(world, 'PUT', `/servers/${id}/tags/new`, at).expect(201);
      await ask(world, 'PUT', `/servers/${id}/tags/new`, at).expect(204);
      await ask(world, 'DELETE', `/servers/${id}/tags/x`, at).expect(204);
      const put = await ask(world, 'PUT', `/servers/${id}`, {
        ...at,
        body: { server: { name: 'other', description: 'd', accessIPv4: '10.1.2.3' } },
      });
      expect(put.body.server).to.deep.include({
        name: 'other',
        description: 'd',
        accessIPv4: '10.1.2.3',
        tags: ['a', 'new'],
      });
    });
  });

  describe('visibility', () => {
    it('returns 404 for a server of another project', async () => {
      const { id } = await madeServer(world, {}, member);
      const other = someone('member,reader', 'else', 'else');
      expectFault(
        await ask(world, 'GET', `/servers/${id}`, other),
        404,
        `Instance ${id} could not be found.`,
      );
      expect((await ask(world, 'GET', '/servers', other)).body).to.deep.equal({ servers: [] });
      expectFault(
        await ask(world, 'GET', '/servers?all_tenants=1', other),
        403,
        "Policy doesn't allow os_compute_api:servers:index:get_all_tenants to be performed.",
      );
      const own = (await ask(world, 'GET', `/servers/${id}`, { ...member, version: newest })).body
        .server as Shown;
      expect(own).to.not.have.any.keys('OS-EXT-SRV-ATTR:host', 'host_status');
    });

    it('deletion frees ports, allocations and quota', async () => {
      await liftQuotas(world);
      const { id } = await madeServer(world);
      await act(world, id, { resize: { flavorRef: '2' } });
      await ask(world, 'DELETE', `/servers/${id}`, admin).expect(204);
      expectFault(
        await ask(world, 'GET', `/servers/${id}`, admin),
        404,
        `Instance ${id} could not be found.`,
      );
      const { hypervisors } = (await ask(world, 'GET', '/os-hypervisors/detail', admin)).body as {
        hypervisors: Shown[];
      };
      for (const one of hypervisors)
        expect(one).to.include({ vcpus_used: 0, local_gb_used: 0, running_vms: 0 });
      const deleted = await ask(world, 'GET', '/servers/detail?deleted=True', {
        ...admin,
        version: newest,
      });
      expect(
        (deleted.body as { servers: Shown[] }).servers.map(({ status }) => status),
      ).to.deep.equal(['DELETED']);
    });
  });
});
