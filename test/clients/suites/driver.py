"""Runs test modules of an installed Python package. Reads commands as lines of JSON from stdin, and
writes replies as lines of JSON to stdout.

Arguments: the name of the distribution, and of its package that contains the tests. The first reply
has the version of the distribution, or says what is missing. The commands are:

    {"files": {name: text}, "environment": {name: value}}
        writes files into a folder, and sets variables; ${folder} is the path of the folder
    {"clock": url}
        moves the clock of this emulator whenever a test sleeps; with null, tests really sleep
    {"modules": name}
        lists the test modules of a package, or the module itself
    {"run": name, "without": [names]}
        runs the tests of a module except those with these names
"""
import atexit
import datetime
import importlib
import json
import math
import os
import pkgutil
import re
import shutil
import sys
import tempfile
import threading
import time
import unittest
import urllib.request
import warnings

warnings.simplefilter('ignore')


def send(reply):
    print(json.dumps(reply), file=replies, flush=True)


class Outcomes(unittest.TestResult):
    """Collects the outcome of each test. Class fixtures are reported under the name of their class.
    """

    def __init__(self):
        super().__init__()
        self.outcomes = []

    def record(self, test, outcome, message=''):
        name = test.id().split('[')[0]
        of_class = re.match(r'(?:setUpClass|tearDownClass) \((.*)\)$', name)
        self.outcomes.append({'test': of_class.group(1) if of_class else name, 'outcome': outcome,
                              'message': message})

    def addSuccess(self, test, details=None):
        self.record(test, 'passed')

    def addSkip(self, test, reason=None, details=None):
        self.record(test, 'skipped', reason or text_of(details, 'reason'))

    def addFailure(self, test, err=None, details=None):
        self.record(test, 'failed',
                    self._exc_info_to_string(err, test) if err else text_of(details, 'traceback'))

    addError = addFailure


def text_of(details, first):
    texts = {name: detail.as_text() for name, detail in (details or {}).items()}
    return texts.get(first) or '\n'.join(texts.values())


def configure(files, environment):
    folder = tempfile.mkdtemp(prefix='cumulet-suite-')
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.chdir(folder)
    sys.path.insert(0, folder)
    for name, text in files.items():
        with open(os.path.join(folder, name), 'w') as file:
            file.write(text.replace('${folder}', folder))
    os.environ.update({name: value.replace('${folder}', folder)
                       for name, value in environment.items()})
    return {}


def modules(name):
    try:
        package = importlib.import_module(name)
    except ModuleNotFoundError as error:
        # Modules are added, removed and moved between releases.
        return {'absent': str(error)}
    if not hasattr(package, '__path__'):
        return {'modules': [name]}
    found = pkgutil.walk_packages(package.__path__, f'{name}.')
    return {'modules': [one.name for one in found
                        if one.name.rpartition('.')[2].startswith('test_')]}


def run(module, without):
    results = Outcomes()
    tests = unittest.defaultTestLoader.loadTestsFromName(module)
    # A custom suite class, such as gabbi's, must run unchanged.
    (unittest.TestSuite(without_excluded(tests, without)) if without else tests).run(results)
    return {'results': results.outcomes}


def without_excluded(suite, without):
    """Yields the suites of the classes without excluded tests. Suites stay separate, because of
    setUpClass.
    """
    for one in suite:
        if isinstance(one, unittest.TestSuite):
            yield unittest.TestSuite(without_excluded(one, without))
        elif not any(f'{one.id().split("[")[0]}.'.startswith(f'{name}.') for name in without):
            yield one


def pause(seconds, sleep=time.sleep):
    # Long pauses wait for background work. The emulator has done all work by the time it replies.
    sleep(seconds if seconds < 5 else 0)


def move_clock(origin):
    """Makes time.sleep advance the emulator's clock and Python's clock instead of sleeping."""
    slept, read, lock = [], time.time, threading.Lock()

    def advance(seconds):
        whole = math.ceil(seconds)
        if not whole:
            return
        with lock:
            body = json.dumps({'seconds': whole}).encode()
            headers = {'Content-Type': 'application/json'}
            url = origin + '/_emulator/clock/advance'
            urllib.request.urlopen(urllib.request.Request(url, body, headers)).close()
            slept.append(whole)

    def utcnow(with_timezone=False):
        now = datetime.datetime.fromtimestamp(time.time(), datetime.timezone.utc)
        return now if with_timezone else now.replace(tzinfo=None)

    time.sleep, time.time = advance, lambda: read() + sum(slept)
    timeutils = sys.modules.get('oslo_utils.timeutils')
    if timeutils:
        timeutils.utcnow = utcnow
    return {}


def sleep_long(sleep=time.sleep):
    time.sleep = sleep
    return {}


time.sleep = pause
replies, sys.stdout = sys.stdout, sys.stderr  # tests may print; only replies go to the real stdout
distribution, package = sys.argv[1:]
try:
    from importlib.metadata import version
    importlib.import_module(package)
except ImportError as missing:
    send({'missing': str(missing)})
    sys.exit()
send({'version': version(distribution)})
for line in sys.stdin:
    command = json.loads(line)
    if 'files' in command:
        send(configure(command['files'], command['environment']))
    elif 'clock' in command:
        send(move_clock(command['clock']) if command['clock'] else sleep_long())
    elif 'modules' in command:
        send(modules(command['modules']))
    else:
        send(run(command['run'], command['without']))
