// Quotas of projects.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, make, member, reader, errorOf, otherMember } from './support.ts';

onEachDatabase('network: quotas', { auth: 'noauth2' }, (world) => {
  const defaults = {
    network: 100,
    subnet: 100,
    subnetpool: -1,
    port: 500,
    router: 10,
    floatingip: 50,
    security_group: 10,
    security_group_rule: 100,
    rbac_policy: 10,
    trunk: -1,
  };
  const put = (quota: object, as = {}) => ask(world, 'PUT', '/quotas/blue', { quota }, as);

  describe('GET /v2.0/quotas', () => {
    it('shows the project of the token', async () => {
      expect(
        (await ask(world, 'GET', '/quotas/project', undefined, member).expect(200)).body,
      ).to.deep.equal({
        project: { project_id: 'blue' },
      });
    });

    it(
      'lets only the project and administrators read quotas, and only administrators update ' +
        'them',
      async () => {
        await ask(world, 'GET', '/quotas/blue', undefined, reader).expect(200);
        expect(errorOf(await ask(world, 'GET', '/quotas/blue', undefined, otherMember))).to.contain(
          '403 PolicyNotAuthorized: rule:get_quota',
        );
        expect(errorOf(await ask(world, 'PUT', '/quotas/blue', { quota: {} }, member))).to.contain(
          '403 PolicyNotAuthorized',
        );
        expect(
          errorOf(await ask(world, 'GET', '/quotas/blue/details', undefined, otherMember)),
        ).to.contain('403 AdminRequired');
      },
    );
  });

  describe('GET /v2.0/quotas/{project_id}/details', () => {
    it('shows the usage of a project', async () => {
      await put({ network: 3 }).expect(200);
      await make(world, 'network', {}, member);
      expect(
        (await ask(world, 'GET', '/quotas/blue/details.json').expect(200)).body.quota.network,
      ).to.deep.equal({
        limit: 3,
        used: 1,
        reserved: 0,
      });
    });

    it('shows the quota of RBAC policies, which nobody has', async () => {
      await put({ rbac_policy: 5 }).expect(200);
      expect(
        (await ask(world, 'GET', '/quotas/blue/details').expect(200)).body.quota.rbac_policy,
      ).to.deep.equal({ limit: 5, used: 0, reserved: 0 });
    });
  });

  describe('PUT /v2.0/quotas/{project_id}', () => {
    it('updates and lists the quotas of a project', async () => {
      expect((await ask(world, 'GET', '/quotas/blue').expect(200)).body).to.deep.equal({
        quota: defaults,
      });
      expect((await put({ network: 3, port: '-1' }).expect(200)).body.quota).to.deep.equal({
        ...defaults,
        network: 3,
        port: -1,
      });
      expect((await ask(world, 'GET', '/quotas').expect(200)).body.quotas).to.deep.include({
        ...defaults,
        network: 3,
        port: -1,
        project_id: 'blue',
        tenant_id: 'blue',
      });
      expect(
        (await ask(world, 'GET', '/quotas/blue/default').expect(200)).body.quota,
      ).to.deep.equal(defaults);
    });

    it('is enforced before policy rules and the network of a port', async () => {
      await put({ port: 0 }).expect(200);
      const port = { network_id: '00000000-0000-0000-0000-000000000000' };
      const over = "409 OverQuota: Quota exceeded for resources: ['port'].";
      expect(errorOf(await ask(world, 'POST', '/ports', { port }, member))).to.equal(over);
      expect(errorOf(await ask(world, 'POST', '/ports', { port }, reader))).to.equal(over);
    });

    it('returns 400 for a quota below the usage, without force', async () => {
      await make(world, 'network', {}, member);
      expect(errorOf(await put({ network: 0 }))).to.equal(
        '400 HTTPBadRequest: Quota limit 0 for network must be greater than or equal to ' +
          'already used 1',
      );
      await put({ network: 0, force: true }).expect(200);
    });

    it('returns 400 for an unknown resource or an invalid limit', async () => {
      expect(errorOf(await put({ cats: 1 }))).to.equal(
        "400 HTTPBadRequest: Unrecognized attribute(s) 'cats'",
      );
      expect(errorOf(await put({ network: -2 }))).to.contain(
        "'-2' is too small - must be at least '-1'",
      );
    });
  });

  describe('DELETE /v2.0/quotas/{project_id}', () => {
    it('resets the quotas of a project, and returns 404 if it has none', async () => {
      await put({ network: 3 }).expect(200);
      await ask(world, 'DELETE', '/quotas/blue').expect(204);
      expect(errorOf(await ask(world, 'DELETE', '/quotas/blue'))).to.equal(
        '404 TenantQuotaNotFound: Quota for project blue could not be found.',
      );
    });
  });
});
