// Which requests a fault rule is about, and whether there can be any.
import { pathMatches } from '../../kernel/path-pattern.ts';
import type { FaultMatch } from './store.ts';
import { badRequest } from '../../kernel/errors.ts';
import { actionNameOf } from '../../kernel/http/actions.ts';
import { inSpan, type Version, type Versions } from '../../kernel/microversion.ts';
import type { Cloud, Route, RoutedRequest, Service } from '../../kernel/model.ts';
import { isServedIn, regionNamed } from '../../kernel/regions.ts';
import { serviceNamed } from '../reset/reset.ts';

/**
 * The name of a service that rules and the journal have for it: a gateway speaks as the service for
 * which it stands.
 */
export const nameOf = ({ definition }: Service): string => definition.api ?? definition.name;

/** Whether a rule is about a request that its service has let in. */
export function matches(match: FaultMatch, call: RoutedRequest): boolean {
  const { service, caller } = call;
  return (
    (match.inside ?? false) === (call.received === undefined) &&
    isOne(match.service, [nameOf(service)]) &&
    isOne(match.region, [
      service.definition.database === 'region' ? call.region.name : undefined,
    ]) &&
    isOne(match.method, [call.method]) &&
    isOne(match.operation, [call.operation?.id, actionNameOf(call)]) &&
    isOne(match.project, [caller?.projectId, caller?.projectName]) &&
    isOne(match.user, [caller?.userId, caller?.userName]) &&
    isBetween(call.version, match, service.definition.versions) &&
    hasHeaders(call.headers, match.headers) &&
    (match.path === undefined || pathMatches(call.path, match.path))
  );
}

const isOne = (wanted: string | undefined, given: readonly (string | undefined)[]): boolean =>
  wanted === undefined || given.includes(wanted);

const isBetween = (
  version: Version,
  { min_version: min, max_version: max }: FaultMatch,
  all: Versions,
): boolean =>
  (min === undefined || version.index >= (all.find(min)?.index ?? Infinity)) &&
  (max === undefined || version.index <= (all.find(max)?.index ?? -1));

const hasHeaders = (given: RoutedRequest['headers'], wanted: FaultMatch['headers'] = {}): boolean =>
  Object.entries(wanted).every(([name, text]) => given[name]?.toString().includes(text));

/** A line of a service's table. */
interface Line {
  readonly service: Service;
  readonly route: Route;
}

/** @throws 400 for what can match no request, with what there is */
export function checkMatch(cloud: Cloud, match: FaultMatch): void {
  const services = servicesOf(cloud, match);
  checkVersions(services, match);
  const lines = services.flatMap((service) =>
    service.definition.routes.map((route): Line => ({ service, route })),
  );
  const {
    service = 'any service',
    operation,
    method,
    path,
    min_version: min,
    max_version: max,
  } = match;
  const named = operation === undefined ? lines : lines.filter((line) => isCalled(line, operation));
  if (!named.length)
    throw badRequest(
      `${service} has no operation or action '${operation}'. ${nearTo(lines, operation!)}`,
    );
  const fits = ({ route, service: { definition } }: Line): boolean =>
    isOne(method, [route.method]) &&
    (path === undefined || canMeet(route.path, path)) &&
    definition.versions.list.some(
      (version) =>
        isBetween(version, match, definition.versions) &&
        inSpan(version, route.span, definition.versions),
    );
  if (named.some(fits)) return;
  const asked = [operation, method, path, min && `from ${min}`, max && `up to ${max}`].filter(
    (one) => one !== undefined,
  );
  throw badRequest(
    `No request can match: ${service} has nothing that is ${asked.join(' ')}. A path is as in api-ref, below the service's prefix, such as /v2.1/servers/*; * stands for one segment, ** for any.`,
  );
}

/** The services that a rule can be about. @throws 400 */
function servicesOf(cloud: Cloud, match: FaultMatch): readonly Service[] {
  const region = match.region === undefined ? undefined : regionNamed(cloud, match.region);
  const own = match.service === undefined ? undefined : serviceNamed(cloud, match.service);
  if (region && own?.definition.database === 'central')
    throw badRequest(`${match.service} is the same in all regions. Leave region out.`);
  const isThere = ({ definition }: Service): boolean =>
    region
      ? definition.database === 'region' && isServedIn(definition, region)
      : definition.database !== 'none';
  const found = cloud.services.filter(
    (service) => isOne(match.service, [nameOf(service)]) && isThere(service),
  );
  if (!found.length) throw badRequest(`${match.region} has no ${match.service}.`);
  return found;
}

/** @throws 400 */
function checkVersions(
  [service]: readonly Service[],
  { service: name, min_version: min, max_version: max }: FaultMatch,
): void {
  if (min === undefined && max === undefined) return;
  if (name === undefined)
    throw badRequest('Versions are those of one service: name it in service.');
  const { versions } = service!.definition;
  const unknown = [min, max].find((one) => one !== undefined && !versions.find(one));
  if (unknown !== undefined)
    throw badRequest(
      `${name} has no version ${unknown}. Its versions are ${versions.min.name} to ${versions.max.name}.`,
    );
  if (
    min !== undefined &&
    max !== undefined &&
    versions.find(min)!.index > versions.find(max)!.index
  )
    throw badRequest(`No version is from ${min} up to ${max}.`);
}

/** Whether an operation or an action of the line has the name. */
const isCalled = (line: Line, name: string): boolean => namesOf(line).includes(name);

const namesOf = ({ service, route: { method, path, actions = {} } }: Line): readonly string[] => [
  service.contract.idOf(method, path) ?? '',
  ...Object.keys(actions),
];

/** The most names that a refusal tells. */
const mostNames = 20;

/** Names that one may have meant: those of the same resource, and those that contain it. */
function nearTo(lines: readonly Line[], name: string): string {
  const [resource] = name.split(':', 1);
  const near = [...new Set(lines.flatMap(namesOf))].filter(
    (one) => one.split(':', 1)[0] === resource || one.includes(name),
  );
  const told = near.length ? near.slice(0, mostNames) : ['servers:create', 'os-start'];
  return `${near.length ? 'There are' : 'Names are as in api-ref, such as'} ${told.join(', ')}.`;
}

/** Whether a path of the table, such as `/servers/:id`, can be one that the pattern matches. */
function canMeet(template: string, pattern: string): boolean {
  const [parts, wanted] = [template.split('/'), pattern.split('/')];
  const open = wanted.findIndex((part) => part.includes('**'));
  if (open < 0 && parts.length !== wanted.length) return false;
  return wanted
    .slice(0, open < 0 ? wanted.length : open)
    .every(
      (part, at) =>
        parts[at] !== undefined && (parts[at].startsWith(':') || pathMatches(parts[at], part)),
    );
}
