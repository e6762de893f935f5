"""Tests the methods of a cloud against a running emulator."""

from datetime import datetime, timedelta, timezone

import pytest

from cumulet import CumuletError, RequestAssertionError, connect


def host_names(cloud, **options):
    return [host["name"] for host in cloud.hosts.list(**options)]


def test_env_signs_in_as_admin(cloud):
    assert cloud.env["OS_AUTH_URL"] == f"{cloud.url}/identity/v3"
    assert cloud.env["OS_USERNAME"] == "admin"
    assert cloud.env["OS_PASSWORD"] == "secret"


def test_clouds_yaml_has_the_demo_user(cloud):
    assert "cumulet-demo:" in cloud.clouds_yaml


def test_reset_returns_to_the_initial_state(cloud):
    before = host_names(cloud)
    cloud.hosts.add("extra", vcpus=2, memory_mb=2048, disk_gb=20, ratios={"vcpus": 1.5}, zone="az9")
    assert host_names(cloud) == [*before, "extra"]
    cloud.reset()
    assert host_names(cloud) == before
    cloud.reset(preset="three-zones")
    assert len(host_names(cloud)) == 9


def test_reset_of_a_service_leaves_the_clock(cloud):
    cloud.clock.freeze("2030-01-01")
    cloud.reset(service="compute")
    assert cloud.clock.read()["now"].startswith("2030-01-01T00:00:00")
    cloud.reset(region="RegionOne")
    assert cloud.clock.read()["frozen"]


def test_restore_returns_to_a_snapshot(cloud):
    cloud.hosts.add("kept")
    assert cloud.snapshot("with-host")["name"] == "with-host"
    cloud.hosts.delete("kept")
    cloud.restore("with-host")
    assert "kept" in host_names(cloud)
    assert [one["name"] for one in cloud.snapshots.list()] == ["with-host"]
    assert cloud.snapshots.show("with-host")["regions"] == ["RegionOne"]
    cloud.snapshots.delete("with-host")
    assert cloud.snapshots.list() == []


def test_export_is_imported_again(cloud, tmp_path):
    file = tmp_path / "cloud.ndjson"
    cloud.hosts.add("kept")
    cloud.export_to(file)
    assert file.stat().st_mode & 0o777 == 0o600
    cloud.reset()
    cloud.import_from(file, allow_inconsistent=False)
    assert "kept" in host_names(cloud)


def test_import_reports_the_line_that_is_wrong(cloud, tmp_path):
    file = tmp_path / "broken.ndjson"
    file.write_text("nonsense\n")
    with pytest.raises(CumuletError) as caught:
        cloud.import_from(file)
    assert caught.value.status == 400


def test_clock_is_frozen_set_and_advanced(cloud):
    assert cloud.clock.freeze("2030-01-01")["frozen"]
    moved = cloud.clock.advance(days=1, hours=2)
    assert moved["now"].startswith("2030-01-02T02:00:00")
    moved = cloud.clock.advance(timedelta(minutes=5))
    assert moved["now"].startswith("2030-01-02T02:05:00")
    moved = cloud.clock.advance(to=datetime(2030, 2, 1, tzinfo=timezone.utc))
    assert moved["now"].startswith("2030-02-01T00:00:00")
    moved = cloud.clock.set(datetime(2029, 1, 1, 12))
    assert moved["now"].startswith("2029-01-01T12:00:00") and moved["frozen"]
    assert not cloud.clock.unfreeze()["frozen"]


def test_clock_refuses_to_advance_backwards(cloud):
    cloud.clock.freeze("2030-01-01")
    with pytest.raises(CumuletError, match="cannot move it back") as caught:
        cloud.clock.advance(to="2029-01-01")
    assert caught.value.status == 400


def test_fault_rule_hits_as_many_requests_as_it_says(cloud, get):
    url = f"{cloud.url}/identity/v3"
    rule = cloud.faults.add({"service": "identity"}, {"status": 503}, count=1, skip=1)
    assert [get(url)[0] for _ in range(3)] == [200, 503, 200]
    assert cloud.faults.show(rule["id"])["hit"] == 1
    assert [one["spent"] for one in cloud.faults.list()] == [True]
    cloud.faults.delete(rule["id"])
    assert cloud.faults.list() == []


def test_clear_removes_all_fault_rules(cloud):
    cloud.faults.add({"operation": "servers:list"}, {"drop": True, "when": "after"})
    cloud.faults.add(effect={"delay_ms": 5}, probability=0.5, seed="s")
    cloud.faults.clear()
    assert cloud.faults.list() == []


def test_journal_lists_and_filters_requests(cloud, get):
    get(f"{cloud.url}/identity/v3")
    get(f"{cloud.url}/compute/v2.1/servers")
    assert [entry["status"] for entry in cloud.requests.list()] == [200, 401]
    (refused,) = cloud.requests.list(service="compute", status="4xx", inside=False)
    assert cloud.requests.show(refused["id"])["path"] == "/v2.1/servers"
    assert cloud.requests.show(refused["request_id"]) == cloud.requests.show(refused["id"])
    assert [one["service"] for one in cloud.requests.versions(service="compute")] == ["compute"]
    cloud.requests.clear()
    assert cloud.requests.list() == []


def test_check_returns_the_requests_that_match(cloud, get):
    get(f"{cloud.url}/identity/v3")
    assert cloud.requests.check({"service": "identity"}, times=1)["matched"] == 1
    cloud.requests.check(sequence=[{"service": "identity"}])
    cloud.requests.check({"service": "compute"}, never=True)


def test_check_raises_an_assertion_error_with_near_misses(cloud, get):
    get(f"{cloud.url}/identity/v3")
    with pytest.raises(AssertionError, match="found none") as caught:
        cloud.requests.check({"service": "identity", "status": 404})
    assert isinstance(caught.value, RequestAssertionError)
    (miss,) = caught.value.near_misses
    assert (miss["condition"], miss["actual"]) == ("status", "200")


def test_check_of_a_journal_that_is_off_is_an_error(cloud):
    assert cloud.requests.keep(0) == 0
    try:
        with pytest.raises(CumuletError) as caught:
            cloud.requests.check({})
        assert caught.value.status == 409
    finally:
        cloud.requests.keep(1000)


def test_regions_are_added_forked_and_removed(cloud):
    cloud.hosts.add("kept")
    cloud.regions.add("Fork", from_="RegionOne")
    assert "kept" in host_names(cloud, region="Fork")
    assert [one["name"] for one in cloud.regions.list()] == ["RegionOne", "Fork"]
    assert cloud.regions.show("Fork")["path"] == "/Fork"
    cloud.hosts.delete("kept", region="Fork")
    cloud.regions.delete("Fork")
    with pytest.raises(CumuletError) as caught:
        cloud.regions.show("Fork")
    assert caught.value.status == 404


def test_unknown_job_is_refused(cloud):
    assert cloud.jobs.list(region="RegionOne", service="compute", state="pending", limit=10) == []
    for change in (cloud.jobs.retry, cloud.jobs.delete):
        with pytest.raises(CumuletError) as caught:
            change("0")
        assert caught.value.status == 404


def test_settings_are_changed_and_shown(cloud):
    assert cloud.settings.update("identity", password_regex="^x")["password_regex"] == "^x"
    assert cloud.settings.update("identity", password_regex=None)["password_regex"] is None
    assert cloud.settings.update("compute", region="RegionOne", max_limit=10)["max_limit"] == 10
    assert cloud.settings.show("compute", region="RegionOne")["max_limit"] == 10


def test_notifications_are_kept_and_cleared(cloud):
    assert cloud.notifications.keep(10) == 10
    assert cloud.notifications.list(service="compute", limit=5) == []
    cloud.notifications.clear()
    cloud.notifications.keep(0)


def test_emulator_describes_itself(cloud):
    assert cloud.info()["regions"] == ["RegionOne"]
    assert cloud.health() == {"status": "ok"}
    assert cloud.ready()["ready"]
    assert "cumulet" in cloud.metrics()
    assert cloud.outbox(region="RegionOne") == []
    assert "/traits" in cloud.openapi("placement", microversion="1.10")["paths"]
    assert all(count == 0 for count in cloud.purge(older_than_seconds=1).values())


def test_unknown_service_is_refused_with_the_message_of_the_emulator(cloud):
    with pytest.raises(CumuletError, match="'nova'") as caught:
        cloud.reset(service="nova")
    assert caught.value.status == 400


def test_names_in_paths_are_escaped(cloud):
    with pytest.raises(CumuletError) as caught:
        cloud.regions.show("../info?x")
    assert caught.value.status == 404


def test_connect_reports_an_address_without_an_emulator():
    with pytest.raises(CumuletError, match="No emulator answers at http://127.0.0.1:9") as caught:
        connect("http://127.0.0.1:9")
    assert caught.value.status is None


def test_deleted_project_leaves_nothing(cloud):
    project = cloud.projects.create(
        name="mine", roles=["reader"], password="chosen", quotas={"compute": {"cores": 1}}
    )
    assert project["env"]["OS_PASSWORD"] == "chosen"
    assert [one["id"] for one in cloud.projects.list()] == [project["id"]]
    assert cloud.projects.delete(project["id"])["networks"] == 1
    assert cloud.projects.list() == []
    assert cloud.projects.create(network=False)["networks"] == []
