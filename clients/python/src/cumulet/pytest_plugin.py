"""The pytest plugin: fixtures for a cloud, markers for its state, and its requests in reports."""

import importlib
import os
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Collection, Dict, Generator, Iterator, List, Optional, Tuple
from urllib.parse import urlsplit

import pytest

from ._report import describe_near_misses, describe_requests
from .cloud import Cloud
from .errors import CumuletError, RequestAssertionError
from .server import URL_VARIABLE, connect, start
from .types import NewProject

_JOURNAL_LENGTH = 1000
_REPORTED_REQUESTS = 100
_SECTION = "Requests to the cloud since the test began"


@dataclass
class Session:
    """The emulator of a session, with what the fixture ``cloud`` must know of it."""

    cloud: Cloud
    regions: List[str]
    since: int
    """The number of the newest request before the session."""
    seeds: Dict[Tuple[Path, int], str] = field(default_factory=dict)
    """The snapshots of the seed files that tests have used, by file and time of change."""


_session_key = pytest.StashKey[Session]()
_since_key = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the settings of the plugin."""
    parser.addini(
        "cumulet_options", "options of the emulator that tests start, such as --hosts 10", "args"
    )
    parser.addini(
        "cumulet_command", "the command that starts it, instead of cumulet or npx", "args"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Describes the markers."""
    config.addinivalue_line(
        "markers", "cumulet_seed(file): start the test with the cloud in a file of cumulet export"
    )
    config.addinivalue_line(
        "markers", "cumulet_clock(time, frozen=True): start the test with the clock at this time"
    )


@pytest.fixture(scope="session")
def cumulet(pytestconfig: pytest.Config) -> Iterator[Cloud]:
    """The emulator of this session: that of CUMULET_URL, or one that is started.

    Each worker of pytest-xdist starts its own. Tests do not reset it: use ``cloud`` for that.
    """
    try:
        cloud = connect() if os.environ.get(URL_VARIABLE) else _start(pytestconfig)
    except CumuletError as error:
        pytest.fail(str(error), pytrace=False)
    switched_on = _switch_journal_on(cloud)
    regions = [region["name"] for region in cloud.regions.list()]
    session = Session(cloud, regions, _newest_request(cloud))
    pytestconfig.stash[_session_key] = session
    yield cloud
    try:
        for name in session.seeds.values():
            cloud.snapshots.delete(name)
        if switched_on:
            cloud.requests.keep(0)
    except CumuletError:
        pass  # The emulator has ended, or a test has removed the snapshot.
    finally:
        del pytestconfig.stash[_session_key]
        cloud.stop()


@pytest.fixture
def cloud(request: pytest.FixtureRequest, cumulet: Cloud) -> Cloud:
    """A new cloud: the emulator of this worker, reset before the test.

    The marker ``cumulet_seed`` fills it from a file, and ``cumulet_clock`` sets its clock.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers > 1 and os.environ.get(URL_VARIABLE):
        pytest.fail(
            f"{URL_VARIABLE} names one emulator, and {workers} workers would reset it for each "
            f"other. Unset {URL_VARIABLE}, so that each worker starts its own, or run pytest "
            "without -n.",
            pytrace=False,
        )
    session = request.config.stash[_session_key]
    seed = _seed_file(request.node)
    if seed:
        _plant(cumulet, seed, session.seeds)
    else:
        cumulet.reset()
        _restore_regions(cumulet, session.regions)
    marker = request.node.get_closest_marker("cumulet_clock")
    if marker:
        _set_clock(cumulet, *marker.args, **marker.kwargs)
    return cumulet


@pytest.fixture
def openstack(
    request: pytest.FixtureRequest,
    cumulet: Cloud,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Any]:
    """A connection of openstacksdk.

    If the test uses ``cloud_project``, it is a connection to that project, as its user. Otherwise
    it is one to ``cloud``, as the administrator.
    """
    try:
        config = importlib.import_module("openstack.config")
        connection = importlib.import_module("openstack.connection")
    except ImportError:
        pytest.fail("The fixture openstack needs openstacksdk: pip install openstacksdk", False)
    file = tmp_path / "clouds.yaml"
    file.write_text(_clouds_yaml_for(request))
    _bypass_proxy(cumulet.url, monkeypatch)
    clouds = config.OpenStackConfig(config_files=[str(file)], secure_files=[], load_envvars=False)
    sdk = connection.Connection(config=clouds.get_one("cumulet"))
    yield sdk
    sdk.close()


@pytest.fixture
def cloud_project(cumulet: Cloud) -> Iterator[NewProject]:
    """A throw-away project in the emulator, with the credentials of its user.

    Use it where workers share one emulator: the project and all that is in it is deleted after the
    test, and no other test sees it.
    """
    project = cumulet.projects.create()
    yield project
    cumulet.projects.delete(project["id"])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Notes the newest request, if the test uses the cloud without a reset."""
    session = item.config.stash.get(_session_key, None)
    names = getattr(item, "fixturenames", ())
    if session and "cumulet" in names and not _is_reset(names):
        try:
            item.stash[_since_key] = _newest_request(session.cloud)
        except CumuletError:
            pass  # The test itself will meet the problem.


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: "pytest.CallInfo[None]"
) -> Generator[None, Any, None]:
    """Adds the test's requests to the report of a failure."""
    outcome = yield
    report: pytest.TestReport = outcome.get_result()
    session = item.config.stash.get(_session_key, None)
    if report.failed and session and "cumulet" in getattr(item, "fixturenames", ()):
        error = call.excinfo.value if call.excinfo else None
        text = _requests_of(session.cloud, item.stash.get(_since_key, session.since), error)
        report.sections.append((_SECTION, text))


def _clouds_yaml_for(request: pytest.FixtureRequest) -> str:
    """The clouds.yaml for the connection of a test. Resets the cloud unless it uses a project."""
    if "cloud_project" in request.fixturenames:
        project: NewProject = request.getfixturevalue("cloud_project")
        return project["clouds_yaml"]
    cloud: Cloud = request.getfixturevalue("cloud")
    return cloud.clouds_yaml


def _is_reset(names: Collection[str]) -> bool:
    """Whether a test with these fixtures begins with a reset."""
    return "cloud" in names or ("openstack" in names and "cloud_project" not in names)


def _start(config: pytest.Config) -> Cloud:
    return start(
        journal=_JOURNAL_LENGTH,
        options=config.getini("cumulet_options"),
        command=config.getini("cumulet_command"),
    )


def _switch_journal_on(cloud: Cloud) -> bool:
    """Switches the journal on if it is off. Returns whether that was necessary."""
    try:
        cloud.requests.list(limit=1)
    except CumuletError as error:
        if error.status != 409:
            raise
        cloud.requests.keep(_JOURNAL_LENGTH)
        return True
    return False


def _seed_file(node: pytest.Item) -> Optional[Path]:
    """The file of the marker, which is relative to the test file or to the root folder."""
    marker = node.get_closest_marker("cumulet_seed")
    if not marker:
        return None
    (name,) = marker.args
    folders = [node.path.parent, node.config.rootpath]
    for folder in folders:
        file: Path = folder / name
        if file.is_file():
            return file.resolve()
    pytest.fail(
        f"There is no seed file {name} in {' or '.join(str(folder) for folder in folders)}.",
        pytrace=False,
    )


def _restore_regions(cloud: Cloud, initial: List[str]) -> None:
    """Drops and adds regions: a reset leaves those of the last test, or of its seed."""
    current = [region["name"] for region in cloud.regions.list()]
    for name in current:
        if name not in initial:
            cloud.regions.delete(name)
    for name in initial:
        if name not in current:
            cloud.regions.add(name)


def _plant(cloud: Cloud, file: Path, planted: Dict[Tuple[Path, int], str]) -> None:
    """Fills the cloud from a file. A restored snapshot is faster than a second import."""
    key = (file, file.stat().st_mtime_ns)
    if key in planted:
        cloud.restore(planted[key])
    else:
        cloud.import_from(file)
        name = f"pytest-{uuid.uuid4().hex}"
        cloud.snapshot(name)
        planted[key] = name
    cloud.requests.clear()


def _set_clock(cloud: Cloud, time: Any, frozen: bool = True) -> None:
    cloud.clock.set(time, frozen=frozen)


def _bypass_proxy(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps a proxy away from an emulator on this machine."""
    host = urlsplit(url).hostname
    if host in ("127.0.0.1", "localhost", "::1"):
        for name in ("no_proxy", "NO_PROXY"):
            hosts = [one for one in os.environ.get(name, "").split(",") if one and one != host]
            monkeypatch.setenv(name, ",".join([*hosts, host]))


def _newest_request(cloud: Cloud) -> int:
    newest = cloud.requests.list(limit=1, inside="any")
    return newest[-1]["id"] if newest else 0


def _requests_of(cloud: Cloud, since: int, error: Optional[BaseException]) -> str:
    """The requests since the entry of this number, and the near misses of a failed assertion."""
    try:
        entries = cloud.requests.list(since=since, limit=_REPORTED_REQUESTS)
    except CumuletError as problem:
        return f"The journal cannot be read: {problem}"
    lines: List[str] = describe_requests(entries) or ["none"]
    if len(entries) == _REPORTED_REQUESTS:
        lines.insert(0, f"The newest {_REPORTED_REQUESTS}:")
    if isinstance(error, RequestAssertionError) and error.near_misses:
        lines += ["Near misses:", *describe_near_misses(error.near_misses)]
    return "\n".join(lines)
