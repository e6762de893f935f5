"""Goes before `suites/driver.py`: makes blazar-tempest-plugin one of tempest's plugins, and aims its gabbi files at the emulator.

CUMULET_TEST_BLAZAR_TEMPEST is the folder that has `blazar_tempest_plugin`; ORIGIN is the address of the emulator by the time tests are loaded.
"""
import atexit
import os
import shutil
import sys
import tempfile


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


def aim():
    """The plugin's gabbi files are for a server at 127.0.0.1 on port 80."""
    try:
        from gabbi import driver
    except ImportError:
        return  # the module with the gabbi files is absent then
    build = driver.build_tests
    driver.build_tests = lambda *args, **options: build(*args, **{**options, 'url': os.environ['ORIGIN'] + '/'})


announce(os.environ['CUMULET_TEST_BLAZAR_TEMPEST'])
import tempest.scenario.manager  # noqa: E402, F401: the plugin counts on somebody having done so

aim()
