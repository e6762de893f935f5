// Repeated slashes in paths, which clients send if they join an endpoint that ends in a slash with
// a path: each service treats them like its upstream's web framework.
import type { LocatedRequest, Reply, ServiceDefinition, TimedRequest } from '../model.ts';
import { reply } from './reply.ts';

const repeated = /\/{2,}/g;

/** The path that the service sees. */
export function pathSeenBy({ slashes }: ServiceDefinition, path: string): string {
  if (slashes === undefined || !path.includes('//')) return path;
  if (slashes === 'folded') return path.replaceAll(repeated, '/');
  return slashes === 'folded at the start' ? path.replace(/^\/{2,}/, '/') : path;
}

/** The redirection to the path without repeated slashes, if a route has that path and method. */
export function redirectFolded(request: TimedRequest): Reply | undefined {
  const { service, path, method } = request;
  if (service.definition.slashes !== 'redirected' || !path.includes('//')) return undefined;
  const folded = path.replaceAll(repeated, '/');
  const exists = service.match(folded)?.routes.some((route) => route.method === method);
  return exists ? redirectTo(request, folded) : undefined;
}

const redirectTo = ({ origin, prefix, query }: LocatedRequest, path: string): Reply =>
  reply(308, '<!doctype html>\n<title>Permanent Redirect</title>\n', {
    'content-type': 'text/html; charset=utf-8',
    location: `${origin}${prefix}${path}${query.text === '' ? '' : `?${query.text}`}`,
  });
