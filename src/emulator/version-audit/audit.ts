// The microversion audit: which versions the clients of a journal asked for, and what their
// requests would mean at the newest.
import { yieldToEventLoop } from '../../kernel/clock.ts';
import type { JournalEntry } from '../journal/store.ts';
import { outcomeOf, type Outcome } from './changes.ts';
import { selectRoute } from '../../kernel/http/routing.ts';
import { inSpan, type Version } from '../../kernel/microversion.ts';
import type { Action, Cloud, Route, Service } from '../../kernel/model.ts';
import { serviceNameOf } from '../services.ts';
import { collected, questionOf, type JournalMatch } from '../journal/matching.ts';
import { openJournal } from '../journal/journal.ts';

/** What requests asked for, and what they got: null for none, each. */
export interface AskedVersion {
  readonly asked: string | null;
  readonly used: string | null;
  readonly requests: number;
}

/**
 * An operation that a client used, or wanted to use, and that is otherwise at the newest version.
 */
export interface AuditedOperation extends Outcome {
  readonly operation: string;
  readonly action: string | null;
  readonly version: string;
  readonly requests: number;
  /**
   * How many of them named no version, so that they would move with the server's minimum, and the
   * client's author may not know what they get.
   */
  readonly unversioned: number;
}

/** What one client asked of one service. */
export interface AuditedClient {
  readonly service: string;
  readonly user_agent: string | null;
  readonly min_version: string;
  readonly max_version: string;
  readonly requests: number;
  /** Requests that named no version, and thus got the oldest. */
  readonly unversioned: number;
  readonly versions: readonly AskedVersion[];
  /** Operations that would be the same. */
  readonly unchanged: number;
  readonly operations: readonly AuditedOperation[];
}

/**
 * Audits the requests that match, of services that have microversions; the documents that list the
 * versions are not about one.
 * @throws 400, 409
 */
export async function auditVersions(
  cloud: Cloud,
  match: JournalMatch,
): Promise<readonly AuditedClient[]> {
  const question = await questionOf(cloud, match);
  const fits = (entry: JournalEntry): boolean =>
    question.asks(entry) && question.conditions.every(({ holds }) => holds(entry));
  const entries = await collected((await openJournal(cloud)).entries(question.after), fits);
  // A gateway's table is a selection of the lines of the service for which it stands.
  const own = cloud.services.filter(
    ({ definition }) => definition.api === undefined && definition.versions.list.length > 1,
  );
  const versioned = new Map<string | null, Service>(
    own.map((service) => [serviceNameOf(service), service]),
  );
  const known = new Map<string, Outcome | undefined>();
  const found: AuditedClient[] = [];
  for (const group of groupsOf(entries.filter(isAboutOne(versioned)), ({ service, user_agent }) => [
    service,
    user_agent,
  ]))
    found.push(await auditClient(versioned.get(group[0]!.service!)!, group, known));
  return found.toSorted((one, other) => textOf(one).localeCompare(textOf(other)));
}

/**
 * Whether a request is about a version: the documents that list them are not, and get the newest
 * where nothing is asked for, or are at the root.
 */
const isAboutOne =
  (versioned: ReadonlyMap<string | null, Service>) =>
  ({ service, path, version, version_asked: asked }: JournalEntry): boolean => {
    const { versions } = versioned.get(service)?.definition ?? {};
    return (
      versions !== undefined &&
      path !== '/' &&
      (asked !== null || version === null || version === versions.min.name)
    );
  };

const textOf = ({ service, user_agent }: AuditedClient): string => `${service} ${user_agent ?? ''}`;

type Outcomes = Map<string, Outcome | undefined>;

async function auditClient(
  service: Service,
  entries: readonly JournalEntry[],
  known: Outcomes,
): Promise<AuditedClient> {
  const { versions } = service.definition;
  const isUnversioned = ({ version_asked, version }: JournalEntry): boolean =>
    version_asked === null && version === versions.min.name;
  const asked = groupsOf(entries, ({ version_asked, version }) => [version_asked, version]);
  const called = entries.flatMap((entry) => calledBy(service, entry) ?? []);
  const operations: AuditedOperation[] = [];
  let unchanged = 0;
  for (const group of groupsOf(called, ({ operation, action, version }) => [
    operation,
    action,
    version,
  ])) {
    const [{ operation, action, version }] = group as [JournalEntry];
    const outcome = await outcomeFor(service, group[0]!, known);
    if (!outcome) continue;
    if (outcome.latest === 'same') unchanged++;
    else
      operations.push({
        operation: operation!,
        action,
        version: version!,
        requests: group.length,
        unversioned: group.filter(isUnversioned).length,
        ...outcome,
      });
  }
  return {
    service: serviceNameOf(service),
    user_agent: entries[0]!.user_agent,
    min_version: versions.min.name,
    max_version: versions.max.name,
    requests: entries.length,
    unversioned: entries.filter(isUnversioned).length,
    versions: asked.map((group) => ({
      asked: group[0]!.version_asked,
      used: group[0]!.version,
      requests: group.length,
    })),
    unchanged,
    operations,
  };
}

/**
 * The entry with its operation; where the version used has none for the request, that of the
 * newest. Undefined where it was refused before.
 */
function calledBy(service: Service, entry: JournalEntry): JournalEntry | undefined {
  const { operation, version, path, method, status } = entry;
  if (version === null || operation !== null) return version === null ? undefined : entry;
  const { versions } = service.definition;
  const match = status === 404 || status === 405 ? service.match(path) : undefined;
  const { route } = match ? selectRoute(match, method, versions.max, versions) : {};
  return route && { ...entry, operation: service.contract.idOf(method, route.path) ?? null };
}

/**
 * What an entry's operation has become. To find out takes a while, so that others are served in
 * between.
 */
async function outcomeFor(
  service: Service,
  entry: JournalEntry,
  known: Outcomes,
): Promise<Outcome | undefined> {
  const { service: name, operation, action, version } = entry;
  const key = JSON.stringify([name, operation, action, version]);
  if (known.has(key)) return known.get(key);
  await yieldToEventLoop();
  const from = service.definition.versions.find(version!);
  const lines = service.definition.routes.filter(
    ({ method, path }) => service.contract.idOf(method, path) === operation,
  );
  const outcome = from && lines[0] && becomeOf(service, lines, from, action);
  known.set(key, outcome);
  return outcome;
}

function becomeOf(
  { contract, definition }: Service,
  lines: readonly Route[],
  from: Version,
  action: string | null,
): Outcome {
  const { versions } = definition;
  const line = lines.find(({ span }) => inSpan(from, span, versions)) ?? lines[0]!;
  const outcome = outcomeOf(contract, line.method, line.path, versions, from, action ?? undefined);
  const span = action === null ? undefined : spanOf(line.actions?.[action]);
  const isThere =
    lines.some((one) => inSpan(versions.max, one.span, versions)) &&
    inSpan(versions.max, span, versions);
  return isThere ? outcome : { ...outcome, latest: 'gone' };
}

const spanOf = (action: Action | undefined): Route['span'] =>
  typeof action === 'object' ? action.span : undefined;

/**
 * The entries that have the same of what is looked at, in the order in which the first of each
 * came.
 */
function groupsOf(
  entries: readonly JournalEntry[],
  of: (entry: JournalEntry) => readonly unknown[],
): JournalEntry[][] {
  const groups = new Map<string, JournalEntry[]>();
  for (const entry of entries) {
    const key = JSON.stringify(of(entry));
    const group = groups.get(key);
    if (group) group.push(entry);
    else groups.set(key, [entry]);
  }
  return [...groups.values()];
}
