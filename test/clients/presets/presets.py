"""Checks a cloud of a preset with openstacksdk: ten assertions for each.

usage: presets.py PRESET, with OS_* variables and CUMULET_URL
"""
import datetime
import os
import sys

import openstack
from openstack import exceptions

URL = os.environ['CUMULET_URL']


def connect(user='admin', project='admin', region='RegionOne', **auth):
    fields = dict(auth_url=URL + '/identity/v3', username=user, password='secret',
                  user_domain_id='default', **auth)
    if not auth:
        fields.update(project_name=project, project_domain_id='default')
    return openstack.connection.Connection(
        auth=fields, region_name=region, app_name='presets',
        compute_default_microversion='2.90', placement_default_microversion='1.39')


def get(conn, path):
    return conn.session.get(URL + path).json()


def names(resources):
    return sorted(one.name for one in resources)


def refusal(call, *args, **kwargs):
    """The exception that a call raises; None if it succeeds."""
    try:
        call(*args, **kwargs)
    except exceptions.SDKException as error:
        return error
    return None


def boot(conn, flavor, name='probe', **kwargs):
    networks = [network.id for network in conn.network.networks(name='private')]
    return conn.create_server(name, image='cirros', flavor=flavor, network=networks[0], wait=True,
                              timeout=60, **kwargs)


def roles_of(user, project):
    token = connect(user, project).session.auth.get_access(connect(user, project).session)
    return set(token.role_names)


def devstack(admin):
    identity = admin.identity
    yield {'ResellerAdmin', 'anotherrole'} <= set(names(identity.roles()))
    yield names(identity.groups()) == ['admins', 'nonadmins']
    yield {'alt_demo', 'invisible_to_admin', 'demo'} <= set(names(identity.projects()))
    yield {'alt_demo', 'alt_demo_member', 'alt_demo_reader', 'demo_reader', 'system_member',
           'system_reader'} <= set(names(identity.users()))
    yield {'member', 'anotherrole'} <= roles_of('demo', 'demo')
    yield roles_of('demo_reader', 'demo') == {'reader'}
    yield 'admin' in roles_of('admin', 'alt_demo')
    limits = {one.resource_name: one.default_limit for one in identity.registered_limits()}
    yield limits == {'image_size_total': 1000, 'image_stage_total': 1000,
                     'image_count_total': 100, 'image_count_uploading': 100}
    yield 'cirros-0.6.3-x86_64-disk' in names(admin.image.images())
    reader = connect('system_reader', system_scope='all')
    yield len(list(reader.identity.users())) >= 8


def empty(admin):
    yield list(admin.compute.hypervisors()) == []
    yield list(admin.compute.flavors()) == []
    yield list(admin.image.images()) == []
    yield list(admin.network.networks()) == []
    yield list(admin.network.routers()) == []
    yield list(admin.placement.resource_providers()) == []
    yield names(admin.identity.projects()) == ['admin', 'service']
    yield names(admin.identity.users()) == ['admin']
    yield list(admin.compute.servers(all_projects=True)) == []
    yield admin.compute.create_flavor(name='f', vcpus=1, ram=64, disk=1).name == 'f'


def three_zones(admin):
    zones = sorted(zone.name for zone in admin.compute.availability_zones())
    yield {'az1', 'az2', 'az3'} <= set(zones)
    hosts = names(admin.compute.hypervisors())
    yield len(hosts) == 9
    yield sum(host.startswith('az2-') for host in hosts) == 3
    aggregates = {one.name: one for one in admin.compute.aggregates()}
    yield sorted(aggregates) == ['az1', 'az2', 'az3']
    yield all(len(one.hosts) == 3 for one in aggregates.values())
    for zone in ('az1', 'az2', 'az3'):
        server = boot(admin, 'm1.tiny', 'in-' + zone, availability_zone=zone)
        yield server.compute_host.startswith(zone)
    yield refusal(boot, admin, 'm1.tiny', availability_zone='az4') is not None
    yield len(list(admin.placement.resource_providers())) == 9


def gpu_farm(admin):
    providers = {one.name: one for one in admin.placement.resource_providers()}
    yield len(providers) == 2 + 4 * 7
    pgpu = providers['gpu-1_numa1_pgpu0']
    yield pgpu.parent_provider_id == providers['gpu-1_numa1'].id
    yield pgpu.root_provider_id == providers['gpu-1'].id
    base = '/placement/resource_providers/'
    admin.session.additional_headers = {'OpenStack-API-Version': 'placement 1.39'}
    traits = get(admin, base + pgpu.id + '/traits')['traits']
    yield traits == ['CUSTOM_NVIDIA_A100']
    yield get(admin, base + pgpu.id + '/inventories')['inventories']['VGPU']['total'] == 4
    numa = get(admin, base + providers['gpu-1_numa0'].id + '/inventories')['inventories']
    yield numa['PCPU']['reserved'] == 2
    asked = '/placement/allocation_candidates?resources=VGPU:1&required=CUSTOM_NVIDIA_A100'
    yield len(get(admin, asked)['allocation_requests']) == 16
    admin.session.additional_headers = {}
    yield {'g1.small', 'g1.large'} <= set(names(admin.compute.flavors()))
    server = boot(admin, 'g1.small')
    yield server.compute_host.startswith('gpu-')
    yield [one.hosts for one in admin.compute.aggregates() if one.name == 'gpus'] == [
        ['gpu-1', 'gpu-2', 'gpu-3', 'gpu-4']]


def pods_of(admin):
    return {pod['region_name']: pod for pod in get(admin, '/tricircle/v1.0/pods')['pods']}


def edge_sites(admin):
    pods = pods_of(admin)
    yield sorted(pods) == ['CentralRegion', 'Core', 'Edge1', 'Edge2', 'Edge3', 'Edge4']
    yield pods['Edge1']['az_name'] == 'edge'
    yield pods['Edge3']['resource_affinity_tag'] == {'site': 'factory'}
    yield pods['Edge4']['is_under_maintenance'] is True
    hosts = [len(list(connect(region=name).compute.hypervisors()))
             for name in ('Core', 'Edge1', 'Edge4')]
    yield hosts == [6, 2, 1]
    shop = connect('shop', 'shop', 'CentralRegion')
    yield {entry['endpoints'][0]['region'] for entry in shop.service_catalog} == {'CentralRegion'}
    yield {'Core', 'Edge1'} <= {endpoint['region'] for entry in admin.service_catalog
                                for endpoint in entry['endpoints']}
    networks = list(shop.network.networks(name='private'))
    server = shop.create_server('s', image='cirros', flavor='m1.tiny', network=networks[0].id,
                                wait=True, timeout=60)
    yield server.status == 'ACTIVE'
    yield names(connect(region='Edge1').compute.servers(all_projects=True)) == ['s']
    bindings = get(admin, '/tricircle/v1.0/bindings')['pod_bindings']
    yield len(bindings) == 2


def with_pods(expected, zones, first):
    def check(admin):
        pods = pods_of(admin)
        yield sorted(pods) == sorted(['CentralRegion', *expected])
        yield {pods[name]['az_name'] for name in expected} == zones
        yield pods['CentralRegion']['az_name'] == ''
        yield all(pods[name]['pod_az_name'] == 'nova' for name in expected)
        regions = sorted(region.id for region in admin.identity.regions())
        yield regions == sorted(['CentralRegion', *expected])
        demo = connect('demo', 'demo', 'CentralRegion')
        yield {entry['endpoints'][0]['region']
               for entry in demo.service_catalog} == {'CentralRegion'}
        networks = list(demo.network.networks(name='private'))
        server = demo.create_server('s', image='cirros', flavor='m1.tiny', network=networks[0].id,
                                    wait=True, timeout=60)
        yield server.status == 'ACTIVE'
        yield names(connect(region=first).compute.servers(all_projects=True)) == ['s']
        yield len(list(connect(region=first).compute.hypervisors())) == 3
        yield names(demo.compute.servers()) == ['s']
    return check


def reserved(admin):
    hosts = get(admin, '/reservation/v1/os-hosts')['hosts']
    yield sorted(host['hypervisor_hostname'] for host in hosts) == [
        'reservable-%d' % number for number in range(1, 7)]
    leases = {lease['name']: lease for lease in get(admin, '/reservation/v1/leases')['leases']}
    yield sorted(leases) == ['next-week', 'running-hosts', 'running-instances', 'the-week-after']
    yield leases['running-hosts']['status'] == 'ACTIVE'
    yield leases['running-instances']['status'] == 'ACTIVE'
    yield leases['next-week']['status'] == 'PENDING'
    start = datetime.datetime.fromisoformat(leases['next-week']['start_date'].split('.')[0])
    days = (start - datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)).days
    yield days in (6, 7)
    allocations = get(admin, '/reservation/v1/os-hosts/allocations')['allocations']
    yield sum(bool(one['reservations']) for one in allocations) >= 4
    yield any(flavor.name.startswith('reservation:')
              for flavor in connect('demo', 'demo').compute.flavors())
    server = boot(admin, 'm1.tiny')
    yield server.compute_host.startswith('compute-')
    yield leases['running-hosts']['project_id'] == admin.identity.find_project('research').id


def autoscaling(admin):
    demo = connect('demo', 'demo')
    clusters = {one['name']: one for one in get(demo, '/clustering/v1/clusters')['clusters']}
    yield sorted(clusters) == ['batch', 'web', 'workers']
    yield {one['status'] for one in clusters.values()} == {'ACTIVE'}
    yield [len(clusters[name]['nodes']) for name in ('batch', 'web', 'workers')] == [0, 4, 2]
    servers = list(demo.compute.servers())
    yield len(servers) == 6
    web = [one for one in servers if one.name.startswith('web')]
    yield sorted(one.availability_zone for one in web) == ['az1', 'az1', 'az2', 'az3']
    policies = get(demo, '/clustering/v1/policies')['policies']
    yield sorted(one['name'] for one in policies) == ['grow-by-two', 'oldest-first', 'spread']
    bindings = '/clustering/v1/clusters/%s/policies' % clusters['web']['id']
    yield len(get(demo, bindings)['cluster_policies']) == 2
    yield clusters['web']['min_size'] == 2
    yield clusters['web']['max_size'] == 12
    demo.session.post(URL + '/clustering/v1/clusters/%s/actions' % clusters['web']['id'],
                      json={'scale_out': {}})
    yield len(get(demo, '/clustering/v1/clusters/web')['cluster']['nodes']) == 6


def full(admin):
    demo = connect('demo', 'demo')
    yield len(list(demo.compute.servers(status='ACTIVE'))) == 8
    yield len(list(demo.block_storage.volumes())) == 2
    hosts = [server.compute_host for server in admin.compute.servers(all_projects=True)]
    yield sorted(hosts) == ['full-1'] * 4 + ['full-2'] * 4
    error = refusal(boot, demo, 'quarter')
    yield 'No valid host was found' in str(error) or error is not None
    yield any(one.status == 'ERROR' for one in demo.compute.servers())
    yield refusal(demo.block_storage.create_volume, size=1) is not None
    admin.session.additional_headers = {'OpenStack-API-Version': 'placement 1.39'}
    asked = '/placement/allocation_candidates?resources=VCPU:1'
    yield get(admin, asked)['allocation_requests'] == []
    admin.session.additional_headers = {}
    stats = [one.to_dict() for one in admin.placement.resource_providers()]
    yield len(stats) == 2
    yield demo.compute.find_flavor('quarter').vcpus == 1
    demo.delete_server('tenant-1', wait=True, timeout=60)
    yield boot(demo, 'quarter', 'again').status == 'ACTIVE'


def large(admin):
    providers = names(admin.placement.resource_providers())
    yield len(providers) == 2000
    yield providers[0] == 'az1-host-1'
    yield len(list(admin.compute.hypervisors())) == 2000
    aggregates = {one.name: len(one.hosts) for one in admin.compute.aggregates()}
    yield aggregates == {'az1': 500, 'az2': 500, 'az3': 500, 'az4': 500}
    yield {'az1', 'az2', 'az3', 'az4'} <= {
        zone.name for zone in admin.compute.availability_zones()}
    yield list(admin.compute.servers(all_projects=True)) == []
    yield len(list(admin.compute.services(binary='nova-compute'))) == 2000
    server = boot(admin, 'm1.tiny', availability_zone='az3')
    yield server.compute_host.startswith('az3-')
    yield admin.compute.find_hypervisor('az4-host-500').state == 'up'
    yield refusal(boot, admin, 'm1.tiny', availability_zone='az5') is not None


def large_full(admin):
    yield len(list(admin.compute.hypervisors(details=False))) == 2000
    servers = list(admin.compute.servers(all_projects=True, details=False, limit=1000))
    yield len(servers) == 20000
    teams = [project for project in admin.identity.projects() if project.name.startswith('team-')]
    yield len(teams) == 20
    usage = admin.compute.get('/limits?tenant_id=' + teams[0].id).json()['limits']['absolute']
    yield usage['totalInstancesUsed'] == 1000
    yield usage['totalCoresUsed'] == 350 + 300 + 2 * 200 + 4 * 100 + 8 * 50
    failed = admin.compute.servers(all_projects=True, details=False, status='ERROR')
    yield list(failed) == []
    name = 'team-07-db-50'
    [server] = admin.compute.servers(all_projects=True, name='^%s$' % name)
    yield server.status == 'ACTIVE' and server.flavor['original_name'] == 'm1.xlarge'
    yield server.availability_zone == 'az3' and server.compute_host.startswith('az3-')
    allocations = get(admin, '/placement/allocations/' + server.id)['allocations']
    yield [one['resources']['VCPU'] for one in allocations.values()] == [8]
    yield boot(admin, 'm1.tiny', 'probe-%d' % os.getpid()).status == 'ACTIVE'


CHECKS = {
    'autoscaling': autoscaling,
    'devstack': devstack,
    'edge-sites': edge_sites,
    'empty': empty,
    'full': full,
    'gpu-farm': gpu_farm,
    'large': large,
    'large-full': large_full,
    'reserved': reserved,
    'six-pods': with_pods(['Pod%d' % number for number in range(1, 7)], {'az1'}, 'Pod1'),
    'three-regions': with_pods(['RegionOne', 'RegionTwo'], {'az1', 'az2'}, 'RegionOne'),
    'three-zones': three_zones,
}


def main(preset):
    region = {'edge-sites': 'CentralRegion', 'six-pods': 'CentralRegion',
              'three-regions': 'CentralRegion'}.get(preset, 'RegionOne')
    results = list(CHECKS[preset](connect(region=region)))
    failed = [number for number, holds in enumerate(results, 1) if not holds]
    if failed:
        sys.exit('assertions %s of %d fail' % (failed, len(results)))
    print(len(results), 'assertions hold')


if __name__ == '__main__':
    main(sys.argv[1])
