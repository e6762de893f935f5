// How a gateway's table is made: its lines are Nova's and Cinder's own, with handlers of the
// gateway.
import type { ServiceDefinition, Route } from '../../kernel/model.ts';
import type { GatewayCall, Handler } from './call.ts';

/**
 * Methods, a path of the other table (`*` at its end for all below that no line before names), and
 * what the gateway does.
 */
export type Line = readonly [methods: string, path: string, handler: Handler];

/**
 * The lines of a card's table that a gateway has: span, policy and actions are the card's. No
 * handler runs in a transaction, because it asks other services, which have transactions of their
 * own.
 * @throws Error for a line that the card does not have
 */
export function tableOf({ name, routes }: ServiceDefinition, lines: readonly Line[]): Route[] {
  const taken = new Set<Route>();
  return lines.flatMap(([methods, path, handler]) => {
    const named = methods.split(' ');
    const found = routes.filter(
      (route) => !taken.has(route) && named.includes(route.method) && matches(route.path, path),
    );
    if (!found.length) throw new Error(`${name} has no ${methods} ${path}`);
    for (const route of found) taken.add(route);
    return found.map((route) => ({
      ...route,
      handler: (call: unknown) => handler(call as GatewayCall),
      single: true,
    }));
  });
}

const matches = (path: string, pattern: string): boolean =>
  pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
