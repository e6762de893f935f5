"""How openstacksdk and keystoneauth bear it when requests fail on demand. The address is in CUMULET_URL, the cloud in OS_*."""
import json
import os
import unittest
import urllib.request

import openstack
from keystoneauth1 import exceptions


def control(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {'content-type': 'application/json'}
    request = urllib.request.Request(f"{os.environ['CUMULET_URL']}/_emulator{path}", data, headers, method=method)
    with urllib.request.urlopen(request) as reply:
        return json.loads(reply.read() or 'null')


class Faults(unittest.TestCase):
    def setUp(self):
        self.cloud = openstack.connect()
        self.cloud.authorize()
        self.addCleanup(control, 'DELETE', '/faults')

    def fault(self, operation, effect, count=1):
        control('POST', '/faults', {'match': {'operation': operation}, 'effect': effect, 'count': count})

    def counts(self):
        return [(rule['matched'], rule['hit']) for rule in control('GET', '/faults')['faults']]

    def servers(self, **options):
        return self.cloud.session.get('/servers', endpoint_filter={'service_type': 'compute'}, **options).status_code

    def test_a_refusal_is_an_exception_with_the_message_of_the_service(self):
        self.fault('networks:list', {'status': 503, 'message': 'Out of order.'})
        with self.assertRaisesRegex(openstack.exceptions.HttpException, 'Out of order.') as caught:
            list(self.cloud.network.networks())
        self.assertEqual(503, caught.exception.status_code)
        self.assertRegex(caught.exception.request_id, '^req-')

    def test_503_is_asked_again_as_often_as_is_said(self):
        self.fault('servers:list', {'status': 503}, count=2)
        self.assertEqual(200, self.servers(status_code_retries=2))
        self.assertEqual([(3, 2)], self.counts())

    def test_429_is_asked_again_where_it_is_named(self):
        self.fault('servers:list', {'status': 429, 'headers': {'retry-after': '1'}})
        self.assertEqual(200, self.servers(status_code_retries=1, retriable_status_codes=[429]))
        self.assertEqual([(2, 1)], self.counts())

    def test_401_is_asked_again_with_a_new_token(self):
        token = self.cloud.auth_token
        self.fault('servers:list', {'status': 401})
        self.assertEqual(200, self.servers())
        self.assertNotEqual(token, self.cloud.auth_token)

    def test_a_late_answer_is_given_up(self):
        self.fault('servers:list', {'delay_ms': 60000})
        with self.assertRaises(exceptions.ConnectTimeout):
            self.servers(timeout=0.5)

    def test_a_lost_answer_to_a_create_leaves_two(self):
        self.fault('networks:create', {'drop': True, 'when': 'after'})
        self.cloud.network.create_network(name='twice')
        networks = list(self.cloud.network.networks(name='twice'))
        for network in networks:
            self.cloud.network.delete_network(network)
        self.assertEqual(2, len(networks))

    def test_a_lost_answer_to_a_delete_does_no_harm(self):
        network = self.cloud.network.create_network(name='once')
        self.fault('networks:delete', {'drop': True, 'when': 'after'})
        self.cloud.network.delete_network(network)
        self.assertIsNone(self.cloud.network.find_network('once'))
