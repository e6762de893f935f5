"""Tests what a program that manages a cloud through libcloud's OpenStack driver does.
CUMULET_AUTH_URL has the address.
"""
import os
import unittest
import uuid

import libcloud.security
from libcloud.common.exceptions import BaseHTTPError
from libcloud.compute.providers import get_driver
from libcloud.compute.types import NodeState, Provider

libcloud.security.VERIFY_SSL_CERT = False

# libcloud 3.8 appends the path of tokens to the URL; 3.4 uses the URL unchanged.
uses_full_url = tuple(map(int, libcloud.__version__.split('.')[:2])) < (3, 8)
auth_url = os.environ['CUMULET_AUTH_URL'] + ('/v3/auth/tokens' if uses_full_url else '')


def driver(username='demo', project='demo'):
    return get_driver(Provider.OPENSTACK)(
        username, 'secret', api_version='2.2', ex_force_auth_version='3.x_password',
        ex_force_auth_url=auth_url,
        ex_tenant_name=project, ex_domain_name='Default', ex_tenant_domain_id='default',
        ex_force_service_region='RegionOne',
    )


def name(kind):
    return f'libcloud-{kind}-{uuid.uuid4().hex[:8]}'


class Scenarios(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cloud = driver()

    def one(self, resources, text):
        return next(resource for resource in resources if resource.name == text)

    def size(self, text='m1.tiny'):
        return self.one(self.cloud.list_sizes(), text)

    def network(self):
        return self.one(self.cloud.ex_list_networks(), 'private')

    def node(self, **options):
        image = next(image for image in self.cloud.list_images() if image.name.startswith('cirros'))
        node = self.cloud.create_node(name('node'), self.size(), image, networks=[self.network()],
                                      **options)
        self.addCleanup(self.destroy, node)
        (node, addresses), = self.cloud.wait_until_running([node], wait_period=0.1, timeout=60,
                                                           ssh_interface='private_ips')
        self.assertEqual(addresses, node.private_ips)
        return node

    def destroy(self, node):
        if node.id in [one.id for one in self.cloud.list_nodes()]:
            self.assertTrue(self.cloud.destroy_node(node))

    def reload(self, node):
        return self.cloud.ex_get_node_details(node.id)

    def test_node(self):
        pair = self.cloud.create_key_pair(name('key'))
        self.addCleanup(self.cloud.delete_key_pair, pair)
        self.assertIn('PRIVATE KEY', pair.private_key)
        node = self.node(ex_keyname=pair.name, ex_metadata={'what': 'a test'}, ex_config_drive=True)
        self.assertEqual(NodeState.RUNNING, node.state)
        self.assertEqual((pair.name, {'what': 'a test'}),
                         (node.extra['key_name'], node.extra['metadata']))
        self.assertTrue(self.cloud.stop_node(node))
        self.assertEqual(NodeState.STOPPED, self.reload(node).state)
        self.assertTrue(self.cloud.start_node(node))
        self.assertTrue(self.cloud.reboot_node(node))
        self.assertTrue(self.cloud.ex_hard_reboot_node(node))
        self.assertTrue(self.cloud.ex_pause_node(node))
        self.assertEqual('paused', self.reload(node).extra['vm_state'])
        self.assertTrue(self.cloud.ex_unpause_node(node))
        self.assertTrue(self.cloud.ex_suspend_node(node))
        self.assertEqual(NodeState.SUSPENDED, self.reload(node).state)
        self.assertTrue(self.cloud.ex_resume_node(node))
        self.assertEqual(NodeState.RUNNING, self.reload(node).state)
        self.assertTrue(self.cloud.destroy_node(node))
        self.assertNotIn(node.id, [one.id for one in self.cloud.list_nodes()])

    def test_node_changes(self):
        node = self.node()
        new_name = name('other')
        self.assertEqual(new_name, self.cloud.ex_set_server_name(node, new_name).name)
        self.assertEqual({'a': 'b'}, self.cloud.ex_set_metadata(node, {'a': 'b'}))
        self.assertTrue(self.cloud.ex_resize(node, self.size('m1.small')))
        self.assertTrue(self.cloud.ex_confirm_resize(self.reload(node)))
        self.assertEqual(self.size('m1.small').id, self.reload(node).extra['flavorId'])
        self.assertTrue(self.cloud.ex_set_password(node, 'a new one'))
        rescued = self.cloud.ex_rescue(node)
        self.assertEqual('rescue', self.reload(rescued).extra['vm_state'].rstrip('d'))
        self.assertTrue(self.cloud.ex_unrescue(node))

    def test_image(self):
        node = self.node()
        image = self.cloud.create_image(node, name('image'), metadata={'made': 'here'})
        self.assertEqual(image.name, self.cloud.get_image(image.id).name)
        self.assertIn(image.id, [one.id for one in self.cloud.list_images()])
        self.assertTrue(self.cloud.delete_image(image))

    def test_volume(self):
        node = self.node()
        volume = self.cloud.create_volume(1, name('volume'))
        self.assertEqual((1, 'available'),
                         (volume.size, self.cloud.ex_get_volume(volume.id).extra['state']))
        self.assertTrue(self.cloud.attach_volume(node, volume, '/dev/vdb'))
        attached = self.cloud.ex_get_volume(volume.id)
        self.assertEqual([node.id], [one['server_id'] for one in attached.extra['attachments']])
        self.assertTrue(self.cloud.detach_volume(attached))
        snapshot = self.cloud.create_volume_snapshot(volume, name('snapshot'))
        self.assertIn(snapshot.id, [one.id for one in self.cloud.list_volume_snapshots(volume)])
        copy = self.cloud.create_volume(1, name('copy'), snapshot=snapshot)
        self.assertTrue(self.cloud.destroy_volume(copy))
        self.assertTrue(self.cloud.destroy_volume_snapshot(snapshot))
        self.assertTrue(self.cloud.destroy_volume(volume))
        self.assertNotIn(volume.id, [one.id for one in self.cloud.list_volumes()])

    def test_network(self):
        network = self.cloud.ex_create_network(name('network'))
        subnet = self.cloud.ex_create_subnet(name('subnet'), network, '10.77.0.0/24')
        self.assertIn(subnet.id, [one.id for one in self.cloud.ex_list_subnets()])
        router = self.cloud.ex_create_router(name('router'))
        self.assertTrue(self.cloud.ex_add_router_subnet(router, subnet))
        port = self.cloud.ex_create_port(network, name=name('port'))
        self.assertIn(port.id, [one.id for one in self.cloud.ex_list_ports()])
        node = self.node()
        self.assertTrue(self.cloud.ex_attach_port_interface(node, port))
        self.assertIn(port.extra['fixed_ips'][0]['ip_address'], self.reload(node).private_ips)
        self.assertTrue(self.cloud.ex_detach_port_interface(node, port))
        self.assertTrue(self.cloud.ex_delete_port(port))
        self.assertTrue(self.cloud.ex_del_router_subnet(router, subnet))
        self.assertTrue(self.cloud.ex_delete_router(router))
        self.assertTrue(self.cloud.ex_delete_subnet(subnet))
        self.assertTrue(self.cloud.ex_delete_network(network))

    def test_floating_ip(self):
        node = self.node()
        pool, = self.cloud.ex_list_floating_ip_pools()
        address = pool.create_floating_ip()
        self.assertTrue(self.cloud.ex_attach_floating_ip_to_node(node, address))
        # The driver considers DevStack's 172.24.4.0/24 private.
        self.assertIn(address.ip_address,
                      self.reload(node).public_ips + self.reload(node).private_ips)
        found = self.cloud.ex_get_floating_ip(address.ip_address)
        # 3.8 does not fill in node_id
        self.assertEqual(node.id, found.node_id or found.extra['port_details']['device_id'])
        self.assertTrue(self.cloud.ex_detach_floating_ip_from_node(node, address))
        self.assertTrue(address.delete())

    def test_security_group(self):
        group = self.cloud.ex_create_security_group(name('group'), 'of a test')
        rule = self.cloud.ex_create_security_group_rule(group, 'tcp', 22, 22, '0.0.0.0/0')
        self.assertEqual((22, 'tcp'), (rule.from_port, rule.ip_protocol))
        node = self.node(ex_security_groups=[group])
        self.assertEqual([group.name],
                         [one.name for one in self.cloud.ex_get_node_security_groups(node)])
        self.assertTrue(self.cloud.destroy_node(node))
        self.assertTrue(self.cloud.ex_delete_security_group_rule(rule))
        self.assertTrue(self.cloud.ex_delete_security_group(group))

    def test_errors(self):
        with self.assertRaisesRegex(Exception, 'could not be found'):
            self.cloud.ex_get_size('none')
        with self.assertRaises(BaseHTTPError) as refused:
            self.cloud.create_volume(0, name('volume'))
        self.assertEqual(400, refused.exception.code)

    def test_quotas(self):
        project = self.node().extra['tenantId']
        admin = driver('admin', 'admin')
        cores = admin.ex_get_quota_set(project).cores
        self.assertEqual((20, 1), (cores.limit, cores.in_use))
        self.assertEqual(10, admin.ex_get_volume_quotas(project).volumes.limit)
