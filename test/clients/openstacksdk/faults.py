"""Tests how openstacksdk and keystoneauth handle injected faults. CUMULET_URL has the address, OS_*
the cloud.
"""
import json
import os
import unittest
import urllib.request

import openstack
from keystoneauth1 import exceptions


def control(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {'content-type': 'application/json'}
    request = urllib.request.Request(f"{os.environ['CUMULET_URL']}/_emulator{path}", data, headers,
                                     method=method)
    with urllib.request.urlopen(request) as reply:
        return json.loads(reply.read() or 'null')


class Faults(unittest.TestCase):
    def setUp(self):
        self.cloud = openstack.connect()
        self.cloud.authorize()
        self.addCleanup(control, 'DELETE', '/faults')

    def fault(self, operation, effect, count=1):
        control('POST', '/faults',
                {'match': {'operation': operation}, 'effect': effect, 'count': count})

    def counts(self):
        return [(rule['matched'], rule['hit']) for rule in control('GET', '/faults')['faults']]

    def servers(self, **options):
        return self.cloud.session.get('/servers', endpoint_filter={'service_type': 'compute'},
                                      **options).status_code

    def test_error_status_raises_exception_with_message_of_service(self):
        self.fault('networks:list', {'status': 503, 'message': 'Out of order.'})
        with self.assertRaisesRegex(openstack.exceptions.HttpException, 'Out of order.') as caught:
            list(self.cloud.network.networks())
        self.assertEqual(503, caught.exception.status_code)
        self.assertRegex(caught.exception.request_id, '^req-')

    def test_503_is_retried_up_to_the_configured_number(self):
        self.fault('servers:list', {'status': 503}, count=2)
        self.assertEqual(200, self.servers(status_code_retries=2))
        self.assertEqual([(3, 2)], self.counts())

    def test_429_is_retried_if_configured(self):
        self.fault('servers:list', {'status': 429, 'headers': {'retry-after': '1'}})
        self.assertEqual(200, self.servers(status_code_retries=1, retriable_status_codes=[429]))
        self.assertEqual([(2, 1)], self.counts())

    def test_401_is_retried_with_a_new_token(self):
        token = self.cloud.auth_token
        self.fault('servers:list', {'status': 401})
        self.assertEqual(200, self.servers())
        self.assertNotEqual(token, self.cloud.auth_token)

    def test_delayed_reply_times_out(self):
        self.fault('servers:list', {'delay_ms': 60000})
        with self.assertRaises(exceptions.ConnectTimeout):
            self.servers(timeout=0.5)

    def test_lost_reply_to_create_creates_two(self):
        self.fault('networks:create', {'drop': True, 'when': 'after'})
        self.cloud.network.create_network(name='twice')
        networks = list(self.cloud.network.networks(name='twice'))
        for network in networks:
            self.cloud.network.delete_network(network)
        self.assertEqual(2, len(networks))

    def test_lost_reply_to_delete_is_harmless(self):
        network = self.cloud.network.create_network(name='once')
        self.fault('networks:delete', {'drop': True, 'when': 'after'})
        self.cloud.network.delete_network(network)
        self.assertIsNone(self.cloud.network.find_network('once'))
