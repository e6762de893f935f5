// Decides which requests a fault rule matches, and rejects rules that can match none.
import { pathMatches } from '../../kernel/path-pattern.ts';
import { badRequest } from '../../kernel/errors.ts';
import { actionNameOf } from '../../kernel/http/actions.ts';
import { inSpan, type Version, type Versions } from '../../kernel/microversion.ts';
import type { Cloud, Route, RoutedRequest, Service } from '../../kernel/model.ts';
import { isServedIn, regionNamed } from '../../kernel/regions.ts';
import { serviceNamed, serviceNameOf, sharedByRegions } from '../services.ts';
import type { FaultMatch } from './model.ts';

/** Whether a rule matches a request that has passed the service's checks. */
export function matches(match: FaultMatch, call: RoutedRequest): boolean {
  const { service, caller } = call;
  return (
    (match.inside ?? false) === (call.received === undefined) &&
    isOneOf(match.service, [serviceNameOf(service)]) &&
    isOneOf(match.region, [
      service.definition.database === 'region' ? call.region.name : undefined,
    ]) &&
    isOneOf(match.method, [call.method]) &&
    isOneOf(match.operation, [call.operation?.id, actionNameOf(call)]) &&
    isOneOf(match.project, [caller?.projectId, caller?.projectName]) &&
    isOneOf(match.user, [caller?.userId, caller?.userName]) &&
    isBetween(call.version, match, service.definition.versions) &&
    hasHeaders(call.headers, match.headers) &&
    (match.path === undefined || pathMatches(call.path, match.path))
  );
}

const isOneOf = (expected: string | undefined, actual: readonly (string | undefined)[]): boolean =>
  expected === undefined || actual.includes(expected);

const isBetween = (
  version: Version,
  { min_version: min, max_version: max }: FaultMatch,
  all: Versions,
): boolean =>
  (min === undefined || version.index >= (all.find(min)?.index ?? Infinity)) &&
  (max === undefined || version.index <= (all.find(max)?.index ?? -1));

const hasHeaders = (
  actual: RoutedRequest['headers'],
  expected: FaultMatch['headers'] = {},
): boolean =>
  Object.entries(expected).every(([name, text]) => actual[name]?.toString().includes(text));

/** A route with the service that it belongs to. */
interface ServiceRoute {
  readonly service: Service;
  readonly route: Route;
}

/** @throws 400 if no request can match; the message lists valid values */
export function checkMatch(cloud: Cloud, match: FaultMatch): void {
  const services = servicesOf(cloud, match);
  checkVersions(services, match);
  const routes = services.flatMap((service) =>
    service.definition.routes.map((route): ServiceRoute => ({ service, route })),
  );
  const { service, operation, method, path, min_version: min, max_version: max } = match;
  const named =
    operation === undefined
      ? routes
      : routes.filter((route) => operationNamesOf(route).includes(operation));
  if (!named.length)
    throw badRequest(
      `${service === undefined ? 'No service has an' : `${service} has no`} operation or ` +
        `action '${operation}'. ${suggestionFor(routes, operation!)}`,
    );
  const canMatch = ({ route, service: { definition } }: ServiceRoute): boolean =>
    isOneOf(method, [route.method]) &&
    (path === undefined || canMatchPath(route.path, path)) &&
    definition.versions.list.some(
      (version) =>
        isBetween(version, match, definition.versions) &&
        inSpan(version, route.span, definition.versions),
    );
  if (named.some(canMatch)) return;
  const conditions = [operation, method, path, min && `from ${min}`, max && `up to ${max}`].filter(
    (one) => one !== undefined,
  );
  throw badRequest(
    'No request can match: ' +
      `${service === undefined ? 'no service has a' : `${service} has no`} route for ` +
      `${conditions.join(' ')}. Give the path as in api-ref, without the service's prefix, ` +
      'such as /v2.1/servers/*; * matches one segment, ** any number.',
  );
}

/** The services that a rule can match. @throws 400 */
function servicesOf(cloud: Cloud, match: FaultMatch): readonly Service[] {
  const region = match.region === undefined ? undefined : regionNamed(cloud, match.region);
  const own = match.service === undefined ? undefined : serviceNamed(cloud, match.service);
  if (region && own?.definition.database === 'central') throw sharedByRegions(match.service!);
  const isServed = ({ definition }: Service): boolean =>
    region
      ? definition.database === 'region' && isServedIn(definition, region)
      : definition.database !== 'none';
  const found = cloud.services.filter(
    (service) => isOneOf(match.service, [serviceNameOf(service)]) && isServed(service),
  );
  if (!found.length) throw badRequest(`Region ${match.region} has no service ${match.service}.`);
  return found;
}

/** @throws 400 */
function checkVersions(
  [service]: readonly Service[],
  { service: name, min_version: min, max_version: max }: FaultMatch,
): void {
  if (min === undefined && max === undefined) return;
  if (name === undefined) throw badRequest('Each service has its own versions. Give service too.');
  const { versions } = service!.definition;
  const unknown = [min, max].find((one) => one !== undefined && !versions.find(one));
  if (unknown !== undefined)
    throw badRequest(
      `${name} has no version ${unknown}. Its versions are ${versions.min.name} to ` +
        `${versions.max.name}.`,
    );
  if (
    min !== undefined &&
    max !== undefined &&
    versions.find(min)!.index > versions.find(max)!.index
  )
    throw badRequest(`min_version ${min} is later than max_version ${max}. Swap the two.`);
}

/** The operation's id in api-ref, and the names of the route's actions. */
const operationNamesOf = ({
  service,
  route: { method, path, actions = {} },
}: ServiceRoute): readonly string[] => [
  service.contract.idOf(method, path) ?? '',
  ...Object.keys(actions),
];

/** The maximum number of names that an error message suggests. */
const maxSuggestions = 20;

/** Suggests operations of the same resource, and names that contain the unknown one. */
function suggestionFor(routes: readonly ServiceRoute[], name: string): string {
  const [resource] = name.split(':', 1);
  const similar = [...new Set(routes.flatMap(operationNamesOf))].filter(
    (one) => one.split(':', 1)[0] === resource || one.includes(name),
  );
  return similar.length
    ? `Similar names: ${similar.slice(0, maxSuggestions).join(', ')}.`
    : 'Use a name from api-ref, such as servers:create or os-start.';
}

/** Whether any path of a route, such as `/servers/:id`, can match the pattern. */
function canMatchPath(template: string, pattern: string): boolean {
  const [segments, patterns] = [template.split('/'), pattern.split('/')];
  const wildcard = patterns.findIndex((segment) => segment.includes('**'));
  if (wildcard < 0 && segments.length !== patterns.length) return false;
  return patterns
    .slice(0, wildcard < 0 ? patterns.length : wildcard)
    .every(
      (segment, index) =>
        segments[index] !== undefined &&
        (segments[index].startsWith(':') || pathMatches(segments[index], segment)),
    );
}
