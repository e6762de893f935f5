"""Goes before `driver.py`: makes blazar-tempest-plugin one of tempest's plugins, and lets the time that its tests sleep through pass at once.

BLAZAR_TEMPEST_PLUGIN is the folder that has `blazar_tempest_plugin`, ORIGIN the address of the emulator. With ACCELERATED, whoever
sleeps moves the emulator's clock, and Python's, on by as much instead.
"""
import atexit
import datetime
import json
import math
import os
import shutil
import sys
import tempfile
import threading
import time
import urllib.request


def announce(folder):
    """Tempest knows plugins by the entry points of installed packages: here is one."""
    announced = tempfile.mkdtemp(prefix='cumulet-plugin-')
    atexit.register(shutil.rmtree, announced, ignore_errors=True)
    package = os.path.join(announced, 'blazar_tempest_plugin-0.dist-info')
    os.makedirs(package)
    for name, text in (
        ('METADATA', 'Metadata-Version: 2.1\nName: blazar-tempest-plugin\nVersion: 0\n'),
        ('entry_points.txt', '[tempest.test_plugins]\nblazar-tempest-tests = blazar_tempest_plugin.plugin:BlazarTempestPlugin\n'),
    ):
        with open(os.path.join(package, name), 'w') as file:
            file.write(text)
    sys.path[:0] = [folder, announced]


class Ahead:
    """How far the clocks are ahead of the machine's."""

    def __init__(self, origin):
        self.origin, self.seconds, self.lock = origin, 0, threading.Lock()
        self.time = time.time
        time.sleep, time.time = self.sleep, lambda: self.time() + self.seconds
        from oslo_utils import timeutils

        timeutils.utcnow = self.utcnow

    def sleep(self, seconds):
        whole = math.ceil(seconds)
        if not whole:
            return
        with self.lock:
            body = json.dumps({'seconds': whole}).encode()
            headers = {'Content-Type': 'application/json'}
            urllib.request.urlopen(urllib.request.Request(self.origin + '/_emulator/clock/advance', body, headers)).close()
            self.seconds += whole

    def utcnow(self, with_timezone=False):
        now = datetime.datetime.fromtimestamp(time.time(), datetime.timezone.utc)
        return now if with_timezone else now.replace(tzinfo=None)


def aim(origin):
    """The plugin's gabbi files are for a server at 127.0.0.1 on port 80."""
    try:
        from gabbi import driver
    except ImportError:
        return  # the module with the gabbi files is absent then
    build = driver.build_tests
    driver.build_tests = lambda *args, **options: build(*args, **{**options, 'url': origin + '/'})


announce(os.environ['BLAZAR_TEMPEST_PLUGIN'])
import tempest.scenario.manager  # noqa: E402, F401: the plugin counts on somebody having done so

aim(os.environ['ORIGIN'])
if os.environ.get('ACCELERATED'):
    Ahead(os.environ['ORIGIN'])
