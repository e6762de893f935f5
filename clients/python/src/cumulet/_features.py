"""The features of a cloud that have several operations: its clock, fault rules, journal and others.

Keywords are the parameters and fields of docs/reference/emulator-api.md.
"""

from datetime import datetime, timedelta, timezone
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union, cast

from ._api import Api
from .types import (
    Amounts,
    AuditedClient,
    Capacity,
    Clock,
    Explanation,
    FaultEffect,
    FaultMatch,
    FaultRule,
    FaultScenario,
    Host,
    Job,
    JournalEntry,
    JournalMatch,
    MatchedRequests,
    Migration,
    MovedClock,
    NewProject,
    Notification,
    OidcUser,
    Project,
    Region,
    SamlProvider,
    Snapshot,
    Time,
    Timeline,
)


def _iso(time: Optional[Time]) -> Optional[str]:
    if not isinstance(time, datetime):
        return time
    aware = time if time.tzinfo else time.replace(tzinfo=timezone.utc)
    return aware.isoformat()


class ClockControl:
    """The clock of the cloud, which all dates, leases and expiries follow."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def read(self) -> Clock:
        """Returns the emulated time."""
        return cast(Clock, self._api.send("clock:show"))

    def set(self, now: Optional[Time] = None, *, frozen: Optional[bool] = None) -> MovedClock:
        """Sets the time, and freezes or unfreezes the clock. What is omitted does not change."""
        body = {"now": _iso(now), "frozen": frozen}
        return cast(MovedClock, self._api.send("clock:update", body=body))

    def freeze(self, now: Optional[Time] = None) -> MovedClock:
        """Stops the clock, at this time if one is given."""
        return self.set(now, frozen=True)

    def unfreeze(self) -> MovedClock:
        """Lets the clock run on from its time."""
        return self.set(frozen=False)

    def advance(
        self,
        by: Optional[timedelta] = None,
        *,
        to: Optional[Time] = None,
        weeks: Optional[float] = None,
        days: Optional[float] = None,
        hours: Optional[float] = None,
        minutes: Optional[float] = None,
        seconds: Optional[float] = None,
    ) -> MovedClock:
        """Moves the clock forward, and returns when everything that becomes due has happened."""
        if by is not None:
            seconds = by.total_seconds() + (seconds or 0)
        body = {
            "to": _iso(to),
            "weeks": weeks,
            "days": days,
            "hours": hours,
            "minutes": minutes,
            "seconds": seconds,
        }
        return cast(MovedClock, self._api.send("clock:advance", body=body))


class Faults:
    """Rules that make requests fail or slow them down."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def add(
        self,
        match: Optional[FaultMatch] = None,
        effect: Optional[FaultEffect] = None,
        *,
        count: Optional[int] = None,
        skip: Optional[int] = None,
        probability: Optional[float] = None,
        seed: Optional[str] = None,
    ) -> FaultRule:
        """Adds a rule, and returns it with its id once it is in force."""
        body = {
            "match": match,
            "effect": effect,
            "count": count,
            "skip": skip,
            "probability": probability,
            "seed": seed,
        }
        return cast(FaultRule, self._api.send("faults:create", body=body)["fault"])

    def list(self) -> List[FaultRule]:
        """Lists the rules with their counters, the oldest first."""
        return cast(List[FaultRule], self._api.send("faults:list")["faults"])

    def show(self, id: int) -> FaultRule:
        """Returns a rule with its counters."""
        return cast(FaultRule, self._api.send("faults:show", path={"id": id})["fault"])

    def delete(self, id: int) -> None:
        """Removes a rule."""
        self._api.send("faults:delete", path={"id": id})

    def clear(self) -> None:
        """Removes all rules."""
        self._api.send("faults:clear")

    def scenarios(self) -> List[FaultScenario]:
        """Lists the failure scenarios, sorted by name, with the rules of each."""
        return cast(List[FaultScenario], self._api.send("fault_scenarios:list")["scenarios"])

    def add_scenario(self, name: str) -> List[FaultRule]:
        """Adds the rules of a scenario, such as "flaky-network", and returns them."""
        reply = self._api.send("fault_scenarios:add", path={"name": name})
        return cast(List[FaultRule], reply["faults"])


class Requests:
    """The journal: the requests that the cloud received, without those to the emulator's API."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def list(
        self,
        *,
        service: Optional[str] = None,
        region: Optional[str] = None,
        operation: Optional[str] = None,
        method: Optional[str] = None,
        path: Optional[str] = None,
        status: Union[int, str, None] = None,
        project: Optional[str] = None,
        user: Optional[str] = None,
        min_version: Optional[str] = None,
        max_version: Optional[str] = None,
        version_asked: Optional[str] = None,
        user_agent: Optional[str] = None,
        inside: Union[bool, str, None] = None,
        since: Union[int, str, None] = None,
        limit: Optional[int] = None,
        before: Optional[int] = None,
    ) -> List[JournalEntry]:
        """Lists the newest requests that match, 100 without a limit, in the order of arrival."""
        query = {
            "service": service,
            "region": region,
            "operation": operation,
            "method": method,
            "path": path,
            "status": status,
            "project": project,
            "user": user,
            "min_version": min_version,
            "max_version": max_version,
            "version_asked": version_asked,
            "user_agent": user_agent,
            "inside": inside,
            "since": since,
            "limit": limit,
            "before": before,
        }
        return cast(List[JournalEntry], self._api.send("requests:list", query=query)["requests"])

    def show(self, id: Union[int, str]) -> JournalEntry:
        """Returns a request by its number or its request id."""
        return cast(JournalEntry, self._api.send("requests:show", path={"id": id})["request"])

    def check(
        self,
        match: Optional[JournalMatch] = None,
        *,
        sequence: Optional[Sequence[JournalMatch]] = None,
        times: Optional[int] = None,
        at_least: Optional[int] = None,
        at_most: Optional[int] = None,
        never: Optional[bool] = None,
    ) -> MatchedRequests:
        """Asserts how many requests match (at least one by default), or that they match in order.

        :raises RequestAssertionError: if that is not so, with near misses
        """
        __tracebackhide__ = True
        body = {
            "match": match,
            "sequence": sequence,
            "times": times,
            "at_least": at_least,
            "at_most": at_most,
            "never": never,
        }
        return cast(MatchedRequests, self._api.send("requests:assert", body=body))

    def versions(
        self,
        *,
        service: Optional[str] = None,
        region: Optional[str] = None,
        operation: Optional[str] = None,
        method: Optional[str] = None,
        path: Optional[str] = None,
        status: Union[int, str, None] = None,
        project: Optional[str] = None,
        user: Optional[str] = None,
        min_version: Optional[str] = None,
        max_version: Optional[str] = None,
        version_asked: Optional[str] = None,
        user_agent: Optional[str] = None,
        inside: Union[bool, str, None] = None,
        since: Union[int, str, None] = None,
    ) -> List[AuditedClient]:
        """Returns the microversions that each client asked for, and what newer ones change."""
        query = {
            "service": service,
            "region": region,
            "operation": operation,
            "method": method,
            "path": path,
            "status": status,
            "project": project,
            "user": user,
            "min_version": min_version,
            "max_version": max_version,
            "version_asked": version_asked,
            "user_agent": user_agent,
            "inside": inside,
            "since": since,
        }
        return cast(
            List[AuditedClient], self._api.send("requests:versions", query=query)["clients"]
        )

    def keep(self, keep: int) -> int:
        """Sets how many requests the journal keeps, and returns it; 0 switches the journal off."""
        return cast(int, self._api.send("requests:update", body={"keep": keep})["keep"])

    def clear(self) -> None:
        """Empties the journal."""
        self._api.send("requests:clear")


class Snapshots:
    """The named snapshots. ``Cloud.snapshot`` takes one, ``Cloud.restore`` returns to it."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def list(self) -> List[Snapshot]:
        """Lists the snapshots, sorted by name."""
        return cast(List[Snapshot], self._api.send("snapshots:list")["snapshots"])

    def show(self, name: str) -> Snapshot:
        """Returns a snapshot."""
        return cast(Snapshot, self._api.send("snapshots:show", path={"name": name})["snapshot"])

    def delete(self, name: str) -> None:
        """Deletes a snapshot."""
        self._api.send("snapshots:delete", path={"name": name})


class Regions:
    """The regions of the cloud."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def list(self) -> List[Region]:
        """Lists the regions, in the order in which they were added."""
        return cast(List[Region], self._api.send("regions:list")["regions"])

    def show(self, name: str) -> Region:
        """Returns a region."""
        return cast(Region, self._api.send("regions:show", path={"name": name})["region"])

    def add(self, name: str, *, from_: Optional[str] = None) -> Region:
        """Adds a region. With ``from_``, it starts with a copy of that region's data."""
        body = {"name": name, "from": from_}
        return cast(Region, self._api.send("regions:create", body=body)["region"])

    def delete(self, name: str) -> None:
        """Drops a region with all its data."""
        self._api.send("regions:delete", path={"name": name})


class OidcUsers:
    """The users of OpenID providers, with which tests sign in by federation.

    Any name is a provider.
    """

    def __init__(self, api: Api) -> None:
        self._api = api

    def list(self, issuer: str) -> List[OidcUser]:
        """Lists the users of a provider, sorted by name."""
        reply = self._api.send("oidc_users:list", path={"issuer": issuer})
        return cast(List[OidcUser], reply["users"])

    def set(
        self, issuer: str, name: str, password: str, claims: Optional[Mapping[str, Any]] = None
    ) -> OidcUser:
        """Creates a user with a password and claims, or replaces it."""
        path = {"issuer": issuer, "name": name}
        body = {"password": password, "claims": dict(claims or {})}
        return cast(OidcUser, self._api.send("oidc_users:update", path=path, body=body)["user"])

    def delete(self, issuer: str, name: str) -> None:
        """Deletes a user."""
        self._api.send("oidc_users:delete", path={"issuer": issuer, "name": name})


class SamlProviders:
    """The identity providers whose SAML assertions a cloud accepts besides its own."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def list(self) -> List[SamlProvider]:
        """Lists the providers, sorted by name."""
        return cast(List[SamlProvider], self._api.send("saml_providers:list")["providers"])

    def set(self, name: str, metadata: str) -> SamlProvider:
        """Registers a provider by its metadata in XML, or replaces it."""
        path = {"name": name}
        body = {"metadata": metadata}
        reply = self._api.send("saml_providers:update", path=path, body=body)
        return cast(SamlProvider, reply["provider"])

    def delete(self, name: str) -> None:
        """Deletes a provider."""
        self._api.send("saml_providers:delete", path={"name": name})


class Projects:
    """The throw-away projects: for tests that share a cloud and run at the same time."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def list(self) -> List[Project]:
        """Lists the projects, the oldest first."""
        return cast(List[Project], self._api.send("projects:list")["projects"])

    def create(
        self,
        *,
        name: Optional[str] = None,
        roles: Optional[Sequence[str]] = None,
        password: Optional[str] = None,
        quotas: Optional[Mapping[str, Mapping[str, int]]] = None,
        network: Optional[bool] = None,
    ) -> NewProject:
        """Creates a project in a domain of its own, with a user and a network."""
        body = {
            "name": name,
            "roles": roles,
            "password": password,
            "quotas": quotas,
            "network": network,
        }
        return cast(NewProject, self._api.send("projects:create", body=body)["project"])

    def delete(self, id: str) -> Dict[str, int]:
        """Deletes a project and everything in it. Returns how many resources of each kind."""
        reply = self._api.send("projects:delete", path={"id": id})
        return cast(Dict[str, int], reply["removed"])


class Hosts:
    """The hosts of Compute."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def list(self, *, region: Optional[str] = None) -> List[Host]:
        """Lists the hosts of a region; without a name, of the first one."""
        return cast(List[Host], self._api.send("hosts:list", query={"region": region})["hosts"])

    def add(
        self,
        name: str,
        *,
        region: Optional[str] = None,
        vcpus: Optional[int] = None,
        memory_mb: Optional[int] = None,
        disk_gb: Optional[int] = None,
        ratios: Optional[Amounts] = None,
        reserved: Optional[Amounts] = None,
        traits: Optional[Sequence[str]] = None,
        zone: Optional[str] = None,
    ) -> Host:
        """Adds a host. Omitted properties are those of a new region's hosts."""
        body = {
            "name": name,
            "region": region,
            "vcpus": vcpus,
            "memory_mb": memory_mb,
            "disk_gb": disk_gb,
            "ratios": ratios,
            "reserved": reserved,
            "traits": traits,
            "zone": zone,
        }
        return cast(Host, self._api.send("hosts:create", body=body))

    def delete(self, name: str, *, region: Optional[str] = None) -> None:
        """Removes a host without servers."""
        self._api.send("hosts:delete", path={"name": name}, query={"region": region})


class Pods:
    """The pods of Tricircle."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def drain(
        self, region: str, *, target: Optional[str] = None, dry_run: Optional[bool] = None
    ) -> Migration:
        """Puts a pod under maintenance, and moves its servers and volumes to other pods.

        With ``target`` they move to that region, and with ``dry_run`` the reply is only a plan.
        """
        body = {"target": target, "dry_run": dry_run}
        return cast(Migration, self._api.send("pods:drain", path={"region": region}, body=body))

    def migration(self, migration_id: str) -> Migration:
        """Returns a migration of ``drain`` with its progress."""
        path = {"migration_id": migration_id}
        return cast(Migration, self._api.send("migrations:show", path=path))


class Explanations:
    """Why services decide as they do. A cloud explains failures only, unless ``update`` says all."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def list(
        self,
        *,
        region: Optional[str] = None,
        kind: Optional[str] = None,
        subject: Optional[str] = None,
        request: Optional[str] = None,
        outcome: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> List[Explanation]:
        """Lists the newest explanations that match, the newest first."""
        query = {
            "region": region,
            "kind": kind,
            "subject": subject,
            "request": request,
            "outcome": outcome,
            "limit": limit,
        }
        return cast(
            List[Explanation], self._api.send("explanations:list", query=query)["explanations"]
        )

    def update(self, *, all: bool) -> None:
        """Explains all decisions from now on, or failures only."""
        self._api.send("explanations:update", body={"all": all})

    def show(self, kind: str, id: str, *, region: Optional[str] = None) -> Explanation:
        """Shows the last decision about a subject of a kind, such as ``servers`` or ``requests``."""
        reply = self._api.send(
            "explanations:show", path={"kind": kind, "id": id}, query={"region": region}
        )
        return cast(Explanation, reply["explanation"])

    def candidates(
        self, query: str, *, microversion: Optional[str] = None, region: Optional[str] = None
    ) -> Explanation:
        """Explains which provider trees Placement offers for a query, such as resources=VCPU:8."""
        parameters = {"query": query, "microversion": microversion, "region": region}
        reply = self._api.send("explanations:candidates", query=parameters)
        return cast(Explanation, reply["explanation"])

    def action(
        self, cluster: str, action: Mapping[str, Any], *, region: Optional[str] = None
    ) -> Explanation:
        """Explains what an action, such as {"scale_out": {"count": 2}}, would do to a cluster now."""
        body = {"cluster": cluster, "action": action}
        reply = self._api.send("explanations:action", query={"region": region}, body=body)
        return cast(Explanation, reply["explanation"])


class CapacityCounts:
    """How many more servers or allocations fit now, where, and what runs out first."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def servers(
        self,
        flavor: str,
        *,
        image: Optional[str] = None,
        zone: Optional[str] = None,
        group: Optional[str] = None,
        group_policy: Optional[str] = None,
        max_server_per_host: Optional[int] = None,
        project: Optional[str] = None,
        region: Optional[str] = None,
    ) -> Capacity:
        """Counts how many more servers of a flavor fit if they are created one at a time."""
        query = {
            "flavor": flavor,
            "image": image,
            "zone": zone,
            "group": group,
            "group_policy": group_policy,
            "max_server_per_host": max_server_per_host,
            "project": project,
            "region": region,
        }
        return cast(Capacity, self._api.send("capacity:servers", query=query)["capacity"])

    def nodes(self, profile: str, *, region: Optional[str] = None) -> Capacity:
        """Counts how many more nodes of a profile fit if they are created one at a time."""
        query = {"profile": profile, "region": region}
        return cast(Capacity, self._api.send("capacity:nodes", query=query)["capacity"])

    def leases(
        self,
        *,
        hosts: Optional[int] = None,
        instances: Optional[int] = None,
        flavor: Optional[str] = None,
        vcpus: Optional[int] = None,
        memory_mb: Optional[int] = None,
        disk_gb: Optional[int] = None,
        affinity: Optional[bool] = None,
        properties: Optional[str] = None,
        start: Optional[str] = None,
        for_: Optional[str] = None,
        region: Optional[str] = None,
    ) -> Capacity:
        """Counts how many more leases of hosts or instances fit if they are created one at a time."""
        query = {
            "hosts": hosts,
            "instances": instances,
            "flavor": flavor,
            "vcpus": vcpus,
            "memory_mb": memory_mb,
            "disk_gb": disk_gb,
            "affinity": affinity,
            "properties": properties,
            "start": start,
            "for": for_,
            "region": region,
        }
        return cast(Capacity, self._api.send("capacity:leases", query=query)["capacity"])

    def candidates(
        self, query: str, *, microversion: Optional[str] = None, region: Optional[str] = None
    ) -> Capacity:
        """Counts how often Placement serves a query, such as resources=VCPU:8, if each is claimed."""
        parameters = {"query": query, "microversion": microversion, "region": region}
        reply = self._api.send("capacity:candidates", query=parameters)
        return cast(Capacity, reply["capacity"])

    def timeline(
        self,
        until: str,
        *,
        flavor: Optional[str] = None,
        query: Optional[str] = None,
        image: Optional[str] = None,
        zone: Optional[str] = None,
        group: Optional[str] = None,
        group_policy: Optional[str] = None,
        max_server_per_host: Optional[int] = None,
        project: Optional[str] = None,
        profile: Optional[str] = None,
        hosts: Optional[int] = None,
        instances: Optional[int] = None,
        vcpus: Optional[int] = None,
        memory_mb: Optional[int] = None,
        disk_gb: Optional[int] = None,
        affinity: Optional[bool] = None,
        properties: Optional[str] = None,
        start: Optional[str] = None,
        for_: Optional[str] = None,
        region: Optional[str] = None,
    ) -> Timeline:
        """Counts after each start and end of a lease, too, in a copy of the cloud."""
        parameters = {
            "until": until,
            "flavor": flavor,
            "query": query,
            "image": image,
            "zone": zone,
            "group": group,
            "group_policy": group_policy,
            "max_server_per_host": max_server_per_host,
            "project": project,
            "profile": profile,
            "hosts": hosts,
            "instances": instances,
            "vcpus": vcpus,
            "memory_mb": memory_mb,
            "disk_gb": disk_gb,
            "affinity": affinity,
            "properties": properties,
            "start": start,
            "for": for_,
            "region": region,
        }
        reply = self._api.send("capacity:timeline", query=parameters)
        return cast(Timeline, reply["timeline"])


class Jobs:
    """What is to happen at a later time."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def list(
        self,
        *,
        region: Optional[str] = None,
        service: Optional[str] = None,
        kind: Optional[str] = None,
        state: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> List[Job]:
        """Lists the jobs in the order in which they run, and those that were set aside."""
        query = {
            "region": region,
            "service": service,
            "kind": kind,
            "state": state,
            "limit": limit,
        }
        return cast(List[Job], self._api.send("jobs:list", query=query)["jobs"])

    def retry(self, id: str) -> Job:
        """Lets a job that was set aside run again."""
        return cast(Job, self._api.send("jobs:retry", path={"id": id}, body={})["job"])

    def delete(self, id: str) -> None:
        """Deletes a job, so that what it would do never happens."""
        self._api.send("jobs:delete", path={"id": id})


class Notifications:
    """What services publish on their message bus. The cloud keeps none by default."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def list(
        self,
        *,
        region: Optional[str] = None,
        service: Optional[str] = None,
        event_type: Optional[str] = None,
        project: Optional[str] = None,
        request: Optional[str] = None,
        after: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> List[Notification]:
        """Lists the newest notifications that match, 100 without a limit, the oldest first."""
        query = {
            "region": region,
            "service": service,
            "event_type": event_type,
            "project": project,
            "request": request,
            "after": after,
            "limit": limit,
        }
        reply = self._api.send("notifications:list", query=query)
        return cast(List[Notification], reply["notifications"])

    def keep(self, keep: int) -> int:
        """Sets how many notifications each region keeps, and returns it; 0 deletes them."""
        return cast(int, self._api.send("notifications:update", body={"keep": keep})["keep"])

    def clear(self) -> None:
        """Deletes the notifications of all regions."""
        self._api.send("notifications:clear")


class Settings:
    """What upstream reads from configuration files; docs/reference/settings.md lists it."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def show(self, service: str, *, region: Optional[str] = None) -> Dict[str, Any]:
        """Returns the settings of a service by name."""
        reply = self._api.send(
            "service_settings:show", path={"service": service}, query={"region": region}
        )
        return cast(Dict[str, Any], reply)

    def update(
        self, service: str, *, region: Optional[str] = None, **settings: Any
    ) -> Dict[str, Any]:
        """Changes settings of a service, and returns all of them."""
        body = settings if region is None else {**settings, "region": region}
        reply = self._api.send(
            "service_settings:update", path={"service": service}, body=body, nulls=True
        )
        return cast(Dict[str, Any], reply)
