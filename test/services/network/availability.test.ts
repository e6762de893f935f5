// Availability zones, service providers, and the number of available addresses.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, makeNetwork, member, reader, errorOf } from './support.ts';

onEachDatabase('network: availability', { auth: 'noauth2' }, (world) => {
  describe('GET /v2.0/availability_zones', () => {
    it('lists the zone of networks and of routers', async () => {
      const zones = (await ask(world, 'GET', '/availability_zones', undefined, reader).expect(200))
        .body.availability_zones;
      expect(zones).to.deep.equal(
        ['network', 'router'].map((resource) => ({ name: 'nova', resource, state: 'available' })),
      );
      expect(
        (await ask(world, 'GET', '/availability_zones?resource=router', undefined, reader)).body
          .availability_zones,
      ).to.have.length(1);
    });
  });

  describe('/v2.0/network-ip-availabilities', () => {
    it('shows administrators the number of total and used addresses', async () => {
      const { body } = await ask(
        world,
        'GET',
        '/network-ip-availabilities?network_name=private',
      ).expect(200);
      expect(body.network_ip_availabilities[0]).to.include({
        network_name: 'private',
        total_ips: 1021,
        used_ips: 2,
      });
      const { network_id: id } = body.network_ip_availabilities[0];
      const one = await ask(world, 'GET', `/network-ip-availabilities/${id}`).expect(200);
      expect(one.body.network_ip_availability.subnet_ip_availability[0]).to.include({
        cidr: '10.0.0.0/22',
        used_ips: 2,
      });
    });

    it('shows the totals of IPv6 networks with all of their digits', async () => {
      const { network } = await makeNetwork(world, '2001:db8::/64');
      const path = `/network-ip-availabilities/${network.id}`;
      const { text } = await ask(world, 'GET', path).expect(200);
      expect(text.match(/"total_ips":\d+/g)).to.deep.equal([
        '"total_ips":18446744073709551614',
        '"total_ips":18446744073709551614',
      ]);
    });

    it('returns an empty list to other callers', async () => {
      expect(
        (await ask(world, 'GET', '/network-ip-availabilities', undefined, member)).body
          .network_ip_availabilities,
      ).to.deep.equal([]);
    });
  });

  describe('GET /v2.0/service-providers', () => {
    it('lists and filters the providers of the router service', async () => {
      const list = async (query = '', as = member): Promise<{ name: string }[]> =>
        (await ask(world, 'GET', `/service-providers${query}`, undefined, as).expect(200)).body
          .service_providers as never;
      expect((await list()).map(({ name }) => name)).to.deep.equal([
        'dvrha',
        'dvr',
        'ha',
        'single_node',
      ]);
      expect(await list('?name=ha')).to.deep.equal([
        { service_type: 'L3_ROUTER_NAT', name: 'ha', default: false },
      ]);
      expect(await list('?service_type=LOADBALANCERV2')).to.deep.equal([]);
      expect(await list('?default=True')).to.deep.equal([]);
    });

    it('returns 400 for an unknown filter', async () => {
      expect(
        errorOf(await ask(world, 'GET', '/service-providers?colour=red', undefined, member)),
      ).to.contain('is invalid attribute');
    });
  });
});
