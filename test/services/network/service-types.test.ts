// The service types of subnets, and the addresses of ports on such subnets.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, errorOf, make, member, type Resource } from './support.ts';

onEachDatabase('network: service types of subnets', { auth: 'noauth2' }, (world) => {
  const addSubnet = (network: Resource, cidr: string, service_types?: unknown) =>
    make(
      world,
      'subnet',
      { network_id: network.id, ip_version: 4, cidr, ...(service_types ? { service_types } : {}) },
      member,
    );
  const post = (network: Resource, fields: object) =>
    ask(world, 'POST', '/ports', { port: { network_id: network.id, ...fields } });
  const addressOf = async (network: Resource, owner: string): Promise<string> =>
    (await post(network, { device_owner: owner }).expect(201)).body.port.fixed_ips
      .map((fixed: { ip_address: string }) => fixed.ip_address)
      .join();

  describe('POST and PUT /v2.0/subnets', () => {
    it('stores each type once, sorted', async () => {
      const network = await make(world, 'network', {}, member);
      expect((await addSubnet(network, '10.1.0.0/24'))['service_types']).to.deep.equal([]);
      const types = ['network:routed', 'compute:nova', 'compute:nova'];
      const subnet = await addSubnet(network, '10.2.0.0/24', types);
      expect(subnet['service_types']).to.deep.equal(['compute:nova', 'network:routed']);
      const put = async (service_types: unknown): Promise<unknown> =>
        (await ask(world, 'PUT', `/subnets/${subnet.id}`, { subnet: { service_types } }, member))
          .body.subnet.service_types;
      expect(await put(['network:dhcp'])).to.deep.equal(['network:dhcp']);
      expect(await put([])).to.deep.equal([]);
    });

    it('returns 400 for types that are no device owners', async () => {
      const { id: network_id } = await make(world, 'network', {}, member);
      const error = async (service_types: unknown): Promise<string> => {
        const subnet = { network_id, ip_version: 4, cidr: '10.1.0.0/24', service_types };
        return errorOf(await ask(world, 'POST', '/subnets', { subnet }, member));
      };
      expect(await error('compute:nova')).to.equal(
        '400 HTTPBadRequest: Subnet service types must be a list.',
      );
      expect(await error([5])).to.equal(
        '400 InvalidInputSubnetServiceType: Subnet service type 5 is not a string.',
      );
      expect(await error(['baremetal:none'])).to.equal(
        '400 InvalidSubnetServiceType: Subnet service type baremetal:none does not correspond ' +
          'to a valid device owner.',
      );
      expect(await error([`compute:${'x'.repeat(300)}`])).to.contain('exceeds maximum length');
    });

    it('is announced, and is no filter', async () => {
      await ask(world, 'GET', '/extensions/subnet-service-types').expect(200);
      expect(errorOf(await ask(world, 'GET', '/subnets?service_types=x'))).to.contain(
        'is invalid attribute for filtering',
      );
    });
  });

  describe('POST /v2.0/ports', () => {
    it('prefers a subnet for the device owner, and uses no subnet for other owners', async () => {
      const network = await make(world, 'network', {}, member);
      await addSubnet(network, '10.1.0.0/24');
      await addSubnet(network, '10.2.0.0/24', ['compute:nova']);
      expect(await addressOf(network, 'compute:nova')).to.match(/^10\.2\./);
      expect(await addressOf(network, 'compute:other')).to.match(/^10\.1\./);
      expect(await addressOf(network, '')).to.match(/^10\.1\./);
    });

    it('returns 409 if the network has subnets for other device owners only', async () => {
      const network = await make(world, 'network', {}, member);
      await addSubnet(network, '10.2.0.0/24', ['compute:nova']);
      expect(errorOf(await post(network, { device_owner: 'compute:other' }))).to.equal(
        '409 IpAddressGenerationFailureNoMatchingSubnet: No valid service subnet for the given ' +
          `device owner, network ${network.id}, service type compute:other.`,
      );
    });

    it('returns 400 for an address on a subnet for other device owners', async () => {
      const network = await make(world, 'network', {}, member);
      await addSubnet(network, '10.1.0.0/24');
      const { id } = await addSubnet(network, '10.2.0.0/24', ['compute:nova']);
      expect(errorOf(await post(network, { fixed_ips: [{ subnet_id: id }] }))).to.equal(
        '400 InvalidInput: Invalid input for operation: Failed to create port on network ' +
          `${network.id}, because fixed_ips included invalid subnet ${id}.`,
      );
      expect(errorOf(await post(network, { fixed_ips: [{ ip_address: '10.2.0.9' }] }))).to.contain(
        '400 InvalidIpForNetwork',
      );
    });

    it('gives DHCP servers addresses on all subnets that they serve', async () => {
      const network = await make(world, 'network', {}, member);
      await addSubnet(network, '10.2.0.0/24', ['compute:nova']);
      const { body } = await ask(world, 'GET', `/ports?network_id=${network.id}`).expect(200);
      expect(body.ports[0].fixed_ips[0].ip_address).to.equal('10.2.0.2');
    });
  });
});
