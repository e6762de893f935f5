"""Tests the fixtures, markers and reports of the pytest plugin in test suites of their own."""

import pytest

from cumulet import CumuletError, connect


@pytest.fixture
def suite(pytester, monkeypatch):
    """Runs a test file in a pytest of its own. Returns its result."""
    monkeypatch.delenv("CUMULET_URL", raising=False)

    def run(text, *arguments):
        pytester.makepyfile(text)
        return pytester.runpytest_subprocess(*arguments)

    return run


def test_each_test_has_a_new_cloud(suite):
    result = suite(
        """
        import pytest

        @pytest.mark.parametrize("run", range(3))
        def test_host_is_new(cloud, run):
            assert "extra" not in [host["name"] for host in cloud.hosts.list()]
            cloud.hosts.add("extra")

        def test_session_keeps_the_last_state(cumulet):
            assert "extra" in [host["name"] for host in cumulet.hosts.list()]
        """
    )
    result.assert_outcomes(passed=4)


def test_regions_of_a_test_do_not_reach_the_next(suite, pytester):
    pytester.makeini("[pytest]\ncumulet_options = --regions One,Two")
    result = suite(
        """
        import pytest

        @pytest.mark.parametrize("run", range(2))
        def test_regions_are_new(cloud, run):
            assert [region["name"] for region in cloud.regions.list()] == ["One", "Two"]
            cloud.regions.delete("Two")
            cloud.regions.add("Three")
        """
    )
    result.assert_outcomes(passed=2)


def test_workers_of_xdist_do_not_see_each_other(suite, pytester):
    pytest.importorskip("xdist")
    result = suite(
        """
        import pytest

        @pytest.mark.parametrize("run", range(40))
        def test_cloud_is_private(cloud, run, worker_id):
            for part in range(3):
                cloud.hosts.add(f"{worker_id}-{run}-{part}")
            added = [host["name"] for host in cloud.hosts.list()][3:]
            assert added == [f"{worker_id}-{run}-{part}" for part in range(3)]
            with open(f"url-{worker_id}", "w") as file:
                file.write(cloud.url)
        """,
        "-n",
        "4",
    )
    result.assert_outcomes(passed=40)
    urls = [file.read_text() for file in pytester.path.glob("url-*")]
    assert len(set(urls)) == len(urls) > 1


def test_workers_of_xdist_refuse_to_reset_a_shared_emulator(suite, cumulet, monkeypatch):
    pytest.importorskip("xdist")
    monkeypatch.setenv("CUMULET_URL", cumulet.url)
    result = suite("def test_a(cloud): pass", "-n", "2")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*2 workers would reset it for each other*"])


def test_workers_of_xdist_share_an_emulator_with_projects_of_their_own(
    suite, cumulet, monkeypatch
):
    pytest.importorskip("xdist")
    monkeypatch.setenv("CUMULET_URL", cumulet.url)
    result = suite(
        """
        import json, urllib.request
        import pytest

        @pytest.mark.parametrize("number", range(80))
        def test_networks_are_private(cloud_project, cumulet, number):
            def networks(**options):
                url = f"{cumulet.url}/network/v2.0/networks"
                token = {"X-Auth-Token": cloud_project["token"]}
                request = urllib.request.Request(url, headers=token, **options)
                with urllib.request.urlopen(request) as reply:
                    return json.load(reply)

            networks(data=b'{"network": {"name": "mine"}}')
            shared = ("public", "private")
            listed = [one for one in networks()["networks"] if one["name"] not in shared]
            assert sorted(one["name"] for one in listed) == ["mine", "project-network"]
            assert {one["project_id"] for one in listed} == {cloud_project["id"]}
        """,
        "-n",
        "8",
    )
    result.assert_outcomes(passed=80)
    assert cumulet.projects.list() == []


def test_openstack_fixture_connects_to_the_project_of_the_test(suite, cumulet, monkeypatch):
    pytest.importorskip("openstack")
    pytest.importorskip("xdist")
    monkeypatch.setenv("CUMULET_URL", cumulet.url)
    result = suite(
        """
        import pytest

        @pytest.mark.parametrize("number", range(6))
        def test_network_is_private(cloud_project, openstack, number):
            openstack.network.create_network(name="mine")
            own = openstack.network.networks(name="mine")
            assert [one.project_id for one in own] == [cloud_project["id"]]
        """,
        "-n",
        "3",
    )
    result.assert_outcomes(passed=6)
    assert cumulet.projects.list() == []


def test_failure_report_of_a_project_begins_with_the_test(suite):
    pytest.importorskip("openstack")
    result = suite(
        """
        import urllib.request

        def test_one(cumulet):
            urllib.request.urlopen(f"{cumulet.url}/network/").close()

        def test_two(cloud_project, openstack):
            assert list(openstack.network.networks(name="mine")) == [1]
        """
    )
    section = result.stdout.str().split("Requests to the cloud since the test began")[1]
    assert "/network/v2.0/networks" in section and "GET /network/  " not in section


def test_running_emulator_is_used(suite, cumulet, monkeypatch):
    cumulet.requests.keep(0)
    monkeypatch.setenv("CUMULET_URL", cumulet.url)
    result = suite(
        f"""
        def test_url(cloud):
            assert cloud.url == "{cumulet.url}"
            assert cloud.requests.list() == []
        """
    )
    result.assert_outcomes(passed=1)
    assert cumulet.health() == {"status": "ok"}
    with pytest.raises(CumuletError, match="journal"):
        cumulet.requests.list()
    cumulet.requests.keep(1000)


def test_failure_report_lists_requests_and_near_misses(suite):
    result = suite(
        """
        import urllib.request

        def test_other(cloud):
            urllib.request.urlopen(f"{cloud.url}/network/").close()

        def test_fails(cloud):
            urllib.request.urlopen(f"{cloud.url}/identity/v3").close()
            cloud.requests.check({"service": "identity", "method": "POST"})
        """
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.re_match_lines(
        [
            r"E +cumulet\.errors\.RequestAssertionError: Expected at least 1 .*found none.*",
            r"-+ Requests to the cloud since the test began -+",
            r"#\d+  [\d:.]+  GET /identity/v3  200  versions:show  3\.14  [\d.]+ms",
            r"Near misses:",
            r"#\d+ GET /identity/v3 differs only in its method: GET instead of POST",
        ]
    )
    assert "/network/" not in result.stdout.str().split("Requests to the cloud")[1]


def test_failure_report_shows_the_line_of_the_test_and_not_the_client(suite):
    result = suite(
        """
        def test_fails(cloud):
            cloud.requests.check({"service": "identity"})
        """
    )
    result.stdout.fnmatch_lines([">*cloud.requests.check*"])
    result.stdout.no_fnmatch_line("*_features.py*")
    result.stdout.no_fnmatch_line("*_api.py*")


def test_failure_report_of_a_worker_of_xdist_lists_requests(suite):
    pytest.importorskip("xdist")
    result = suite(
        """
        import urllib.request

        def test_fails(cloud):
            urllib.request.urlopen(f"{cloud.url}/identity/v3").close()
            assert False
        """,
        "-n",
        "1",
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*Requests to the cloud*", "#*GET /identity/v3  200 *"])


def test_failure_report_shows_refusals_and_faults(suite):
    result = suite(
        """
        import urllib.error, urllib.request

        def test_fails(cloud):
            cloud.faults.add({"service": "identity"}, {"status": 503, "message": "Out of order."})
            urllib.request.urlopen(f"{cloud.url}/identity/v3")
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.re_match_lines(
        [r"#\d+ .* GET /identity/v3  503 .* fault \d+", r" +reply: .*Out of order\..*"]
    )


def test_failure_report_without_reset_begins_with_the_test(suite):
    result = suite(
        """
        import urllib.request

        def test_one(cumulet):
            urllib.request.urlopen(f"{cumulet.url}/network/").close()

        def test_two(cumulet):
            urllib.request.urlopen(f"{cumulet.url}/identity/v3").close()
            assert False
        """
    )
    section = result.stdout.str().split("Requests to the cloud since the test began")[1]
    assert "/identity/v3" in section and "/network/" not in section


def test_failure_report_leaves_out_requests_before_the_session(suite, cumulet, get, monkeypatch):
    get(f"{cumulet.url}/network/")
    monkeypatch.setenv("CUMULET_URL", cumulet.url)
    result = suite("def test_a(cumulet): assert False")
    section = result.stdout.str().split("Requests to the cloud since the test began")[1]
    assert "/network/" not in section


def test_failure_of_a_test_without_a_cloud_has_no_section(suite):
    result = suite("def test_a(cloud): pass\ndef test_b(): assert False")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.no_fnmatch_line("*Requests to the cloud*")


def test_passed_test_has_no_section_in_its_report(suite):
    result = suite("def test_a(cloud): print('x')", "-rA")
    result.stdout.no_fnmatch_line("*Requests to the cloud*")


def test_clock_marker_freezes_the_clock(suite):
    result = suite(
        """
        import pytest

        pytestmark = pytest.mark.cumulet_clock("2031-06-01")

        @pytest.mark.cumulet_clock("2030-01-01")
        def test_frozen(cloud):
            assert cloud.clock.read()["now"] == "2030-01-01T00:00:00.000000Z"

        @pytest.mark.cumulet_clock("2030-01-01T12:00:00Z", frozen=False)
        def test_running(cloud):
            assert not cloud.clock.read()["frozen"]
            assert cloud.clock.read()["now"].startswith("2030-01-01T12:")

        def test_marker_of_the_module(cloud):
            assert cloud.clock.read()["now"].startswith("2031-06-01")
        """,
        "--strict-markers",
    )
    result.assert_outcomes(passed=3)


def test_clock_of_one_test_does_not_reach_the_next(suite):
    result = suite(
        """
        import pytest

        @pytest.mark.cumulet_clock("2030-01-01")
        def test_marked(cloud): pass

        def test_plain(cloud):
            assert not cloud.clock.read()["frozen"]
        """
    )
    result.assert_outcomes(passed=2)


def test_seed_marker_fills_the_cloud(suite, cloud, pytester):
    cloud.hosts.add("seeded")
    cloud.export_to(pytester.path / "world.ndjson")
    result = suite(
        """
        import pytest

        def names(cloud):
            return [host["name"] for host in cloud.hosts.list()]

        @pytest.mark.cumulet_seed("world.ndjson")
        @pytest.mark.parametrize("run", range(3))
        def test_seeded(cloud, run):
            assert "seeded" in names(cloud) and "extra" not in names(cloud)
            assert cloud.requests.list() == []
            cloud.hosts.add("extra")

        def test_plain(cloud):
            assert "seeded" not in names(cloud)

        @pytest.mark.cumulet_seed("world.ndjson")
        @pytest.mark.cumulet_clock("2030-01-01")
        def test_seeded_with_clock(cloud):
            assert "seeded" in names(cloud)
            assert cloud.clock.read()["now"].startswith("2030-01-01")
        """,
        "--strict-markers",
    )
    result.assert_outcomes(passed=5)


def test_missing_seed_file_is_reported(suite):
    result = suite(
        """
        import pytest

        @pytest.mark.cumulet_seed("missing.ndjson")
        def test_a(cloud): pass
        """
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["There is no seed file missing.ndjson in *"])


def test_options_of_the_configuration_file_are_passed_on(suite, pytester):
    pytester.makeini("[pytest]\ncumulet_options = --regions North,South --hosts 1")
    result = suite(
        """
        def test_a(cloud):
            assert [region["name"] for region in cloud.regions.list()] == ["North", "South"]
            assert len(cloud.hosts.list()) == 1
        """
    )
    result.assert_outcomes(passed=1)


def test_missing_server_is_reported_in_a_sentence(suite, pytester):
    pytester.makeini("[pytest]\ncumulet_command = false")
    result = suite("def test_a(cloud): pass\ndef test_b(): pass")
    result.assert_outcomes(errors=1, passed=1)
    result.stdout.re_match_lines(["'false start .*' ended with exit code 1."])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_openstack_fixture_is_a_connection(suite):
    pytest.importorskip("openstack")
    result = suite(
        """
        def test_server(cloud, openstack):
            network = openstack.network.create_network(name="mine")
            assert [one.name for one in openstack.network.networks(name="mine")] == ["mine"]
            cloud.requests.check({"operation": "networks:create"}, times=1)

        def test_is_new(openstack):
            assert list(openstack.network.networks(name="mine")) == []
        """
    )
    result.assert_outcomes(passed=2)


def test_openstack_is_imported_only_for_its_fixture(suite):
    result = suite(
        """
        import sys

        def test_a(cloud):
            assert "openstack" not in sys.modules
        """
    )
    result.assert_outcomes(passed=1)


def test_missing_openstacksdk_is_reported(suite, pytester):
    pytester.mkpydir("openstack")
    result = suite("def test_a(openstack): pass")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*needs openstacksdk: pip install openstacksdk*"])


def test_emulator_ends_with_the_session(suite, pytester):
    result = suite(
        """
        def test_a(cloud):
            open("url", "w").write(cloud.url)
        """
    )
    result.assert_outcomes(passed=1)
    with pytest.raises(CumuletError, match="No emulator answers"):
        connect((pytester.path / "url").read_text())
