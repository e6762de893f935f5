"""A tenant uses the central region with openstacksdk, and an administrator looks at the pods. OS_*
has the tenant and the central region, CUMULET_URL the address.
"""
import json
import os
import unittest
import urllib.request

import openstack


def tenant():
    return openstack.connect()


def administrator(region):
    return openstack.connect(load_envvars=False, auth_url=os.environ['OS_AUTH_URL'],
                             username='admin', password='secret', project_name='admin',
                             user_domain_id='default', project_domain_id='default',
                             region_name=region)


def tricircle(method, path, body=None):
    url = f"{os.environ['CUMULET_URL']}/tricircle/v1.0{path}"
    headers = {'content-type': 'application/json', 'accept': 'application/json',
               'x-auth-token': administrator('CentralRegion').auth_token}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, headers, method=method)
    with urllib.request.urlopen(request) as reply:
        return json.loads(reply.read() or 'null')


def pod_of(server):
    """The first pod that has a server, as an administrator sees it."""
    for name in ('Pod1', 'Pod2', 'Pod3'):
        pod = administrator(name)
        if server.id in [one.id for one in pod.compute.servers(all_projects=True)]:
            return name, pod
    raise AssertionError(f'no pod has {server.id}')


class Tenant(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.cloud = tenant()
        network = cls.cloud.network
        cls.public = network.find_network('public')
        cls.own = network.create_network(name='own')
        cls.subnet = network.create_subnet(name='own4', network_id=cls.own.id, ip_version=4,
                                           cidr='10.9.0.0/24')
        cls.router = network.create_router(name='own',
                                           external_gateway_info={'network_id': cls.public.id})
        network.add_interface_to_router(cls.router, subnet_id=cls.subnet.id)
        cls.group = network.create_security_group(name='web')
        network.create_security_group_rule(security_group_id=cls.group.id, direction='ingress',
                                           protocol='tcp', port_range_min=22, port_range_max=22)
        cls.cloud.compute.create_keypair(name='own')
        cls.image = cls.cloud.image.create_image('own', data=b'disk', disk_format='raw',
                                                 container_format='bare', allow_duplicates=True)
        cls.flavor = cls.cloud.compute.find_flavor('m1.tiny')

    def boot(self, name, **fields):
        compute = self.cloud.compute
        given = {'networks': [{'uuid': self.own.id}], 'image_id': self.image.id, **fields}
        server = compute.create_server(name=name, flavor_id=self.flavor.id, key_name='own',
                                       security_groups=[{'name': 'web'}], **given)
        return compute.wait_for_server(server)

    def port_of(self, server):
        [port] = self.cloud.network.ports(device_id=server.id)
        return port

    def test_catalog_has_the_central_region_only(self):
        regions = {endpoint['region_id']
                   for service in self.cloud.service_catalog for endpoint in service['endpoints']}
        self.assertEqual({'CentralRegion'}, regions)

    def test_server_has_what_the_tenant_owns_and_no_name_of_a_pod(self):
        server = self.boot('plain')
        shown = self.cloud.compute.get_server(server.id)
        self.assertEqual(['own'], list(shown.addresses))
        self.assertEqual([{'name': 'web'}], shown.security_groups)
        self.assertEqual('own', shown.key_name)
        self.assertEqual('az1', shown.availability_zone)
        port = self.port_of(server)
        for seen in (shown, port, self.cloud.network.get_network(self.own.id)):
            self.assertNotIn('Pod', json.dumps(seen.to_dict(), default=str))
        self.assertIsNone(port.binding_host_id)
        [seen] = administrator('CentralRegion').network.ports(device_id=server.id)
        self.assertRegex(seen.binding_host_id, '^compute-')

    def test_port_in_the_pod_has_the_central_addresses_and_follows_changes(self):
        server = self.boot('followed')
        port = self.port_of(server)
        _, pod = pod_of(server)

        def copy():
            [found] = pod.network.ports(name=port.id)
            return found
        self.assertEqual(port.mac_address, copy().mac_address)
        address = port.fixed_ips[0]['ip_address']
        self.assertEqual(address, copy().fixed_ips[0]['ip_address'])
        self.cloud.network.update_port(
            port, allowed_address_pairs=[{'ip_address': '10.9.0.200'}])
        self.assertEqual(['10.9.0.200'],
                         [pair['ip_address'] for pair in copy().allowed_address_pairs])
        self.cloud.network.update_subnet(self.subnet, dns_nameservers=['192.0.2.53'])
        [subnet] = pod.network.subnets(name=self.subnet.id)
        self.assertEqual(['192.0.2.53'], subnet.dns_nameservers)
        self.cloud.network.create_security_group_rule(
            security_group_id=self.group.id, direction='ingress', protocol='tcp',
            port_range_min=80, port_range_max=80)
        [group] = pod.network.security_groups(name=self.group.id)
        self.assertIn(80, [rule['port_range_max'] for rule in group.security_group_rules])

    def test_floating_ip_moves_with_the_tenants_request(self):
        network = self.cloud.network
        one, other = self.boot('one'), self.boot('other')
        ip = network.create_ip(floating_network_id=self.public.id, port_id=self.port_of(one).id)
        _, pod = pod_of(one)

        def fixed():
            return [found.fixed_ip_address for found in pod.network.ips()
                    if found.floating_ip_address == ip.floating_ip_address]
        self.assertEqual([self.port_of(one).fixed_ips[0]['ip_address']], fixed())
        network.update_ip(ip, port_id=self.port_of(other).id)
        self.assertEqual([self.port_of(other).fixed_ips[0]['ip_address']], fixed())
        listed = {server.name: server.public_v4
                  for server in self.cloud.list_servers(detailed=True)}
        self.assertEqual((ip.floating_ip_address, ''), (listed['other'], listed['one']))
        network.delete_ip(ip)
        self.assertEqual([], fixed())

    def test_image_of_a_server_boots_in_another_pod(self):
        compute = self.cloud.compute
        server = self.boot('origin')
        image = compute.create_server_image(server, name='made', wait=True)
        name, _ = pod_of(server)
        [pod] = [pod for pod in tricircle('GET', '/pods')['pods'] if pod['region_name'] == name]
        tricircle('PUT', f"/pods/{pod['pod_id']}", {'pod': {'is_under_maintenance': True}})
        try:
            copy = self.boot('copy', image_id=image.id)
            self.assertNotEqual(name, pod_of(copy)[0])
            volume = self.cloud.block_storage.create_volume(size=1, name='data')
            compute.create_volume_attachment(copy, volume_id=volume.id)
            self.assertEqual('in-use', self.cloud.block_storage.get_volume(volume.id).status)
            names = {found.name for found in compute.servers()}
            self.assertLessEqual({'origin', 'copy'}, names)
        finally:
            tricircle('PUT', f"/pods/{pod['pod_id']}", {'pod': {'is_under_maintenance': False}})


if __name__ == '__main__':
    unittest.main()
