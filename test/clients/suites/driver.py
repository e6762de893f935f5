"""Runs test modules of an installed Python package for the tests beside it: told what to do in JSON lines on stdin, it answers in JSON lines on stdout.

Its arguments are the names of the distribution and of the package in it that has the tests. It says first which version it has, or what
is missing. Then it is told, in lines of these kinds:

    {"files": {name: text}, "environment": {name: value}}   files of a folder, which ${folder} in a value stands for
    {"clock": url}                                          the emulator whose clock moves where a test sleeps; null: tests sleep as long as they say
    {"modules": name}                                       the test modules in a package; a module is one itself
    {"run": name, "without": [names]}                       the tests of a module, but those with one of these names
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


def say(answer):
    print(json.dumps(answer), file=said, flush=True)


class Results(unittest.TestResult):
    """Keeps how each test went. What hangs on a class, not a test, has the name of the class."""

    def __init__(self):
        super().__init__()
        self.kept = []

    def keep(self, test, outcome, message=''):
        name = test.id().split('[')[0]
        of_class = re.match(r'(?:setUpClass|tearDownClass) \((.*)\)$', name)
        self.kept.append({'test': of_class.group(1) if of_class else name, 'outcome': outcome, 'message': message})

    def addSuccess(self, test, details=None):
        self.keep(test, 'passed')

    def addSkip(self, test, reason=None, details=None):
        self.keep(test, 'skipped', reason or text_of(details, 'reason'))

    def addFailure(self, test, err=None, details=None):
        self.keep(test, 'failed', self._exc_info_to_string(err, test) if err else text_of(details, 'traceback'))

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
    os.environ.update({name: value.replace('${folder}', folder) for name, value in environment.items()})
    return {}


def modules(name):
    try:
        package = importlib.import_module(name)
    except ModuleNotFoundError as error:
        # Modules come, go and move from one release to the next.
        return {'absent': str(error)}
    if not hasattr(package, '__path__'):
        return {'modules': [name]}
    found = pkgutil.walk_packages(package.__path__, f'{name}.')
    return {'modules': [one.name for one in found if one.name.rpartition('.')[2].startswith('test_')]}


def run(module, without):
    results = Results()
    tests = unittest.defaultTestLoader.loadTestsFromName(module)
    # A suite that is a class of its own, such as gabbi's, is run as it is.
    (unittest.TestSuite(chosen(tests, without)) if without else tests).run(results)
    return {'results': results.kept}


def chosen(suite, without):
    """The suites of the classes, without what is not to be run: a suite keeps its tests together, for setUpClass."""
    for one in suite:
        if isinstance(one, unittest.TestSuite):
            yield unittest.TestSuite(chosen(one, without))
        elif not any(f'{one.id().split("[")[0]}.'.startswith(f'{name}.') for name in without):
            yield one


def pause(seconds, sleep=time.sleep):
    # Long pauses are for what happens beside the requests. In the emulator everything has happened when a request is answered.
    sleep(seconds if seconds < 5 else 0)


def move_clock(origin):
    """Lets the emulator's clock go on by as much as a test wants to sleep, and the test's clock with it."""
    slept, read, lock = [], time.time, threading.Lock()

    def advance(seconds):
        whole = math.ceil(seconds)
        if not whole:
            return
        with lock:
            body = json.dumps({'seconds': whole}).encode()
            headers = {'Content-Type': 'application/json'}
            urllib.request.urlopen(urllib.request.Request(origin + '/_emulator/clock/advance', body, headers)).close()
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
said, sys.stdout = sys.stdout, sys.stderr  # what the tests print is not an answer
distribution, package = sys.argv[1:]
try:
    from importlib.metadata import version
    importlib.import_module(package)
except ImportError as missing:
    say({'missing': str(missing)})
    sys.exit()
say({'version': version(distribution)})
for line in sys.stdin:
    told = json.loads(line)
    if 'files' in told:
        say(configure(told['files'], told['environment']))
    elif 'clock' in told:
        say(move_clock(told['clock']) if told['clock'] else sleep_long())
    elif 'modules' in told:
        say(modules(told['modules']))
    else:
        say(run(told['run'], told['without']))
