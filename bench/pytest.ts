// Measures what 1,000 pytest tests spend on their cloud, with the pytest plugin of clients/python
// (npm run bench:pytest): with a reset before each, where each worker has an emulator, and with a
// throw-away project for each, where all workers share one. Tests fail if they see each other.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeCommand } from '../test/support/program.ts';
import { installPythonClient } from '../test/support/python-client.ts';

const { values } = parseArgs({
  options: {
    tests: { type: 'string', default: '1000' },
    workers: { type: 'string', default: '1,4' },
    'project-workers': { type: 'string', default: '1,8' },
    python: { type: 'string', default: '/usr/bin/python3' },
  },
});

/** Adds up the seconds of a block, and writes them when the session ends. */
const stopwatch = `
import contextlib, json, os, time, urllib.request
import pytest

seconds = 0

@contextlib.contextmanager
def timed():
    global seconds
    began = time.perf_counter()
    yield
    seconds += time.perf_counter() - began

@pytest.fixture(autouse=True, scope="session")
def report():
    yield
    with open(f"seconds-{os.environ.get('PYTEST_XDIST_WORKER', 'all')}", "w") as file:
        file.write(str(seconds))
`;

/**
 * Each test adds a host, as the smallest change that a reset must undo. `cloud` is timed without
 * the start of the emulator, which `cumulet` has started before.
 */
const resets = `${stopwatch}
@pytest.fixture
def new_cloud(cumulet, request):
    with timed():
        return request.getfixturevalue("cloud")

@pytest.mark.parametrize("run", range(${values.tests}))
def test_host_is_new(new_cloud, run):
    assert "extra" not in [host["name"] for host in new_cloud.hosts.list()]
    new_cloud.hosts.add("extra")
`;

/** Each test creates a network, and lists the networks: only one of that name is its own. */
const projects = `${stopwatch}
@pytest.fixture
def project(cumulet):
    with timed():
        project = cumulet.projects.create()
    yield project
    with timed():
        cumulet.projects.delete(project["id"])

@pytest.mark.parametrize("run", range(${values.tests}))
def test_network_is_private(cumulet, project, run):
    def networks(**options):
        url = f"{cumulet.url}/network/v2.0/networks"
        headers = {"X-Auth-Token": project["token"], "Content-Type": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers, **options)) as reply:
            return json.load(reply)

    networks(data=b'{"network": {"name": "mine"}}')
    listed = networks()["networks"]
    assert [one["project_id"] for one in listed if one["name"] == "mine"] == [project["id"]]
    assert sorted(one["name"] for one in listed if not one["shared"] and not one["router:external"]) == [
        "mine", "project-network"
    ]
`;

const folder = mkdtempSync(join(tmpdir(), 'cumulet-bench-'));

/** @returns the duration of the run, and the sum of what all workers have timed, in seconds */
function run(name: string, workers: number, command: readonly string[]): [number, number] {
  const cwd = join(folder, `${name}-${workers}`);
  mkdirSync(cwd);
  writeFileSync(join(cwd, `test_${name}.py`), name === 'resets' ? resets : projects);
  const began = performance.now();
  const count = workers > 1 ? String(workers) : '0';
  const pytest = [values.python, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', '-n', count];
  const [program, ...args] = [...command, ...pytest];
  const { status, stdout } = spawnSync(program!, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${folder}:${process.env['PATH']}`, PYTHONPATH: packages },
  });
  if (status !== 0) throw new Error(stdout);
  const seconds = readdirSync(cwd)
    .filter((file) => file.startsWith('seconds-'))
    .map((file) => Number(readFileSync(join(cwd, file))));
  return [(performance.now() - began) / 1000, seconds.reduce((sum, one) => sum + one, 0)];
}

function measure(name: string, counts: string, command: readonly string[]): void {
  for (const workers of counts.split(',').map(Number)) {
    const [whole, cloud] = run(name, workers, command);
    const each = (cloud / Number(values.tests)) * 1000;
    const cells = [name, workers, whole.toFixed(1), cloud.toFixed(1), each.toFixed(1)];
    console.log(`| ${cells.join(' | ')} |`);
  }
}

const packages = installPythonClient(folder);
try {
  writeCommand(folder);
  console.log(`Node ${process.version}, ${cpus().length} cores, ${values.tests} tests\n`);
  console.log(
    '| before each test | workers | whole run, s | of all workers on the cloud, s | each, ms |',
  );
  console.log('|---|---|---|---|---|');
  measure('resets', values.workers, []);
  measure('projects', values['project-workers'], [join(folder, 'cumulet'), 'exec', '--']);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
