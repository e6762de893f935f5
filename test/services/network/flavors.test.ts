// Flavors of service plugins, and their service profiles.
import { expect } from 'chai';
import { newUuid } from '../../../src/kernel/ids.ts';
import { onEachDatabase, type Asked } from '../../support/cloud.ts';
import { ask, errorOf, make, member, type Resource } from './support.ts';

onEachDatabase('network: flavors', { auth: 'noauth2' }, (world) => {
  const makeFlavor = (fields: object = {}): Promise<Resource> =>
    make(world, 'flavor', { name: 'f', service_type: 'L3_ROUTER_NAT', ...fields });
  const makeProfile = (fields: object = {}): Promise<Resource> =>
    make(world, 'service_profile', { metainfo: '{"a": 1}', ...fields });
  const associate = (flavor: string, profile: string, as: Asked = {}) =>
    ask(
      world,
      'POST',
      `/flavors/${flavor}/service_profiles`,
      { service_profile: { id: profile } },
      as,
    );
  const shown = async (flavor: Resource, as: Asked = {}): Promise<Resource> => {
    const { body } = await ask(world, 'GET', `/flavors/${flavor.id}`, undefined, as).expect(200);
    return (body as { flavor: Resource }).flavor;
  };

  describe('POST /v2.0/flavors', () => {
    it('creates a flavor that belongs to no project', async () => {
      const flavor = await makeFlavor({ description: 'd' });
      expect(flavor).to.deep.equal({
        id: flavor.id,
        name: 'f',
        description: 'd',
        service_type: 'L3_ROUTER_NAT',
        enabled: true,
        service_profiles: [],
      });
      expect(await shown(flavor, member)).to.deep.equal(flavor);
    });

    it('returns 400 for an unknown type, a project and a list, and 403 to members', async () => {
      const post = async (body: object, as: Asked = {}): Promise<string> =>
        errorOf(await ask(world, 'POST', '/flavors', body, as));
      expect(await post({ flavor: { service_type: 'DUMMY' } })).to.equal(
        '400 InvalidServiceType: Invalid service type: DUMMY.',
      );
      expect(await post({ flavor: { name: 'f' } })).to.contain(
        "Required attribute 'service_type' not specified",
      );
      const flavor = { service_type: 'QOS' };
      expect(await post({ flavor: { ...flavor, tenant_id: 'admin' } })).to.contain(
        '400 HTTPBadRequest: Unrecognized attribute(s)',
      );
      expect(await post({ flavors: [flavor] })).to.equal(
        '400 HTTPBadRequest: Bulk operation not supported',
      );
      expect(await post({ flavor }, member)).to.contain('403 PolicyNotAuthorized');
    });
  });

  describe('PUT /v2.0/flavors/{id}', () => {
    it('changes all but the service type', async () => {
      const flavor = await makeFlavor();
      const put = (fields: object) =>
        ask(world, 'PUT', `/flavors/${flavor.id}`, { flavor: fields });
      await put({ name: 'g', enabled: false }).expect(200);
      expect(await shown(flavor)).to.include({ name: 'g', enabled: false });
      expect(errorOf(await put({ service_type: 'QOS' }))).to.contain(
        'Cannot update read-only attribute service_type',
      );
    });
  });

  describe('GET /v2.0/flavors', () => {
    it('filters and sorts', async () => {
      await makeFlavor({ name: 'b' });
      await makeFlavor({ name: 'a', enabled: false });
      const names = async (query: string): Promise<unknown> => {
        const { body } = await ask(world, 'GET', `/flavors?${query}`).expect(200);
        return (body as { flavors: Resource[] }).flavors.map(({ name }) => name as string);
      };
      expect(await names('enabled=false')).to.deep.equal(['a']);
      expect(await names('sort_key=name&sort_dir=asc')).to.deep.equal(['a', 'b']);
      expect(await names('service_type=QOS')).to.deep.equal([]);
    });
  });

  describe('/v2.0/service_profiles', () => {
    it('takes metainfo or a known driver', async () => {
      const post = async (service_profile: object): Promise<string> =>
        errorOf(await ask(world, 'POST', '/service_profiles', { service_profile }));
      expect(await post({})).to.equal(
        '400 ServiceProfileEmpty: Service Profile needs either a driver or metainfo.',
      );
      expect(await post({ driver: 'x' })).to.equal(
        '404 ServiceProfileDriverNotFound: Service Profile driver x could not be found.',
      );
      const driver = 'neutron.services.l3_router.service_providers.single_node.SingleNodeDriver';
      expect(await makeProfile({ metainfo: '', driver })).to.include({ driver, enabled: true });
    });

    it('is hidden from members', async () => {
      const { id } = await makeProfile();
      const { body } = await ask(world, 'GET', '/service_profiles', undefined, member).expect(200);
      expect(body).to.deep.equal({ service_profiles: [] });
      await ask(world, 'GET', `/service_profiles/${id}`, undefined, member).expect(404);
    });
  });

  describe('/v2.0/flavors/{flavor_id}/service_profiles', () => {
    it('gives a profile to a flavor, and takes it away', async () => {
      const [flavor, profile] = [await makeFlavor(), await makeProfile()];
      const { body } = await associate(flavor.id, profile.id).expect(201);
      expect(body).to.deep.equal({ service_profile: { id: flavor.id } });
      expect((await shown(flavor))['service_profiles']).to.deep.equal([profile.id]);
      expect(errorOf(await associate(flavor.id, profile.id))).to.equal(
        '409 FlavorServiceProfileBindingExists: ' +
          `Service Profile ${profile.id} is already associated with flavor ${flavor.id}.`,
      );
      const path = `/flavors/${flavor.id}/service_profiles/${profile.id}`;
      await ask(world, 'DELETE', path, undefined, member).expect(404);
      await ask(world, 'DELETE', path).expect(204);
      expect(errorOf(await ask(world, 'DELETE', path))).to.equal(
        '404 FlavorServiceProfileBindingNotFound: ' +
          `Service Profile ${profile.id} is not associated with flavor ${flavor.id}.`,
      );
      expect((await shown(flavor))['service_profiles']).to.deep.equal([]);
    });

    it('keeps the profile of a flavor until the flavor is deleted', async () => {
      const [flavor, profile] = [await makeFlavor(), await makeProfile()];
      await associate(flavor.id, profile.id).expect(201);
      const path = `/service_profiles/${profile.id}`;
      const refusal =
        '409 ServiceProfileInUse: ' +
        `Service Profile ${profile.id} is used by some service instance.`;
      expect(errorOf(await ask(world, 'DELETE', path))).to.equal(refusal);
      const body = { service_profile: { enabled: false } };
      expect(errorOf(await ask(world, 'PUT', path, body))).to.equal(refusal);
      await ask(world, 'DELETE', `/flavors/${flavor.id}`).expect(204);
      await ask(world, 'PUT', path, body).expect(200);
      await ask(world, 'DELETE', path).expect(204);
    });

    it('returns 404 for unknown flavors and profiles, and 403 to members', async () => {
      const [flavor, profile, unknown] = [await makeFlavor(), await makeProfile(), newUuid()];
      expect(errorOf(await associate(unknown, profile.id))).to.equal(
        `404 FlavorNotFound: Flavor ${unknown} could not be found.`,
      );
      expect(errorOf(await associate(flavor.id, unknown))).to.equal(
        `404 ServiceProfileNotFound: Service Profile ${unknown} could not be found.`,
      );
      expect(errorOf(await associate(flavor.id, profile.id, member))).to.contain('403');
    });
  });
});
