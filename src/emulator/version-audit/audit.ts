// The microversion audit: which versions clients asked for, and how the operations that they used
// differ at the newest version.
import { yieldToEventLoop } from '../../kernel/clock.ts';
import { selectRoute } from '../../kernel/http/routing.ts';
import { inSpan, type Version } from '../../kernel/microversion.ts';
import type { Action, Cloud, Route, Service } from '../../kernel/model.ts';
import { openJournal } from '../journal/journal.ts';
import { collect, filterFor, matchesAll } from '../journal/matching.ts';
import type { JournalEntry, JournalMatch } from '../journal/model.ts';
import { serviceNameOf } from '../services.ts';
import { outcomeOf } from './changes.ts';
import type { AuditedClient, AuditedOperation, Outcome } from './model.ts';

/**
 * Audits the requests that match and whose services have microversions. Requests for the documents
 * that list the versions are left out.
 * @throws 400, 409
 */
export async function auditVersions(
  cloud: Cloud,
  match: JournalMatch,
): Promise<readonly AuditedClient[]> {
  const filter = await filterFor(cloud, match);
  const entries = await collect(
    (await openJournal(cloud)).entries(filter.after),
    (entry) => filter.isInScope(entry) && matchesAll(filter, entry),
  );
  // A gateway has some of the routes of the service that it fronts, so that service is used.
  const own = cloud.services.filter(
    ({ definition }) => definition.api === undefined && definition.versions.list.length > 1,
  );
  const versioned = new Map<string | null, Service>(
    own.map((service) => [serviceNameOf(service), service]),
  );
  const known: Outcomes = new Map();
  const clients: AuditedClient[] = [];
  for (const group of groupBy(entries.filter(usesVersion(versioned)), (entry) => [
    entry.service,
    entry.user_agent,
  ]))
    clients.push(await auditClient(versioned.get(group[0]!.service!)!, group, known));
  return clients.toSorted((one, other) => sortKeyOf(one).localeCompare(sortKeyOf(other)));
}

/**
 * Whether the version matters to a request. It does not for the documents that list the versions:
 * these are at the root, or use the newest version if the request asks for none.
 */
const usesVersion =
  (versioned: ReadonlyMap<string | null, Service>) =>
  ({ service, path, version, version_asked: asked }: JournalEntry): boolean => {
    const { versions } = versioned.get(service)?.definition ?? {};
    return (
      versions !== undefined &&
      path !== '/' &&
      (asked !== null || version === null || version === versions.min.name)
    );
  };

const sortKeyOf = ({ service, user_agent }: AuditedClient): string =>
  `${service} ${user_agent ?? ''}`;

/** Outcomes that have been computed, by service, operation, action and version. */
type Outcomes = Map<string, Outcome | undefined>;

async function auditClient(
  service: Service,
  entries: readonly JournalEntry[],
  known: Outcomes,
): Promise<AuditedClient> {
  const { versions } = service.definition;
  const isUnversioned = ({ version_asked, version }: JournalEntry): boolean =>
    version_asked === null && version === versions.min.name;
  const asked = groupBy(entries, ({ version_asked, version }) => [version_asked, version]);
  const called = entries.flatMap((entry) => withOperation(service, entry) ?? []);
  const operations: AuditedOperation[] = [];
  let unchanged = 0;
  for (const group of groupBy(called, ({ operation, action, version }) => [
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
 * The entry with its operation. If the version used has none for the request, it is the operation
 * at the newest version. Undefined if the request was rejected because of its version.
 */
function withOperation(service: Service, entry: JournalEntry): JournalEntry | undefined {
  const { operation, version, path, method, status } = entry;
  if (version === null || operation !== null) return version === null ? undefined : entry;
  const { versions } = service.definition;
  const match = status === 404 || status === 405 ? service.match(path) : undefined;
  const { route } = match ? selectRoute(match, method, versions.max, versions) : {};
  return route && { ...entry, operation: service.contract.idOf(method, route.path) ?? null };
}

/**
 * Compares an entry's operation with the newest version. This takes some time, so it first lets
 * other requests proceed.
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
  const routes = service.definition.routes.filter(
    ({ method, path }) => service.contract.idOf(method, path) === operation,
  );
  const outcome = from && routes[0] && compareRoutes(service, routes, from, action);
  known.set(key, outcome);
  return outcome;
}

function compareRoutes(
  { contract, definition }: Service,
  routes: readonly Route[],
  from: Version,
  action: string | null,
): Outcome {
  const { versions } = definition;
  const route = routes.find(({ span }) => inSpan(from, span, versions)) ?? routes[0]!;
  const outcome = outcomeOf(
    contract,
    route.method,
    route.path,
    versions,
    from,
    action ?? undefined,
  );
  const span = action === null ? undefined : spanOf(route.actions?.[action]);
  const existsAtNewest =
    routes.some((one) => inSpan(versions.max, one.span, versions)) &&
    inSpan(versions.max, span, versions);
  return existsAtNewest ? outcome : { ...outcome, latest: 'gone' };
}

const spanOf = (action: Action | undefined): Route['span'] =>
  typeof action === 'object' ? action.span : undefined;

/** Groups entries with equal keys, in the order of the first entry of each group. */
function groupBy(
  entries: readonly JournalEntry[],
  keyOf: (entry: JournalEntry) => readonly unknown[],
): JournalEntry[][] {
  const groups = new Map<string, JournalEntry[]>();
  for (const entry of entries) {
    const key = JSON.stringify(keyOf(entry));
    const group = groups.get(key);
    if (group) group.push(entry);
    else groups.set(key, [entry]);
  }
  return [...groups.values()];
}
