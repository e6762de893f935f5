"""Runs before `suites/driver.py`: registers blazar-tempest-plugin with tempest, and points its
gabbi files at the emulator.

CUMULET_TEST_BLAZAR_TEMPEST is the folder that contains `blazar_tempest_plugin`. ORIGIN is the
address of the emulator, set before tests are loaded.
"""
import atexit
import os
import shutil
import sys
import tempfile


def announce(folder):
    """Writes package metadata with an entry point, by which tempest finds its plugins."""
    announced = tempfile.mkdtemp(prefix='cumulet-plugin-')
    atexit.register(shutil.rmtree, announced, ignore_errors=True)
    package = os.path.join(announced, 'blazar_tempest_plugin-0.dist-info')
    os.makedirs(package)
    for name, text in (
        ('METADATA', 'Metadata-Version: 2.1\nName: blazar-tempest-plugin\nVersion: 0\n'),
        ('entry_points.txt',
         '[tempest.test_plugins]\n'
         'blazar-tempest-tests = blazar_tempest_plugin.plugin:BlazarTempestPlugin\n'),
    ):
        with open(os.path.join(package, name), 'w') as file:
            file.write(text)
    sys.path[:0] = [folder, announced]


def aim():
    """Replaces the address of the plugin's gabbi files, which is 127.0.0.1 on port 80."""
    try:
        from gabbi import driver
    except ImportError:
        return  # then the module with the gabbi files is absent as well
    build = driver.build_tests
    driver.build_tests = lambda *args, **options: build(*args,
                                                        **{**options,
                                                           'url': os.environ['ORIGIN'] + '/'})


announce(os.environ['CUMULET_TEST_BLAZAR_TEMPEST'])
import tempest.scenario.manager  # noqa: E402, F401: the plugin requires this import

aim()
