"""Answers how many hosts each filter of the real nova-scheduler passes, one question a line.

A question has the hosts with their services, aggregates and servers, and what a server requires.
The counts are those that the scheduler logs at debug level.
"""
import datetime
import json
import logging
import re
import sys

from nova import config
from nova import objects
from nova.scheduler import host_manager

FILTERS = [
    'ComputeFilter',
    'AvailabilityZoneFilter',
    'AggregateMultiTenancyIsolation',
    'AggregateInstanceExtraSpecsFilter',
    'ServerGroupAntiAffinityFilter',
    'ServerGroupAffinityFilter',
    'SameHostFilter',
    'DifferentHostFilter',
]
CELL = '00000000-0000-4000-8000-000000000001'


class HostManager(host_manager.HostManager):
    """Nova's host manager, which is given the hosts instead of reading a database."""

    def refresh_cells_caches(self):
        pass

    def _init_aggregates(self):
        pass


class Counts(logging.Handler):
    """Collects the counts that the filters log."""

    def __init__(self):
        super().__init__()
        self.counts = []

    def emit(self, record):
        text = record.getMessage()
        found = re.match(r'Filter (\w+) returned (\d+) host', text)
        if found:
            self.counts.append([found[1], int(found[2])])
        start = re.match(r'Starting with (\d+) host', text)
        if start:
            self.counts.append(['start', int(start[1])])


def host_state(host):
    state = host_manager.HostState(host['host'], host['host'], CELL)
    now = datetime.datetime.utcnow()
    state.service = {
        'binary': 'nova-compute',
        'host': host['host'],
        'disabled': host['disabled'],
        'disabled_reason': None,
        'forced_down': host['down'],
        'created_at': now,
        'last_seen_up': now,
    }
    state.aggregates = [
        objects.Aggregate(id=one['id'], name=one['name'], metadata=one['metadata'])
        for one in host['aggregates']
    ]
    state.instances = {uuid: objects.Instance(uuid=uuid) for uuid in host['servers']}
    return state


def request_spec(spec):
    group = spec['group'] and objects.InstanceGroup(
        uuid=spec['group']['id'],
        policy=spec['group']['policy'],
        policies=[spec['group']['policy']],
        rules={name: str(value) for name, value in spec['group']['rules'].items()},
        members=spec['group']['members'],
        hosts=spec['group']['hosts'],
    )
    return objects.RequestSpec(
        instance_uuid='00000000-0000-4000-8000-000000000002',
        project_id=spec['project_id'],
        availability_zone=spec['zone'],
        flavor=objects.Flavor(extra_specs=spec['extra_specs']),
        instance_group=group,
        scheduler_hints=spec['hints'],
        ignore_hosts=None,
        force_hosts=None,
        force_nodes=None,
        requested_destination=None,
    )


def main():
    config.CONF([], project='nova', version='', default_config_files=[])
    config.CONF.set_override('enabled_filters', FILTERS, 'filter_scheduler')
    config.CONF.set_override('track_instance_changes', False, 'filter_scheduler')
    config.CONF.set_override('query_placement_for_availability_zone', False, 'scheduler')
    objects.register_all()
    log = logging.getLogger('nova.filters')
    log.setLevel(logging.DEBUG)
    manager = HostManager()
    for line in sys.stdin:
        question = json.loads(line)
        counts = Counts()
        log.addHandler(counts)
        hosts = [host_state(host) for host in question['hosts']]
        manager.get_filtered_hosts(hosts, request_spec(question['spec']))
        log.removeHandler(counts)
        print(json.dumps(counts.counts), flush=True)


main()
