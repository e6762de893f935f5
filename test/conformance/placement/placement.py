"""Answers requests with the real Placement on a database in memory, one question a line.

A question has all providers, which replace those of the question before it, and requests, each with
a path and a microversion. The answer has the status and the text of each reply.
"""
import json
import sys

from oslo_config import cfg
import sqlalchemy as sa
import webob

from placement import conf
from placement import db_api
from placement import deploy
from placement.db.sqlalchemy import migration

TABLES = (
    'placement_aggregates',
    'resource_providers',
    'inventories',
    'allocations',
    'resource_provider_traits',
    'resource_provider_aggregates',
)


class Database:
    """Writes providers into the database of the real Placement."""

    def __init__(self):
        self.engine = db_api.get_placement_engine()
        metadata = sa.MetaData()
        metadata.reflect(self.engine)
        self.tables = metadata.tables
        self.classes = self._ids('resource_classes')
        self.traits = self._ids('traits')

    def _ids(self, name):
        table = self.tables[name]
        with self.engine.connect() as connection:
            return dict(connection.execute(sa.select(table.c.name, table.c.id)).all())

    def replace(self, providers):
        rows = {name: [] for name in TABLES}
        ids = {one['uuid']: number for number, one in enumerate(providers, 1)}
        parents = {one['uuid']: one['parent'] for one in providers}
        uuids = {uuid for one in providers for uuid in one['aggregates']}
        aggregates = {uuid: number for number, uuid in enumerate(sorted(uuids), 1)}
        for uuid, number in aggregates.items():
            rows['placement_aggregates'].append({'id': number, 'uuid': uuid})
        for one in providers:
            root = one['uuid']
            while parents[root]:
                root = parents[root]
            rows['resource_providers'].append({
                'id': ids[one['uuid']],
                'uuid': one['uuid'],
                'name': one['uuid'],
                'generation': 0,
                'root_provider_id': ids[root],
                'parent_provider_id': ids.get(one['parent']),
            })
            self._describe(rows, one, {'resource_provider_id': ids[one['uuid']]}, aggregates)
        with self.engine.begin() as connection:
            for name in reversed(TABLES):
                connection.execute(self.tables[name].delete())
            for name, values in rows.items():
                if values:
                    connection.execute(self.tables[name].insert(), values)

    def _describe(self, rows, one, owner, aggregates):
        for name, fields in one['inventories'].items():
            of_class = {**owner, 'resource_class_id': self.classes[name]}
            rows['inventories'].append({**of_class, **fields})
        for name, used in one['used'].items():
            of_class = {**owner, 'resource_class_id': self.classes[name]}
            rows['allocations'].append({**of_class, 'consumer_id': one['uuid'], 'used': used})
        for name in one['traits']:
            rows['resource_provider_traits'].append({**owner, 'trait_id': self.traits[name]})
        for uuid in one['aggregates']:
            rows['resource_provider_aggregates'].append({**owner, 'aggregate_id': aggregates[uuid]})


def reply_to(application, path, version):
    request = webob.Request.blank(path, headers={
        'x-auth-token': 'admin',
        'accept': 'application/json',
        'openstack-api-version': f'placement {version}',
    })
    reply = request.get_response(application)
    return [reply.status_int, reply.text]


def main():
    config = cfg.ConfigOpts()
    conf.register_opts(config)
    config.set_default('connection', 'sqlite://', 'placement_database')
    config.set_default('auth_strategy', 'noauth2', 'api')
    config([], project='placement', default_config_files=[])
    db_api.configure(config)
    migration.create_schema()
    application = deploy.loadapp(config)
    database = Database()
    for line in sys.stdin:
        question = json.loads(line)
        database.replace(question['providers'])
        replies = [reply_to(application, *request) for request in question['requests']]
        print(json.dumps(replies), flush=True)


main()
