"""Creates the initial data of upstream's gabbits over HTTP. The classes have the names of
upstream's fixtures.

Upstream's own fixtures write into Placement's database. These use the Placement API at
PLACEMENT_URL, and pass generated identifiers to the gabbits in environment variables, as upstream's
do. See placement/tests/functional/fixtures/gabbits.py in openstack/placement.
"""
import json
import os
import urllib.error
import urllib.request
import uuid

from gabbi import fixture

SHARES = 'MISC_SHARES_VIA_AGGREGATE'
IDENTIFIERS = (
    'RP_UUID RP_NAME RP_UUID1 RP_NAME1 RP_UUID2 RP_NAME2 PROJECT_ID ADMIN_PROJECT_ID '
    'SERVICE_PROJECT_ID PROJECT_ID_ALT USER_ID USER_ID_ALT INSTANCE_UUID MIGRATION_UUID '
    'CONSUMER_UUID PARENT_PROVIDER_UUID ALT_PARENT_PROVIDER_UUID').split()
CLASSES = {'CUSTOM_RES_CLASS': 'CUSTOM_IRON_NFV', 'CUSTOM_RES_CLASS1': 'CUSTOM_IRON_NFV1',
           'CUSTOM_RES_CLASS2': 'CUSTOM_IRON_NFV2'}


def new_uuid(*names):
    """Creates a UUID, and exports it to the gabbits under these names."""
    value = str(uuid.uuid4())
    for name in names:
        os.environ[name] = value
    return value


def send(method, path, body=None, version='1.39'):
    """Sends a request to Placement as admin. Raises AssertionError if it fails."""
    request = urllib.request.Request(os.environ['PLACEMENT_URL'] + path, method=method, headers={
        'x-auth-token': 'admin', 'accept': 'application/json',
        'openstack-api-version': f'placement {version}'})
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header('content-type', 'application/json')
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            text = reply.read()
    except urllib.error.HTTPError as error:
        raise AssertionError(f'{method} {path}: {error.code} {error.read()[:400]!r}') from error
    return json.loads(text) if text else None


class Provider:
    """A resource provider. The constructor creates it in Placement."""

    def __init__(self, name, export=None, parent=None, provider=None):
        self.uuid = provider or new_uuid()
        if export:
            os.environ[export] = self.uuid
        parent_field = {'parent_provider_uuid': parent.uuid} if parent else {}
        send('POST', '/resource_providers', {'name': name, 'uuid': self.uuid, **parent_field})

    @property
    def path(self):
        return f'/resource_providers/{self.uuid}'

    def _generation(self):
        return {'resource_provider_generation': send('GET', self.path)['generation']}

    def aggregates(self, *uuids):
        send('PUT', f'{self.path}/aggregates', list(uuids), '1.18')
        return self

    def inventory(self, resource_class, total, **fields):
        if resource_class.startswith('CUSTOM_'):
            send('PUT', f'/resource_classes/{resource_class}')
        send('POST', f'{self.path}/inventories', {
            'resource_class': resource_class, 'total': total, 'max_unit': total, **fields,
            **self._generation()})
        return self

    def inventories(self, **totals):
        for resource_class, total in totals.items():
            self.inventory(resource_class, total)
        return self

    def traits(self, *names):
        for name in names:
            if name.startswith('CUSTOM_'):
                send('PUT', f'/traits/{name}')
        send('PUT', f'{self.path}/traits', {'traits': list(names), **self._generation()})
        return self

    def allocate(self, user, project, **resources):
        """Creates an allocation and returns the UUID of its consumer. At 1.37 the consumer gets no
        type, like consumers from before types existed.
        """
        consumer = new_uuid()
        send('PUT', f'/allocations/{consumer}', {
            'allocations': {self.uuid: {'resources': resources}}, 'user_id': user,
            'project_id': project,
            'consumer_generation': None}, '1.37')
        return consumer


class APIFixture(fixture.GabbiFixture):
    """An empty Placement, and identifiers of resources that do not exist yet."""

    def start_fixture(self):
        for name in IDENTIFIERS:
            new_uuid(name)
        os.environ.update(CLASSES)
        self.build()

    def build(self):
        """Creates the data of the fixture."""


class LegacyRBACPolicyFixture(APIFixture):
    """The deprecated policy rules. run.py starts the server with them."""


class SecureRBACPolicyFixture(APIFixture):
    """The current policy rules."""


class OpenPolicyFixture(APIFixture):
    """Policy rules that allow everything to everyone."""


class CORSFixture(APIFixture):
    """CORS for the origin http://valid.example.com."""


class AllocationFixture(APIFixture):
    """A provider with allocations by two consumers of one user and one consumer of another."""

    def build(self):
        env = os.environ
        provider = Provider(env['RP_NAME'], provider=env['RP_UUID'])
        provider.inventory('DISK_GB', 2048, step_size=10, min_unit=10, max_unit=1000)
        provider.inventory('VCPU', 10)
        new_uuid('ALT_USER_ID')
        env['CONSUMER_0'] = provider.allocate(env['USER_ID'], env['PROJECT_ID'], DISK_GB=1000)
        env['CONSUMER_ID'] = provider.allocate(env['USER_ID'], env['PROJECT_ID'], VCPU=6)
        env['ALT_CONSUMER_ID'] = provider.allocate(env['ALT_USER_ID'], env['PROJECT_ID'],
                                                   DISK_GB=20, VCPU=1)
        new_uuid('ALT_RP_UUID')
        new_uuid('ALT_RP_NAME')


def shared_disk(provider):
    return provider.inventory('DISK_GB', 2000, reserved=100, allocation_ratio=1.0)


class SharedStorageFixture(APIFixture):
    """Two computes with NUMA cells and network cards, one without a disk, and two sharing providers
    of disk.
    """

    def build(self):
        aggregate = new_uuid('AGG_UUID')
        computes = [Provider(f'cn{n}', f'CN{n}_UUID').aggregates(aggregate) for n in (1, 2)]
        for compute in computes:
            compute.inventory('VCPU', 24, allocation_ratio=16.0)
            compute.inventory('MEMORY_MB', 128 * 1024, allocation_ratio=1.5)
        computes[0].traits('HW_CPU_X86_SSE', 'HW_CPU_X86_SSE2')
        shared_disk(computes[1])
        for name in ('ss', 'ss2'):
            shared_disk(Provider(name, f'{name.upper()}_UUID').aggregates(aggregate)).traits(SHARES)
        for n, compute in enumerate(computes, 1):
            for cell in (1, 2):
                numa = Provider(f'numa{n}_{cell}', f'NUMA{n}_{cell}_UUID', compute)
                card = Provider(f'pf{n}_{cell}', f'PF{n}_{cell}_UUID', numa)
                card.inventory('SRIOV_NET_VF', 8, allocation_ratio=1.0)


class NUMAAggregateFixture(APIFixture):
    """Two computes with NUMA cells and two sharing providers of disk: one for both computes, one
    for a single cell.
    """

    def build(self):
        a, b, c = new_uuid('AGGA_UUID'), new_uuid('AGGB_UUID'), new_uuid('AGGC_UUID')
        one = Provider('cn1', 'CN1_UUID').aggregates(a)
        two = Provider('cn2', 'CN2_UUID').aggregates(a, b)
        for name, aggregate in (('ss1', a), ('ss2', c)):
            shared_disk(Provider(name, f'{name.upper()}_UUID').aggregates(aggregate)).traits(SHARES)
        for n, compute in ((1, one), (2, two)):
            for cell in (1, 2):
                numa = Provider(f'numa{n}_{cell}', f'NUMA{n}_{cell}_UUID', compute)
                if (n, cell) == (1, 1):
                    numa.aggregates(c)
                numa.inventory('VCPU', 24, allocation_ratio=16.0)


class NUMANetworkFixture(APIFixture):
    """A compute with NUMA cells and network agents, a compute with network cards, and a sharing
    provider of disk for both.
    """

    def build(self):
        self.fill(Provider('cn1', 'CN1_UUID'), Provider('cn2', 'CN2_UUID'))

    def fill(self, one, two):
        aggregate = new_uuid('AGGA_UUID')
        Provider('ss1', 'SS1_UUID').aggregates(aggregate).inventories(DISK_GB=2000).traits(SHARES)
        self.fill_cells(one.aggregates(aggregate).traits('COMPUTE_VOLUME_MULTI_ATTACH'))
        two.aggregates(aggregate).inventories(VCPU=8)
        two.allocate('numafx-user', 'numafx-project', VCPU=3)
        two.inventory('MEMORY_MB', 2048, min_unit=1024, step_size=128)
        two.inventories(DISK_GB=1000).traits('CUSTOM_FOO')
        self.fill_cards(two)

    def fill_cells(self, compute):
        cells = [Provider(f'numa{n}', f'NUMA{n}_UUID', compute).inventories(VCPU=4) for n in (0, 1)]
        cells[0].inventory('MEMORY_MB', 2048, min_unit=512, step_size=256).traits('HW_NUMA_ROOT')
        cells[1].inventory('MEMORY_MB', 2048, min_unit=256, max_unit=1024)
        cells[1].traits('HW_NUMA_ROOT', 'CUSTOM_FOO')
        cells[0].allocate('numafx-user', 'numafx-project', VCPU=2)
        for name, cell, resource_class, total in (('fpga0', 0, 'FPGA', 1), ('pgpu0', 0, 'VGPU', 8),
                                                  ('fpga1_0', 1, 'FPGA', 1),
                                                  ('fpga1_1', 1, 'FPGA', 1)):
            Provider(name, f'{name.upper()}_UUID', cells[cell]).inventory(resource_class, total)
        agent = Provider('sriov_agent', 'SRIOV_AGENT_UUID', compute)
        agent.traits('CUSTOM_VNIC_TYPE_DIRECT')
        for n in (1, 2):
            card = Provider(f'esn{n}', f'ESN{n}_UUID', agent)
            card.inventories(NET_BW_EGR_KILOBIT_PER_SEC=10000 * n).traits(f'CUSTOM_PHYSNET{n}')
        agent = Provider('ovs_agent', 'OVS_AGENT_UUID', compute).traits('CUSTOM_VNIC_TYPE_NORMAL')
        bridge = Provider('br_int', 'BR_INT_UUID', agent)
        bridge.inventories(NET_BW_EGR_KILOBIT_PER_SEC=1000).traits('CUSTOM_PHYSNET0')

    def fill_cards(self, compute):
        # For each card: its number, virtual functions per port, and the physical network of each
        # port.
        for card, functions, networks in ((1, 4, (1, 2)), (2, 2, (1, 2, 1, 2)), (3, 8, (1,))):
            parent = Provider(f'nic{card}', f'NIC{card}_UUID', compute).traits('CUSTOM_HW_NIC_ROOT')
            for port, network in enumerate(networks, 1):
                one = Provider(f'pf{card}_{port}', f'PF{card}_{port}_UUID', parent)
                one.inventories(CUSTOM_VF=functions).traits(f'CUSTOM_PHYSNET{network}')


class DeepNUMANetworkFixture(NUMANetworkFixture):
    """The same computes, two levels deeper in a tree."""

    def build(self):
        root = Provider('gp1')
        one, two = [Provider(f'p{n}', parent=root) for n in (1, 2)]
        self.fill(Provider('cn1', 'CN1_UUID', one), Provider('cn2', 'CN2_UUID', two))


class NonSharedStorageFixture(APIFixture):
    """Three computes, each with its own disk."""

    def build(self):
        for name in ('AGGA_UUID', 'AGGB_UUID', 'AGGC_UUID'):
            new_uuid(name)
        for n in (1, 2, 3):
            compute = Provider(f'cn{n}', f'CN{n}_UUID')
            compute.inventories(VCPU=24, MEMORY_MB=128 * 1024, DISK_GB=2000)


class GranularFixture(APIFixture):
    """Three computes in overlapping aggregates, with sharing providers of disk and network."""

    def build(self):
        send('PUT', '/resource_classes/CUSTOM_NET_MBPS')
        a, b, c = new_uuid('AGGA'), new_uuid('AGGB'), new_uuid('AGGC')
        left = Provider('cn_left', 'CN_LEFT').aggregates(a)
        left.inventories(VCPU=8, MEMORY_MB=4096, DISK_GB=500, VGPU=8, SRIOV_NET_VF=8,
                         CUSTOM_NET_MBPS=4000)
        left.traits('HW_CPU_X86_AVX', 'HW_CPU_X86_AVX2', 'HW_GPU_API_DXVA', 'HW_NIC_DCB_PFC',
                    'CUSTOM_FOO')
        middle = Provider('cn_middle', 'CN_MIDDLE').aggregates(a, b)
        middle.inventories(VCPU=8, MEMORY_MB=4096, SRIOV_NET_VF=8, CUSTOM_NET_MBPS=4000)
        middle.traits('HW_CPU_X86_AVX', 'HW_CPU_X86_AVX2', 'HW_CPU_X86_SSE', 'HW_NIC_ACCEL_TLS')
        right = Provider('cn_right', 'CN_RIGHT').aggregates(b, c)
        right.inventories(VCPU=8, MEMORY_MB=4096, DISK_GB=500).inventory('VGPU', 8, max_unit=2)
        right.traits('HW_CPU_X86_MMX', 'HW_GPU_API_DXVA', 'CUSTOM_DISK_SSD')
        disk = Provider('shr_disk_1', 'SHR_DISK_1').aggregates(a)
        disk.inventories(DISK_GB=1000).traits(SHARES, 'CUSTOM_DISK_SSD')
        disk = Provider('shr_disk_2', 'SHR_DISK_2').aggregates(a, b)
        disk.inventories(DISK_GB=1000).traits(SHARES)
        network = Provider('shr_net', 'SHR_NET').aggregates(c)
        network.inventories(SRIOV_NET_VF=16, CUSTOM_NET_MBPS=40000).traits(SHARES)


class NeutronQoSMultiSegmentFixture(APIFixture):
    """Four computes with a bridge and a network card. The last one has two of each, on both
    segments of a network.
    """

    BY_AGENT = {'Open vSwitch agent': ('ovs_agent', ('CUSTOM_VNIC_TYPE_NORMAL',),
                                       ('br_ex', 'br_ex2')),
                'NIC Switch agent': ('sriov_agent',
                                     ('CUSTOM_VNIC_TYPE_DIRECT', 'CUSTOM_VNIC_TYPE_DIRECT_PHYSICAL',
                                                     'CUSTOM_VNIC_TYPE_MACVTAP'), ('pf0', 'pf1'))}

    def build(self):
        wide = {'Open vSwitch agent': 5000, 'NIC Switch agent': 10000}
        narrow = {'Open vSwitch agent': 1000, 'NIC Switch agent': 1000}
        networks = [(('OTHER',), wide), (('MSN_S1',), wide), (('MSN_S2',), wide),
                    (('MSN_S1', 'MSN_S2'), narrow)]
        for n, (reached, bandwidth) in enumerate(networks):
            self.compute(f'compute{n}', reached, bandwidth)

    def compute(self, name, networks, bandwidth):
        root = Provider(name, name).inventories(VCPU=8, MEMORY_MB=4096, DISK_GB=500)
        agents = {agent: Provider(f'{name}:{agent}', f'{name}:{key}', root)
                  for agent, (key, _, _) in self.BY_AGENT.items()}
        agents['Open vSwitch agent'].inventories(NET_PACKET_RATE_KILOPACKET_PER_SEC=1000)
        for agent, (_, types, devices) in self.BY_AGENT.items():
            agents[agent].traits(*types)
            for key, network in zip(devices, networks):
                device = key.replace('_', '-') if key.startswith('br') else f'enp129s0f{key[-1]}'
                one = Provider(f'{name}:{agent}:{device}', f'{name}:{key}', agents[agent])
                width = bandwidth[agent]
                one.inventories(NET_BW_EGR_KILOBIT_PER_SEC=width, NET_BW_IGR_KILOBIT_PER_SEC=width)
                one.traits(*types, f'CUSTOM_PHYSNET_{network}')
