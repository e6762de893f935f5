#!/usr/bin/python3
"""Runs gabbits, upstream's declarative tests of the Placement API, against Cumulet.

usage: run.py SOURCE [--database URL] [--only GLOB] [--write-baseline] ...

SOURCE is a checkout of openstack/placement, or a folder that contains gabbits, directly or in
`gabbits`. Each file gets its own server with an empty database. fixtures.py creates the data of
upstream's fixtures.

The run fails if a test of baseline.txt fails. That file lists every test that has ever passed:
--write-baseline adds the tests that pass now, and removes none. gabbi 3 or newer is required
(python3-gabbi in Debian, or pip install gabbi), because older versions take the gabbits' patterns
literally.
"""
import argparse
import fnmatch
import glob
import multiprocessing
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
PROJECT = os.path.abspath(os.path.join(HERE, '..', '..', '..'))
BASELINE = os.path.join(HERE, 'baseline.txt')
START = (
    'exec node dist/main.js --port 0 --listen placement=0 --database {database} '
    '--auth noauth2 --policy-dir {policy} '
         '{cors} --log-level error')
# The server picks its port and prints it. A port picked here could be taken before the server
# listens.
LISTENS = re.compile(r'placement also at http://127\.0\.0\.1:(\d+)')
# Folders that may contain the gabbits, relative to SOURCE.
FOLDERS = ('placement/tests/functional/gabbits', 'gabbits', '.')
LEGACY = {'service_api': 'role:service or role:admin'}
OPEN = {rule: '@' for rule in '''
    service_api admin_or_service_api project_reader_api admin_or_project_reader_or_service_api
    placement:resource_providers:list placement:resource_providers:create
    placement:resource_providers:show
    placement:resource_providers:update placement:resource_providers:delete
    placement:resource_classes:list placement:resource_classes:create
    placement:resource_classes:show
    placement:resource_classes:update placement:resource_classes:delete
    placement:resource_providers:inventories:list placement:resource_providers:inventories:create
    placement:resource_providers:inventories:show placement:resource_providers:inventories:update
    placement:resource_providers:inventories:delete
    placement:resource_providers:aggregates:list placement:resource_providers:aggregates:update
    placement:resource_providers:usages placement:usages
    placement:traits:list placement:traits:show placement:traits:update placement:traits:delete
    placement:resource_providers:traits:list placement:resource_providers:traits:update
    placement:resource_providers:traits:delete
    placement:allocations:manage placement:allocations:list placement:allocations:update
    placement:allocations:delete
    placement:resource_providers:allocations:list
    placement:allocation_candidates:list placement:reshaper:reshape'''.split()}
# The rules for each policy fixture. All other tests run with the deprecated rules, as upstream's
# do.
POLICIES = {'SecureRBACPolicyFixture': {}, 'OpenPolicyFixture': OPEN}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('source',
                        help='a checkout of openstack/placement, or a folder with gabbits')
    parser.add_argument('--database', default='memory:',
                        help='mysql://user:password@host:port; each file gets a database there')
    parser.add_argument('--start',
                        help='a shell command for another server; it may contain {port}, '
                        '{database}, {policy} and {cors}')
    parser.add_argument('--only', default='*',
                        help='run only files whose name without .yaml matches this pattern')
    parser.add_argument('--jobs', type=int, default=os.cpu_count() or 1)
    parser.add_argument('--start-timeout', type=int, default=600,
                        help='seconds that a server may take to start')
    parser.add_argument('--write-baseline', action='store_true',
                        help='add the tests that pass now to baseline.txt')
    parser.add_argument('--verbose', action='store_true', help='show complete tracebacks')
    return parser.parse_args()


def gabbits_of(source):
    for folder in FOLDERS:
        files = sorted(glob.glob(os.path.join(source, folder, '*.yaml')))
        if files:
            return files
    sys.exit(
        f'No gabbits in {source}. Name a checkout of openstack/placement or a folder of gabbits.')


class Outcomes(unittest.TestResult):
    """Collects the outcome of each test as (name, outcome, message)."""

    def __init__(self):
        super().__init__()
        self.outcomes = []

    def record(self, test, outcome, message=''):
        self.outcomes.append((getattr(test, 'test_data', {}).get('name', str(test)), outcome,
                              message))

    def addSuccess(self, test):
        self.record(test, 'passed')

    def addFailure(self, test, err):
        self.record(test, 'failed', self._exc_info_to_string(err, test))

    addError = addFailure

    def addSkip(self, test, reason):
        self.record(test, 'skipped', reason)

    def addExpectedFailure(self, test, err):
        self.record(test, 'skipped', 'upstream expects it to fail')

    def addUnexpectedSuccess(self, test):
        self.record(test, 'passed')


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def start(options, used, folder):
    """Starts a server for a file that uses these fixtures, in its own process group. Its output
    goes to `log` in the folder. Returns the process, and its port if it is known already.
    """
    import yaml
    rules = next((rules for name, rules in POLICIES.items() if name in used), LEGACY)
    with open(os.path.join(folder, 'placement.yaml'), 'w') as file:
        yaml.safe_dump(rules, file)
    database = options.database
    if not database.startswith('memory'):
        database = f'{database.rstrip("/")}/gabbits_{os.getpid()}'
    port = free_port() if options.start else None
    command = (options.start or START).format(
        port=port, database=database, policy=folder,
        cors='--cors-origin http://valid.example.com' if 'CORSFixture' in used else '')
    with open(os.path.join(folder, 'log'), 'w') as log:
        return subprocess.Popen(command, shell=True, cwd=PROJECT, stdout=log, stderr=log,
                                start_new_session=True), port


def wait_for(server, port, folder, seconds):
    """Waits until the server answers, and returns its port."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if server.poll() is not None:
            raise RuntimeError(f'the server exited with {server.returncode}')
        with open(os.path.join(folder, 'log')) as log:
            port = port or next(map(int, LISTENS.findall(log.read())), None)
        try:
            if port:
                urllib.request.urlopen(f'http://127.0.0.1:{port}', timeout=10)
                return port
        except urllib.error.HTTPError:
            return port  # an error status is a reply too
        except OSError:
            pass
        time.sleep(0.05)
    raise RuntimeError(f'the server does not answer within {seconds} s')


def stop(server):
    for kind, seconds in ((signal.SIGTERM, 20), (signal.SIGKILL, 20)):
        try:
            os.killpg(server.pid, kind)
            server.wait(seconds)
            return
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def run(job):
    """Runs the tests of a file and returns their outcomes. Each file needs its own process, because
    fixtures pass values to gabbits in environment variables.
    """
    options, path = job
    import yaml
    from gabbi import handlers, suitemaker
    sys.path.insert(0, HERE)
    import fixtures
    name = os.path.basename(path)[:-len('.yaml')]
    with open(path) as file:
        suite = yaml.safe_load(file)
    result = Outcomes()
    with tempfile.TemporaryDirectory(prefix='cumulet-gabbits-') as folder:
        server, port = start(options, suite.get('fixtures', []), folder)
        try:
            port = wait_for(server, port, folder, options.start_timeout)
            os.environ['PLACEMENT_URL'] = f'http://127.0.0.1:{port}'
            suitemaker.test_suite_from_dict(
                unittest.defaultTestLoader, name, suite, os.path.dirname(path), '127.0.0.1', port,
                fixtures, None, prefix='',
                handlers=[handler() for handler in handlers.RESPONSE_HANDLERS],
                test_loader_name='gabbi').run(result)
        except Exception as error:  # an error before the first test fails the file
            with open(os.path.join(folder, 'log')) as log:
                result.outcomes.append(('(the file)', 'failed',
                                        f'{log.read()}{type(error).__name__}: {error}'))
        finally:
            stop(server)
    return name, result.outcomes


def main():
    options = arguments()
    try:
        from importlib.metadata import version
        if int(version('gabbi').split('.')[0]) < 3:
            sys.exit(f'gabbi {version("gabbi")} is too old: the gabbits need gabbi 3 or newer.')
    except ImportError:
        sys.exit('gabbi is not installed.')
    files = [path for path in gabbits_of(options.source)
             if fnmatch.fnmatch(os.path.basename(path)[:-len('.yaml')], options.only)]
    if not options.start:
        subprocess.run(['npm', 'run', 'build', '--silent'], cwd=PROJECT, check=True)
    with open(BASELINE) as file:
        baseline = {line for line in file.read().splitlines() if line and not line.startswith('#')}
    passed, absent, skipped, known, failed = set(), set(baseline), 0, 0, 0
    with multiprocessing.get_context('spawn').Pool(options.jobs, maxtasksperchild=1) as pool:
        for name, outcomes in pool.imap(run, [(options, path) for path in files], chunksize=1):
            wrong = []
            for test, outcome, message in outcomes:
                line = f'{name}: {test}'
                absent.discard(line)
                if outcome == 'passed':
                    passed.add(line)
                elif outcome == 'skipped':
                    skipped += 1
                elif line in baseline or test == '(the file)':
                    failed += 1
                    wrong.append((test, message))
                else:
                    known += 1
                    wrong.append((f'{test} (has never passed)', message))
            good = sum(outcome == 'passed' for _, outcome, _ in outcomes)
            print(f'{name}: {good} passed' + (f', {len(wrong)} failed or missing' if wrong else ''),
                  flush=True)
            for test, message in wrong:
                lines = [line for line in message.strip().splitlines() if line.strip()] or ['']
                last = lines[-3:] if test == '(the file)' else lines[-1:]
                print(f'    {test}: {" / ".join(last)[:600]}')
                if options.verbose:
                    print('\n'.join(f'        {line}' for line in lines))
    more = passed - baseline
    if options.write_baseline and more:
        with open(BASELINE, 'w') as file:
            file.write(
                '# Gabbits that have passed, by file and name. '
                'Lines are only ever added, by run.py --write-baseline.\n')
            file.write(''.join(f'{line}\n' for line in sorted(baseline | passed)))
    elif more:
        print(f'{len(more)} tests pass that are not in the baseline: '
              'add them with --write-baseline.')
    if absent and options.only == '*':
        print(f'{len(absent)} tests of the baseline are missing from these gabbits.')
    if known or skipped:
        print(f'{known} tests fail that have never passed; {skipped} are skipped by upstream.')
    print(f'{len(passed)} passed, {failed} failed')
    sys.exit(1 if failed or not passed else 0)


if __name__ == '__main__':
    main()
