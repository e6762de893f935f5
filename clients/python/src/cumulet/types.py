"""The shapes of requests and replies, named as in api-ref/emulator.yaml."""

from datetime import datetime
from typing import Any, Dict, List, Optional, TypedDict, Union

Time = Union[str, datetime]
"""A time: ISO 8601, such as ``2030-01-01`` or ``2030-01-01T12:00:00Z``, or a datetime. A time
without a zone is in UTC."""


class Clock(TypedDict):
    """The emulated time."""

    now: str
    frozen: bool
    ahead_seconds: float


class MovedClock(Clock):
    """The emulated time after a move, and what has happened on the way."""

    jobs_run: int
    rounds_skipped: int
    jobs_set_aside: int


class Region(TypedDict):
    """A region. ``path`` is the prefix of its services; empty for the first region."""

    name: str
    path: str
    central: bool


class Snapshot(TypedDict):
    """A named snapshot."""

    name: str
    created_at: str
    now: str
    version: str
    regions: List[str]
    size: int
    rows: int


class FaultMatch(TypedDict, total=False):
    """Conditions for requests, all of which must hold. An empty match selects every request."""

    service: str
    region: str
    method: str
    path: str
    operation: str
    project: str
    user: str
    min_version: str
    max_version: str
    headers: Dict[str, str]
    inside: bool


class FaultEffect(TypedDict, total=False):
    """What happens to a request: an error status, a dropped connection, or a delay."""

    status: int
    message: str
    code: str
    headers: Dict[str, str]
    delay_ms: int
    drop: bool
    when: str


class _FaultPlan(TypedDict, total=False):
    count: int
    skip: int
    probability: float
    seed: str


class FaultRule(_FaultPlan):
    """A fault rule with its counters."""

    id: int
    match: FaultMatch
    effect: FaultEffect
    matched: int
    hit: int
    spent: bool
    created_at: str


class FaultPlan(_FaultPlan):
    """A fault rule of a scenario."""

    match: FaultMatch
    effect: FaultEffect


class FaultScenario(TypedDict):
    """A named list of fault rules for what clients meet in production."""

    name: str
    description: str
    rules: List[FaultPlan]


class JournalMatch(TypedDict, total=False):
    """Conditions for recorded requests, all of which must hold."""

    service: str
    region: str
    operation: str
    method: str
    path: str
    status: Union[int, str]
    project: str
    user: str
    min_version: str
    max_version: str
    version_asked: str
    user_agent: str
    inside: Union[bool, str]
    since: Union[int, str]
    body: Any


class JournalEntry(TypedDict):
    """A recorded request."""

    id: int
    request_id: str
    time: str
    machine_time: str
    duration_ms: float
    method: str
    prefix: str
    path: str
    query: str
    service: Optional[str]
    region: Optional[str]
    operation: Optional[str]
    action: Optional[str]
    inside: bool
    version_asked: Optional[str]
    version: Optional[str]
    project_id: Optional[str]
    project_name: Optional[str]
    user_id: Optional[str]
    user_name: Optional[str]
    user_agent: Optional[str]
    status: Optional[int]
    dropped: bool
    fault_rules: List[int]
    request_body: Any
    request_body_cut: bool
    request_bytes: Optional[int]
    response_body: Any
    response_body_cut: bool
    explanation: Optional[str]


class NearMiss(TypedDict):
    """A request that meets all conditions of an assertion but one."""

    request: JournalEntry
    condition: str
    expected: Any
    actual: Any


class MatchedRequests(TypedDict):
    """The requests of an assertion that holds."""

    message: str
    matched: int
    requests: List[JournalEntry]


class VersionDifference(TypedDict):
    """The fields that another version of an operation adds and removes."""

    added: List[str]
    removed: List[str]


class AuditedOperation(TypedDict):
    """An operation that is different at the newest version."""

    operation: str
    action: Optional[str]
    version: str
    requests: int
    unversioned: int
    latest: str
    changes: List[Dict[str, Any]]
    request: VersionDifference
    response: VersionDifference


class AuditedClient(TypedDict):
    """The microversions that a client asked for."""

    service: str
    user_agent: Optional[str]
    min_version: str
    max_version: str
    requests: int
    unversioned: int
    versions: List[Dict[str, Any]]
    unchanged: int
    operations: List[AuditedOperation]


class Amounts(TypedDict, total=False):
    """An amount for each kind of resource of a host."""

    vcpus: float
    memory_mb: float
    disk_gb: float


class Host(TypedDict):
    """A host of Compute."""

    uuid: str
    name: str
    vcpus: int
    memory_mb: int
    disk_gb: int
    enabled: bool
    up: bool


class Migration(TypedDict):
    """A migration between pods; ``id`` is None if it is only a plan."""

    id: Optional[str]
    status: str
    moves: List[Dict[str, Any]]
    refused: List[Dict[str, Any]]


class Project(TypedDict):
    """A throw-away project."""

    id: str
    name: str
    domain_id: str
    user_id: str
    created_at: str


class SamlProvider(TypedDict):
    """An identity provider whose SAML assertions are accepted."""

    name: str
    entity_id: str
    certificates: List[str]


class OidcUser(TypedDict):
    """A user of an OpenID provider for tests."""

    name: str
    claims: Dict[str, Any]


class ProjectNetwork(TypedDict):
    """The network of a throw-away project in a region."""

    region: str
    network_id: str
    subnet_id: str
    router_id: str
    external_ip: Optional[str]


class NewProject(Project):
    """A new project, with the credentials of its user."""

    roles: List[str]
    password: str
    token: str
    env: Dict[str, str]
    clouds_yaml: str
    networks: List[ProjectNetwork]


class Explanation(TypedDict, total=False):
    """Why a service decided as it did. The explanation of a question has no request and no time."""

    format: int
    region: str
    request_id: str
    time: str
    kind: str
    subject: Optional[str]
    name: Optional[str]
    outcome: str
    summary: str
    text: List[str]
    details: Dict[str, Any]


class CapacityReason(TypedDict):
    """Why no more fit on some hosts. A reason without hosts holds for all."""

    reason: str
    count: int
    hosts: List[str]


class CapacityHost(TypedDict):
    """How many fit on a host, or in a provider tree."""

    uuid: str
    name: str
    zone: Optional[str]
    aggregates: List[str]
    count: int
    reason: str


class CapacitySum(TypedDict):
    """How many fit on the hosts of a zone or an aggregate."""

    name: str
    count: int
    hosts: int


class CapacityResource(TypedDict):
    """How much of a resource class is free in sum, and where the largest piece is."""

    resource_class: str
    requested: int
    free: int
    largest: int
    largest_on: Optional[str]
    fits_in_sum: int


class Capacity(TypedDict):
    """How many more identical requests fit, where, and what runs out first."""

    format: int
    region: str
    count: int
    summary: str
    text: List[str]
    reasons: List[CapacityReason]
    hosts: List[CapacityHost]
    zones: List[CapacitySum]
    aggregates: List[CapacitySum]
    resources: List[CapacityResource]


Period = TypedDict("Period", {"from": str, "count": Optional[int], "text": str})
"""What fits from a time on; the count is None if the question was refused."""


class Timeline(TypedDict):
    """The periods in which the same number fits."""

    format: int
    region: str
    periods: List[Period]
    text: List[str]


class MadeChange(TypedDict):
    """What became of a change."""

    change: str
    text: str
    failed: bool


class Answer(TypedDict):
    """A number with what limits it; the number is None if the question was refused."""

    count: Optional[int]
    text: str


class ComparedAnswers(TypedDict):
    """A question with its answers before and after the changes."""

    question: str
    before: Answer
    after: Answer
    difference: Optional[int]


class WhatIf(TypedDict):
    """What became of changes in a copy of the cloud."""

    format: int
    region: str
    changes: List[MadeChange]
    questions: List[ComparedAnswers]
    text: List[str]


class ReplayedCause(TypedDict):
    """Why arrivals were rejected, and how many."""

    cause: str
    count: int


class ReplayedClass(TypedDict):
    """How full a resource class was, as fractions of its capacity."""

    resource_class: str
    mean: float
    peak: float


class ReplaySample(TypedDict):
    """How full each resource class was at a time."""

    time: str
    use: Dict[str, float]


Replay = TypedDict(
    "Replay",
    {
        "format": int,
        "region": str,
        "configuration": str,
        "from": str,
        "until": str,
        "arrivals": int,
        "accepted": int,
        "rejected": int,
        "causes": List[ReplayedCause],
        "use": List[ReplayedClass],
        "samples": List[ReplaySample],
        "changes": List[MadeChange],
        "text": List[str],
    },
)
"""What was accepted and rejected of a trace."""


class FailureDomain(TypedDict):
    """Hosts that may fail together."""

    kind: str
    name: str
    hosts: List[str]


class MovedPart(TypedDict):
    """A server or a reservation that has found a place, and on which hosts."""

    id: str
    name: str
    to: List[str]


class LostPart(TypedDict):
    """A server or a reservation that has found no place, and why."""

    id: str
    name: str
    reason: str


class Displaced(TypedDict):
    """What was on the hosts: the noun is servers or reservations."""

    noun: str
    moved: List[MovedPart]
    lost: List[LostPart]


class HostFailure(TypedDict):
    """What happens if hosts fail."""

    format: int
    region: str
    kind: str
    name: str
    hosts: List[str]
    survives: bool
    summary: str
    displaced: List[Displaced]
    text: List[str]


class AuditedResource(TypedDict):
    """The resource that an administrator changes to repair an inconsistency."""

    type: str
    id: str
    name: Optional[str]


class Inconsistency(TypedDict):
    """Something inconsistent, with the commands that repair it."""

    region: str
    service: str
    check: str
    resource: AuditedResource
    text: str
    repair: List[str]


class Audit(TypedDict):
    """What was examined, and what is inconsistent."""

    format: int
    examined: Dict[str, int]
    count: int
    inconsistencies: List[Inconsistency]
    text: List[str]


class Job(TypedDict):
    """Something that happens at a later time."""

    id: str
    region: Optional[str]
    service: str
    kind: str
    subject: str
    due_at: str
    state: str
    period_seconds: Optional[float]
    failures: int
    error: Optional[str]


class Notification(TypedDict):
    """What a service publishes on its message bus."""

    id: int
    service: str
    message_id: str
    publisher_id: str
    event_type: str
    priority: str
    timestamp: str
    user_id: Optional[str]
    project_id: Optional[str]
    request_id: str
    payload: Dict[str, Any]


class Health(TypedDict):
    """Says that the process is running."""

    status: str


class Readiness(TypedDict):
    """Which databases are reachable, and which of them catch up with the clock."""

    ready: bool
    databases: Dict[str, bool]
    catching_up: List[Dict[str, Any]]


class Info(TypedDict):
    """The emulator: version, services with their microversions, regions, database and time."""

    version: str
    database: str
    auth: str
    regions: List[str]
    services: Dict[str, Dict[str, Any]]
    now: str
