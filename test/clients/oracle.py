"""Serves the real Keystone and the real Placement in one process and on one port, at the same paths
as Cumulet.

    python3 oracle.py --port 8080

This requires the Python packages of both (python3-keystone and python3-placement in Debian) and no
configuration. All data is in a temporary folder, which is removed at the end. Use it to check the
case files against upstream.
"""

import argparse
import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import urllib.request
from wsgiref.simple_server import WSGIRequestHandler, make_server

KEYSTONE = """
[DEFAULT]
log_file = {folder}/keystone.log
[database]
connection = sqlite:///{folder}/keystone.sqlite
[fernet_tokens]
key_repository = {folder}/fernet
[credential]
key_repository = {folder}/credential
[identity]
password_hash_rounds = 4
[oslo_policy]
policy_file = {folder}/policy.yaml
"""

PLACEMENT = """
[DEFAULT]
log_file = {folder}/placement.log
[placement_database]
connection = sqlite:///{folder}/placement.sqlite
sync_on_startup = True
[api]
auth_strategy = noauth2
[oslo_policy]
policy_file = {folder}/policy.yaml
"""


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *_):
        pass


class Dispatcher:
    """Passes each request to the application whose prefix its path begins with."""

    def __init__(self):
        self.applications = {}

    def __call__(self, environ, start_response):
        for prefix, application in self.applications.items():
            path = environ['PATH_INFO']
            if path == prefix or path.startswith(prefix + '/'):
                environ['SCRIPT_NAME'], environ['PATH_INFO'] = prefix, path[len(prefix) :]
                return application(environ, start_response)
        start_response('404 Not Found', [('Content-Type', 'text/plain')])
        return [b'Not found.']


def as_administrator(application):
    """Makes every caller with a token the administrator: without Keystone's middleware, Placement
    treats the token as a user name.
    """

    def serve(environ, start_response):
        if environ.get('HTTP_X_AUTH_TOKEN'):
            environ['HTTP_X_AUTH_TOKEN'] = 'admin'
        return application(environ, start_response)

    return serve


def write(folder, name, text):
    with open(os.path.join(folder, name), 'w') as file:
        file.write(text.format(folder=folder))


def manage(folder, *words):
    """Runs keystone-manage through its Python module, because it may not be on the PATH."""
    program = ('import sys; from keystone.cmd.manage import main; '
               'sys.argv[0] = "keystone-manage"; main()')
    line = [sys.executable, '-W', 'ignore', '-c', program, '--config-file',
            os.path.join(folder, 'keystone.conf'), *words]
    subprocess.run(line, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def keystone(folder, base):
    write(folder, 'keystone.conf', KEYSTONE)
    # Some releases read on a second connection while they write, which requires a write-ahead log.
    with contextlib.closing(sqlite3.connect(os.path.join(folder, 'keystone.sqlite'))) as database:
        database.execute('PRAGMA journal_mode=WAL')
    owner = ['--keystone-user', str(os.getuid()), '--keystone-group', str(os.getgid())]
    for repository in ('fernet', 'credential'):
        os.makedirs(os.path.join(folder, repository), mode=0o700)
    manage(folder, 'db_sync')
    manage(folder, 'fernet_setup', *owner)
    manage(folder, 'credential_setup', *owner)
    urls = ['--bootstrap-%s-url=%s/identity' % (interface, base)
            for interface in ('public', 'internal', 'admin')]
    manage(folder, 'bootstrap', '--bootstrap-password', 'secret', '--bootstrap-region-id',
           'RegionOne', *urls)
    os.environ['OS_KEYSTONE_CONFIG_DIR'] = folder
    from keystone.server.wsgi import initialize_public_application

    return initialize_public_application()


def placement(folder):
    write(folder, 'placement.conf', PLACEMENT)
    os.environ['OS_PLACEMENT_CONFIG_DIR'] = folder
    from placement.wsgi import init_application

    return init_application()


def post(url, body, token=None):
    headers = {'Content-Type': 'application/json', **({'X-Auth-Token': token} if token else {})}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as response:
        return response.headers, json.load(response)


def enforce_foreign_keys():
    """Enables foreign keys in SQLite: both services rely on cascading deletions."""
    from sqlalchemy import event
    from sqlalchemy.engine import Engine

    event.listen(Engine, 'connect',
                 lambda connection, _: connection.execute('PRAGMA foreign_keys=ON'))


def fill_catalog(base):
    identity = base + '/identity/v3'
    admin = {'name': 'admin', 'domain': {'id': 'default'}}
    auth = {
        'identity': {'methods': ['password'],
                     'password': {'user': {**admin, 'password': 'secret'}}},
        'scope': {'project': admin},
    }
    token = post(identity + '/auth/tokens', {'auth': auth})[0]['X-Subject-Token']
    service = post(identity + '/services', {'service': {'type': 'placement', 'name': 'placement'}},
                   token)[1]['service']
    for interface in ('public', 'internal', 'admin'):
        endpoint = {'service_id': service['id'], 'interface': interface, 'region_id': 'RegionOne',
                    'url': base + '/placement'}
        post(identity + '/endpoints', {'endpoint': endpoint}, token)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--port', type=int, default=0)
    port = parser.parse_args().port
    # Both services parse the command line again, with their own options.
    del sys.argv[1:]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    folder = tempfile.mkdtemp(prefix='oracle-')
    dispatcher = Dispatcher()
    try:
        server = make_server('127.0.0.1', port, dispatcher, handler_class=QuietHandler)
        base = 'http://127.0.0.1:%s' % server.server_port
        write(folder, 'policy.yaml', '')
        enforce_foreign_keys()
        dispatcher.applications['/identity'] = keystone(folder, base)
        dispatcher.applications['/placement'] = as_administrator(placement(folder))
        threading.Thread(target=lambda: (fill_catalog(base), print(base, flush=True)),
                         daemon=True).start()
        server.serve_forever()
    finally:
        shutil.rmtree(folder)


main()
