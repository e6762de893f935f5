// Builds a gateway's route table: routes of Nova or Cinder with the gateway's handlers.
import type { ServiceDefinition, Route } from '../../kernel/model.ts';
import type { GatewayCall, Handler } from './call.ts';

/**
 * Methods, a path of the other service's route table, and the gateway's handler. A `*` at the end
 * of the path selects all routes below it that no earlier entry has selected.
 */
export type RouteEntry = readonly [methods: string, path: string, handler: Handler];

/**
 * Selects routes of another service's definition and replaces their handlers. Versions, policy and
 * actions remain the other service's. No handler runs in a transaction, because it calls services
 * that open their own transactions.
 * @throws Error for an entry that selects no route
 */
export function buildRoutes(
  { name, routes }: ServiceDefinition,
  entries: readonly RouteEntry[],
): Route[] {
  const selected = new Set<Route>();
  return entries.flatMap(([methodList, path, handler]) => {
    const methods = methodList.split(' ');
    const matching = routes.filter(
      (route) =>
        !selected.has(route) && methods.includes(route.method) && matches(route.path, path),
    );
    if (!matching.length) throw new Error(`${name} has no route ${methodList} ${path}`);
    for (const route of matching) selected.add(route);
    return matching.map((route) => ({
      ...route,
      handler: (call: unknown) => handler(call as GatewayCall, route),
      single: true,
    }));
  });
}

const matches = (path: string, pattern: string): boolean =>
  pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
