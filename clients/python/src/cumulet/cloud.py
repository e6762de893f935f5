"""A running cloud, as tests control it."""

import os
from types import TracebackType
from typing import Any, Callable, Dict, List, Optional, Type, Union, cast

from ._api import Api
from ._features import (
    CapacityCounts,
    ClockControl,
    Faults,
    Hosts,
    Explanations,
    Jobs,
    Notifications,
    OidcUsers,
    Pods,
    Projects,
    Regions,
    SamlProviders,
    Requests,
    Settings,
    Snapshots,
)
from .types import (
    Audit,
    FailureDomain,
    Health,
    HostFailure,
    Info,
    Readiness,
    Replay,
    Snapshot,
    Time,
    WhatIf,
)

Path = Union[str, "os.PathLike[str]"]


class Cloud:
    """A running emulator. ``cumulet.start`` starts one, ``cumulet.connect`` connects to one."""

    def __init__(
        self,
        url: str,
        *,
        control_token: Optional[str] = None,
        cacert: Optional[str] = None,
        timeout: float = 120,
        frozen_at: Optional[Time] = None,
        on_stop: Optional[Callable[[], None]] = None,
    ) -> None:
        self._api = Api(url, control_token, timeout, cacert)
        self._frozen_at = frozen_at
        self._on_stop = on_stop
        self.clock = ClockControl(self._api)
        self.faults = Faults(self._api)
        self.requests = Requests(self._api)
        self.snapshots = Snapshots(self._api)
        self.regions = Regions(self._api)
        self.hosts = Hosts(self._api)
        self.pods = Pods(self._api)
        self.projects = Projects(self._api)
        self.oidc_users = OidcUsers(self._api)
        self.saml_providers = SamlProviders(self._api)
        self.explanations = Explanations(self._api)
        self.capacity = CapacityCounts(self._api)
        self.jobs = Jobs(self._api)
        self.notifications = Notifications(self._api)
        self.settings = Settings(self._api)

    @property
    def url(self) -> str:
        """The address of the emulator, such as ``http://127.0.0.1:6060``."""
        return self._api.url

    @property
    def env(self) -> Dict[str, str]:
        """The variables with which clients sign in as admin: ``OS_AUTH_URL`` and so on."""
        return cast(Dict[str, str], self._api.send("environment:show")["environment"])

    @property
    def clouds_yaml(self) -> str:
        """A clouds.yaml with the clouds ``cumulet``, ``cumulet-demo`` and ``cumulet-system``."""
        return cast(str, self._api.send("clouds_yaml:show"))

    def reset(
        self,
        *,
        region: Optional[str] = None,
        service: Optional[str] = None,
        preset: Optional[str] = None,
    ) -> None:
        """Resets the cloud, or only a region or a service, to its initial state.

        With ``preset``, everything is reset to that preset instead. A cloud that was started with
        ``clock`` has its clock frozen at that time again.
        """
        body = {"region": region, "service": service, "preset": preset}
        self._api.send("reset:create", body=body)
        if self._frozen_at is not None and region is None and service is None:
            self.clock.freeze(self._frozen_at)

    def snapshot(self, name: str) -> Snapshot:
        """Saves the current state, and overwrites an existing snapshot of that name."""
        reply = self._api.send("snapshots:save", path={"name": name})
        return cast(Snapshot, reply["snapshot"])

    def restore(self, name: str) -> None:
        """Restores the state that a snapshot has saved."""
        self._api.send("snapshots:restore", path={"name": name})

    def export_to(self, file: Path, *, snapshot: Optional[str] = None) -> None:
        """Writes the current state, or a snapshot, to a file for ``import_from`` and ``--seed``.

        The file holds keys and hashes of passwords; only its owner may read it.
        """
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "wb") as target:
            self._api.send("export:show", query={"snapshot": snapshot}, target=target)

    def import_from(self, file: Path, *, allow_inconsistent: Optional[bool] = None) -> None:
        """Restores the state in a file of ``export_to``."""
        with open(file, "rb") as source:
            self._api.send(
                "import:create",
                query={"allow_inconsistent": allow_inconsistent},
                source=source,
            )

    def purge(
        self, *, region: Optional[str] = None, older_than_seconds: Optional[float] = None
    ) -> Dict[str, int]:
        """Removes the records of deleted resources, and returns how many of each service."""
        body = {"region": region, "older_than_seconds": older_than_seconds}
        return cast(Dict[str, int], self._api.send("purge:create", body=body)["purged"])

    def audit(self, *, region: Optional[str] = None) -> Audit:
        """
        Reports what is inconsistent in a region, or in all of them, each with the commands that
        repair it. Changes nothing.
        """
        return cast(Audit, self._api.send("audit:show", query={"region": region})["audit"])

    def failure_domains(self, kind: str, *, region: Optional[str] = None) -> List[FailureDomain]:
        """Lists the hosts, zones or aggregates (host, zone, aggregate) that may fail."""
        reply = self._api.send("host_failures:list", path={"kind": kind}, query={"region": region})
        return cast(List[FailureDomain], reply["domains"])

    def rehearse_failure(
        self, kind: str, name: str, *, region: Optional[str] = None
    ) -> HostFailure:
        """
        Rehearses the failure of a host, a zone or an aggregate: which servers and reservations find
        a place on other hosts. Changes nothing.
        """
        path = {"kind": kind, "name": name}
        reply = self._api.send("host_failures:show", path=path, query={"region": region})
        return cast(HostFailure, reply["failure"])

    def what_if(
        self,
        changes: List[Dict[str, Any]],
        *,
        questions: Optional[List[Dict[str, Any]]] = None,
        region: Optional[str] = None,
    ) -> WhatIf:
        """
        Makes changes in a copy of the cloud, each a dict with one key such as
        ``{"drain_host": "compute-1"}``, and compares the answers to questions before and after them.
        By default, the questions are how many servers of each flavor fit.
        """
        body = {"changes": changes, "questions": questions, "region": region}
        return cast(WhatIf, self._api.send("what_if:create", body=body)["what_if"])

    def replay(
        self,
        arrivals: List[Dict[str, Any]],
        *,
        configuration: Optional[Dict[str, Any]] = None,
        region: Optional[str] = None,
    ) -> Replay:
        """
        Plays arrivals of servers and leases in a copy of the cloud, each a dict such as
        ``{"at": 60, "server": {"name": "web", "flavor": "m1.small"}, "lasts": 3600}``, and reports
        what is rejected and how full the region was. The configuration has ``settings`` by service
        and ``changes``; replay the same arrivals under another one to compare them.
        """
        body = {"arrivals": arrivals, "configuration": configuration, "region": region}
        return cast(Replay, self._api.send("replay:create", body=body)["replay"])

    def outbox(self, *, region: Optional[str] = None) -> List[Dict[str, Any]]:
        """Lists the messages to servers outside of the cloud that have not been delivered."""
        reply = self._api.send("outbox:list", query={"region": region})
        return cast(List[Dict[str, Any]], reply["messages"])

    def openapi(self, service: str, *, microversion: Optional[str] = None) -> Dict[str, Any]:
        """
        Returns the description of a service's API as a document of OpenAPI 3.1: that of one
        microversion, or that of all, whose differences are in ``x-openstack``.
        """
        reply = self._api.send(
            "api_descriptions:show",
            path={"service": service},
            query={"microversion": microversion},
        )
        return cast(Dict[str, Any], reply)

    def info(self) -> Info:
        """Returns the emulator's version, services, regions, database and time."""
        return cast(Info, self._api.send("info:show"))

    def health(self) -> Health:
        """Returns at once if the process runs."""
        return cast(Health, self._api.send("health:show"))

    def ready(self) -> Readiness:
        """Returns the state of the databases.

        :raises CumuletError: with status 503 if requests are not served
        """
        return cast(Readiness, self._api.send("ready:show"))

    def metrics(self) -> str:
        """Returns counters and latencies in the format of Prometheus."""
        return cast(str, self._api.send("metrics:show"))

    def stop(self) -> None:
        """Stops the emulator, if ``cumulet.start`` has started it."""
        on_stop, self._on_stop = self._on_stop, None
        if on_stop:
            on_stop()

    def __enter__(self) -> "Cloud":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<Cloud at {self.url}>"
