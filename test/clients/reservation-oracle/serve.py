"""Serves the real Blazar, API and manager in one process, with a running cloud as its Keystone,
Nova, Placement and Neutron.

    python3 serve.py --cloud http://127.0.0.1:6060

This requires Blazar's Python package (blazar-api and blazar-manager in Debian) and no
configuration. API and manager communicate through oslo.messaging's RabbitMQ driver on an in-memory
queue, so that errors are serialized as with RabbitMQ. The clock is frozen: `PUT /_oracle` with
`{"now": "2050-01-01 12:00:00"}` moves it and processes the events that are then due, like the
manager's timer. `DELETE /_oracle` empties the tables. All data is in a temporary folder, which is
removed at the end.
"""

import argparse
import datetime
import json
import os
import shutil
import signal
import socketserver
import sys
import tempfile
import threading
import urllib.parse
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

CONFIGURATION = """
[DEFAULT]
host = oracle
log_file = {log}
transport_url = kombu+memory:////
rpc_response_timeout = 120
os_auth_protocol = http
os_auth_host = {host}
os_auth_port = {port}
os_auth_prefix = identity
os_auth_version = v3
os_admin_username = blazar
os_admin_password = {password}
os_admin_project_name = service
os_region_name = {region}
[database]
connection = {database}
[manager]
plugins = physical.host.plugin,virtual.instance.plugin,flavor.instance.plugin,virtual.floatingip.plugin
[oslo_messaging_notifications]
driver = noop
[keystone_authtoken]
auth_type = password
auth_url = {cloud}/identity/v3
www_authenticate_uri = {cloud}/identity/v3
username = blazar
password = {password}
project_name = service
user_domain_name = Default
project_domain_name = Default
"""


class Server(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *_):
        pass


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--port', type=int, default=0)
    parser.add_argument('--cloud', required=True,
                        help='the cloud, where Blazar signs in as user blazar of project service')
    parser.add_argument('--password', default='secret', help="the password of user blazar")
    parser.add_argument('--region', default='RegionOne')
    parser.add_argument('--database', help='an SQLAlchemy URL (default: SQLite)')
    parser.add_argument('--log', help='the log file')
    return parser.parse_args()


def configure(folder, arguments):
    cloud = urllib.parse.urlsplit(arguments.cloud)
    path = os.path.join(folder, 'blazar.conf')
    with open(path, 'w') as file:
        file.write(
            CONFIGURATION.format(
                log=arguments.log or os.path.join(folder, 'log'),
                database=arguments.database or 'sqlite:///%s/blazar.sqlite' % folder,
                cloud=arguments.cloud,
                host=cloud.hostname,
                port=cloud.port,
                password=arguments.password,
                region=arguments.region,
            )
        )
    from oslo_config import cfg

    cfg.CONF(['--config-file', path], project='blazar', default_config_dirs=[])


def fill_database():
    """Creates the tables. Configures SQLite for reads during writes and for cascading deletions, as
    on MySQL.
    """
    from sqlalchemy import event
    from sqlalchemy.engine import Engine

    from blazar.db import api

    @event.listens_for(Engine, 'connect')
    def prepare(connection, _):
        if 'sqlite' in type(connection).__module__:
            connection.execute('PRAGMA journal_mode=WAL')
            connection.execute('PRAGMA foreign_keys=ON')

    if not api.setup_db():
        raise SystemExit('The database could not be created.')


def start_manager():
    """Starts the manager like blazar-manager, but without its timer."""
    from blazar.manager import service

    manager = service.ManagerService()
    manager._server.start()
    return manager


class Control:
    """Handles the requests of the comparison itself: moves the clock, and empties the tables."""

    def __init__(self, manager):
        self.manager = manager
        self.lock = threading.Lock()

    def __call__(self, environ, start_response):
        with self.lock:
            if environ['REQUEST_METHOD'] == 'DELETE':
                empty_database()
            else:
                self.move_clock(
                    json.loads(environ['wsgi.input'].read(int(environ['CONTENT_LENGTH'])))['now'])
        start_response('204 No Content', [])
        return [b'']

    def move_clock(self, now):
        from oslo_utils import timeutils

        moment = datetime.datetime.fromisoformat(now)
        timeutils.utcnow = lambda with_timezone=False: moment.replace(
            tzinfo=datetime.UTC if with_timezone else None)
        # Repeat, because an event may create further due events, and a lease in a transitional
        # state is skipped until the next time.
        for _ in range(3):
            self.manager._process_events()


def empty_database():
    from blazar.db.sqlalchemy import facade_wrapper, models

    with facade_wrapper.session_for_write() as session:
        for table in reversed(models.Lease.metadata.sorted_tables):
            session.execute(table.delete())


class Dispatcher:
    """Passes each request to Blazar or to the control."""

    def __init__(self, application, control):
        self.application, self.control = application, control

    def __call__(self, environ, start_response):
        if environ['PATH_INFO'] == '/_oracle':
            return self.control(environ, start_response)
        return self.application(environ, start_response)


def main():
    arguments = read_arguments()
    # The libraries parse the command line again, with their own options.
    del sys.argv[1:]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    folder = tempfile.mkdtemp(prefix='oracle-')
    try:
        import gettext

        gettext.install('blazar')
        from blazar.api import app  # noqa: F401: registers the options
        from blazar.notification import notifier
        from blazar.utils import service

        configure(folder, arguments)
        service.prepare_service([])
        notifier.init()
        fill_database()
        manager = start_manager()
        dispatcher = Dispatcher(app.VersionSelectorApplication(), Control(manager))
        server = make_server('127.0.0.1', arguments.port, dispatcher, server_class=Server,
                             handler_class=QuietHandler)
        print('http://127.0.0.1:%s' % server.server_port, flush=True)
        server.serve_forever()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main()
