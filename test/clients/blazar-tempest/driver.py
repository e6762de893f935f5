"""Runs tempest's test modules for the tests beside it: told what to do in JSON lines on stdin, it answers in JSON lines on stdout.

It says first which version of tempest it has. Then it is told the configuration, `{"config": {section: {option: value}}}`, and one
`{"module": name}` after the other, each of which it answers with the results of its tests.
"""
import atexit
import configparser
import importlib
import json
import os
import re
import shutil
import sys
import tempfile
import unittest
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


def configure(sections):
    folder = tempfile.mkdtemp(prefix='cumulet-tempest-')
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_dict({name: {key: str(value) for key, value in options.items()} for name, options in sections.items()})
    parser['DEFAULT']['log_file'] = os.path.join(folder, 'tempest.log')
    parser['oslo_concurrency'] = {'lock_path': os.path.join(folder, 'lock')}
    with open(os.path.join(folder, 'tempest.conf'), 'w') as file:
        parser.write(file)
    os.environ.update(TEMPEST_CONFIG_DIR=folder, TEMPEST_CONFIG='tempest.conf')


def run(module):
    try:
        importlib.import_module(module)
    except ModuleNotFoundError as error:
        # Modules come, go and move from one release to the next.
        return {'absent': str(error)}
    results = Results()
    unittest.defaultTestLoader.loadTestsFromName(module).run(results)
    return {'results': results.kept}


said, sys.stdout = sys.stdout, sys.stderr  # what the tests print is not an answer
try:
    from importlib.metadata import version
    import tempest  # noqa: F401: whether it is there
except ImportError as missing:
    say({'missing': str(missing)})
    sys.exit()
say({'version': version('tempest')})
for line in sys.stdin:
    told = json.loads(line)
    if 'config' in told:
        configure(told['config'])
        say({})
    else:
        say(run(told['module']))
