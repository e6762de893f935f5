"""Tests how an emulator is found, started and stopped."""

import os
import stat
import subprocess
import sys

import pytest

import cumulet


def script(folder, name, text):
    file = folder / name
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)


def test_start_gives_a_cloud_of_its_own(get):
    with cumulet.start(hosts=1, regions=["One", "Two"], clock="2030-01-01") as first:
        with cumulet.start() as second:
            assert first.url != second.url
            assert [region["name"] for region in first.regions.list()] == ["One", "Two"]
            assert [region["name"] for region in second.regions.list()] == ["RegionOne"]
        assert len(first.hosts.list()) == 1
        first.clock.advance(days=1)
        first.reset()
        assert first.clock.read()["now"].startswith("2030-01-01T00:00:00")
        get(f"{first.url}/identity/v3")
        first.requests.check({"service": "identity"}, times=1)


def test_pod_is_drained():
    with cumulet.start(profile="six-pods") as cloud:
        plan = cloud.pods.drain("Pod1", dry_run=True)
        assert (plan["id"], plan["status"]) == (None, "PLANNED")
        migration = cloud.pods.drain("Pod1", target="Pod2")
        assert cloud.pods.migration(migration["id"])["status"] == "SUCCESS"
        with pytest.raises(cumulet.CumuletError) as caught:
            cloud.pods.migration("missing")
        assert caught.value.status == 404


def test_stop_ends_the_process():
    cloud = cumulet.start()
    cloud.stop()
    cloud.stop()
    with pytest.raises(cumulet.CumuletError, match="No emulator answers"):
        cloud.health()


def test_emulator_ends_if_its_starter_is_killed():
    program = "import cumulet; print(cumulet.start().url, flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as starter:
        url = starter.stdout.readline().strip()
        assert cumulet.connect(url).health() == {"status": "ok"}
        starter.kill()
        with pytest.raises(cumulet.CumuletError, match="No emulator answers"):
            while True:
                cumulet.connect(url)


def test_control_token_of_the_options_is_sent():
    with cumulet.start(options=["--control-token", "sesame"]) as cloud:
        assert cloud.info()["regions"] == ["RegionOne"]
        with pytest.raises(cumulet.CumuletError) as caught:
            cumulet.connect(cloud.url, control_token="wrong")
        assert caught.value.status == 403
        assert cumulet.connect(cloud.url, control_token="sesame").health() == {"status": "ok"}


def test_control_token_of_the_environment_is_sent(monkeypatch):
    monkeypatch.setenv("CUMULET_CONTROL_TOKEN", "sesame")
    with cumulet.start() as cloud:
        monkeypatch.setenv("CUMULET_URL", cloud.url)
        assert cumulet.connect().health() == {"status": "ok"}


def test_variables_of_an_emulator_that_keeps_running_have_no_effect(monkeypatch):
    monkeypatch.setenv("CUMULET_WORKERS", "2")
    monkeypatch.setenv("CUMULET_JOURNAL", "0")
    monkeypatch.setenv("CUMULET_NATIVE_PORTS", "30000")
    with cumulet.start() as cloud:
        assert cloud.requests.list() == []


def test_cumulet_yaml_is_read_but_for_a_lasting_emulator(monkeypatch, tmp_path):
    options = "{ regions: [Mine], workers: 2, listen: none=1, control-token: sesame, tls: true }"
    (tmp_path / "cumulet.yaml").write_text(f"options: {options}\nworld: {{ hosts: 2 }}\n")
    monkeypatch.chdir(tmp_path)
    with cumulet.start() as cloud:
        assert [region["name"] for region in cloud.regions.list()] == ["Mine"]
        assert len(cloud.hosts.list()) == 2
        assert cloud.url.startswith("https:")
    with cumulet.start(preset="three-zones", options=["--no-config"]) as cloud:
        assert len(cloud.hosts.list()) == 9


def test_seed_fills_the_cloud(cloud, tmp_path):
    file = tmp_path / "cloud.ndjson"
    cloud.hosts.add("seeded")
    cloud.export_to(file)
    with cumulet.start(seed=file) as seeded:
        seeded.reset()
        assert "seeded" in [host["name"] for host in seeded.hosts.list()]


def test_failure_has_the_output_of_the_emulator():
    with pytest.raises(cumulet.CumuletError, match="exit code 1") as caught:
        cumulet.start(options=["--no-such-option"])
    assert "unknown option '--no-such-option'" in str(caught.value)


def test_command_that_prints_no_url_is_stopped():
    with pytest.raises(cumulet.CumuletError, match="no URL within 0.5 seconds"):
        cumulet.start(command=[sys.executable, "-c", "import signal; signal.pause()"], timeout=0.5)


def test_npx_is_used_if_cumulet_is_not_on_path(tmp_path, monkeypatch):
    script(tmp_path, "npx", "echo could not determine executable; exit 1")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert cumulet.find_command() == [str(tmp_path / "npx"), "--no-install", "cumulet"]
    with pytest.raises(cumulet.CumuletError, match="Install the npm package cumulet"):
        cumulet.start()


def test_cumulet_on_path_has_precedence(tmp_path, monkeypatch):
    script(tmp_path, "cumulet", "exit 0")
    monkeypatch.setenv("PATH", str(tmp_path) + os.pathsep + os.environ["PATH"])
    assert cumulet.find_command() == [str(tmp_path / "cumulet")]


def test_missing_command_is_reported_with_the_next_step(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(cumulet.CumuletError, match="Install Node.js"):
        cumulet.start()


def test_connect_without_an_address_is_reported(monkeypatch):
    monkeypatch.delenv("CUMULET_URL", raising=False)
    with pytest.raises(cumulet.CumuletError, match="CUMULET_URL"):
        cumulet.connect()
