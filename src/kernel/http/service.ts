// The card that makes a service itself, and mounting it: its table compiled for look-up.
import type { Policy, RuleDefaults } from '../auth/policy.ts';
import type { Micros } from '../clock.ts';
import type { Db } from '../db/open.ts';
import type { JobHandler } from '../jobs.ts';
import type { Cloud, Region } from '../model.ts';
import type { Call, Reply, Step } from './reply.ts';
import { Contract } from './contract.ts';
import type { Fault } from '../fault.ts';
import { inSpan, type Span, type Version, type Versions } from '../microversion.ts';

/** One line of a service's table. A path may stand several times with spans that do not meet. */
export interface Route<V extends string = string> {
  readonly method: string;
  /** `/resource_classes/:name`, relative to the service's root. */
  readonly path: string;
  readonly span?: Span<V>;
  /** The status outside of the span, where it is not 404. */
  readonly outside?: number;
  /** The rule that the service's `checks` ask for; where a rule needs more than the request, the handler asks. */
  readonly policy?: string;
  handler(call: Call<V>): Reply | Promise<Reply>; // a method, so that a service's calls go where any call goes
  /** Needs no token. */
  readonly open?: boolean;
  /** A GET that is a single query, or none: it needs no transaction to see one state. */
  readonly single?: boolean;
  /** Anything else that the service's own steps want to know. */
  readonly [own: string]: unknown;
}

/** Everything that makes a service itself. */
export interface Card<V extends string = string> {
  readonly name: string;
  /** The type in the catalog; undefined keeps it out. */
  readonly type?: string;
  readonly description: string;
  readonly prefix: string;
  /** Central services live in the cloud's database, the others in each region's; one at home in the process answers without any. */
  readonly home: 'central' | 'region' | 'process';
  readonly versions: Versions<V>;
  readonly routes: readonly Route<V>[];
  readonly policy: RuleDefaults;
  /** The order of refusals: before the route is looked for, and after. */
  readonly before: readonly Step[];
  readonly checks: readonly Step[];
  /** Tells a fault in the service's dialect. */
  tell(fault: Fault, call: Call<V>): Reply;
  /** Headers on every answer of the service. */
  headers?(call: Call<V>): Record<string, string>;
  /** Larger bodies are refused with 413; bytes. */
  readonly bodyLimit: number;
  /** What an empty database starts with; run at each start and after a reset, so it must not mind what is there. */
  readonly seed?: (seed: Seed) => Promise<void>;
  readonly jobs?: Readonly<Record<string, JobHandler<{ cloud: Cloud; region: Region }>>>;
  /** The path of the catalog's URL below the service's base. */
  readonly catalogPath?: string;
}

export interface Seed {
  readonly cloud: Cloud;
  readonly region: Region;
  readonly db: Db;
  readonly now: Micros;
}

/** A service in a cloud: its card, with table, contract and policy ready for use. */
export interface Service<V extends string = string> {
  readonly card: Card<V>;
  readonly contract: Contract;
  readonly policy: Policy;
  /** Looks a path up; undefined where nothing has it. */
  find(path: string): Place<V> | undefined;
}

/** What stands at a path: its lines of the table, and the parameters. */
export interface Place<V extends string = string> {
  readonly routes: readonly Route<V>[];
  readonly params: Readonly<Record<string, string>>;
}

/** Mounts a card: compiles its table. */
export function mount<V extends string>(card: Card<V>, policy: Policy, contract = new Contract(card.name)): Service<V> {
  const root: Node<V> = { literals: new Map(), routes: [], names: [] };
  for (const route of card.routes) plant(root, route);
  return { card, contract, policy, find: (path) => look(root, path) };
}

/** The methods that a path has, in the table's order, as Allow lists them. */
export function methodsOf(routes: readonly Route[]): string[] {
  return [...new Set(routes.map((route) => route.method))];
}

/** The line for a method at a version; where none has the version, the line that says what is answered outside. */
export function choose<V extends string>(
  place: Place<V>,
  method: string,
  at: Version<V>,
  all: Versions<V>,
): { route?: Route<V>; outside?: Route<V> } {
  const lines = place.routes.filter((route) => route.method === method);
  const route = lines.find((line) => inSpan(at, line.span, all));
  return route ? { route } : lines[0] ? { outside: lines[0] } : {};
}

interface Node<V extends string> {
  readonly literals: Map<string, Node<V>>;
  parameter?: Node<V>;
  readonly routes: Route<V>[];
  names: string[];
}

function plant<V extends string>(root: Node<V>, route: Route<V>): void {
  let node = root;
  const names: string[] = [];
  for (const part of route.path.split('/').slice(1)) {
    if (part.startsWith(':')) names.push(part.slice(1));
    node = part.startsWith(':') ? (node.parameter ??= empty()) : (node.literals.get(part) ?? grow(node, part));
  }
  node.routes.push(route);
  node.names = names;
}

function empty<V extends string>(): Node<V> {
  return { literals: new Map(), routes: [], names: [] };
}

function grow<V extends string>(node: Node<V>, part: string): Node<V> {
  const child = empty<V>();
  node.literals.set(part, child);
  return child;
}

function look<V extends string>(root: Node<V>, path: string): Place<V> | undefined {
  const parts = path.split('/').slice(1);
  const found = walk(root, parts, 0, []);
  if (!found) return undefined;
  const params: Record<string, string> = {};
  found.node.names.forEach((name, index) => (params[name] = decoded(found.values[index]!)));
  return { routes: found.node.routes, params };
}

function walk<V extends string>(
  node: Node<V>,
  parts: readonly string[],
  at: number,
  values: readonly string[],
): { node: Node<V>; values: readonly string[] } | undefined {
  if (at === parts.length) return node.routes.length ? { node, values } : undefined;
  const part = parts[at]!;
  const literal = node.literals.get(part);
  const found = literal && walk(literal, parts, at + 1, values);
  if (found || !node.parameter || part === '' || /%2f/i.test(part)) return found;
  return walk(node.parameter, parts, at + 1, [...values, part]);
}

/** A path segment with its escapes taken out; what does not decode stays as it came, and so names nothing. */
function decoded(part: string): string {
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
