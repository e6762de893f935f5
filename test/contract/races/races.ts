// Pairs of requests that race: what a scenario is, and how what two requests have left is compared with one after the other.
import { expect } from 'chai';

/** What a service replied. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Sends a request; the path begins with the service's prefix. */
export type Ask = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** Ids by what they are of, such as `server`. */
export type Things = Readonly<Record<string, string>>;

/** A request of a table: the body is sent as JSON. */
export type Line = readonly [method: string, path: string, body?: unknown];

/** Things, the writes that touch them, and the reads that show all that these can leave. */
export interface Scenario {
  readonly name: string;
  /** Makes the things under names that end with `name`, so that no two tries have anything in common. */
  readonly setup: (ask: Ask, name: string) => Promise<Things>;
  readonly writes: (things: Things, name: string) => Readonly<Record<string, Line>>;
  readonly reads: (things: Things, name: string) => readonly string[];
}

/** Sends a request that must succeed. @returns the value at `at` of its body, such as `server.id` */
export async function made(ask: Ask, [method, path, body]: Line, at = ''): Promise<string> {
  const answer = await ask(method, path, body);
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).to.be.lessThan(300);
  const value = at.split('.').reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], answer.body);
  return value as string;
}

/** The headers of a request as the administrator of a project: every service at its newest version. */
export function headersFor(path: string, token: string, body: unknown): Record<string, string> {
  const service = /^\/(\w+)/.exec(path)?.[1] ?? '';
  const versions: Readonly<Record<string, string>> = {
    compute: 'compute 2.100',
    placement: 'placement 1.39',
    volume: 'volume 3.70',
    clustering: 'clustering 1.14',
  };
  const type = path.endsWith('/file')
    ? 'application/octet-stream'
    : /^\/image.*/.test(path) && Array.isArray(body)
      ? 'application/openstack-images-v2.1-json-patch'
      : 'application/json';
  return {
    'x-auth-token': token,
    ...(versions[service] ? { 'openstack-api-version': versions[service] } : {}),
    ...(body === undefined ? {} : { 'content-type': type }),
  };
}

/** How two requests went, and what they left. */
export interface Outcome {
  /** The status of each, by its name and place in the pair. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly left: unknown;
}

/** Does the reads. What differs from try to try by nature has a word in its place: ids that the writes drew, and names. */
export async function lookAt(ask: Ask, scenario: Scenario, things: Things, name: string): Promise<unknown> {
  const found: Record<string, unknown> = {};
  for (const path of scenario.reads(things, name)) {
    const { status, body } = await ask('GET', path);
    found[masked(path, things, name) as string] = { status, body: masked(status < 400 ? body : null, things, name) };
  }
  return found;
}

const drawn =
  /[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}|\b[0-9a-f]{2}(:[0-9a-f]{2}){5}\b|\b\d{10}\.\d+\b/g;

function masked(value: unknown, things: Things, name: string): unknown {
  if (typeof value === 'string') {
    let text = value;
    for (const [key, id] of Object.entries(things)) text = text.replaceAll(id, `<${key}>`);
    return text.replaceAll(drawn, '<drawn>').replaceAll(name, '<name>');
  }
  if (Array.isArray(value)) {
    const all = value.map((one) => masked(one, things, name));
    return all.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  }
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([key, one]) => [
    masked(key, things, name),
    key === 'id' && typeof one === 'number' ? '<drawn>' : masked(one, things, name),
  ]);
  return Object.fromEntries(entries.toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1)));
}

/** Every write with every write, itself included. */
export const pairsOf = (names: readonly string[]): (readonly [string, string])[] =>
  names.flatMap((one) => names.map((other) => [one, other] as const));

/** @throws Error that shows all three where the outcome is that of neither order */
export function expectOneOrder(found: Outcome, orders: readonly Outcome[]): void {
  for (const status of Object.values(found.statuses)) expect(status, JSON.stringify(found.statuses)).to.not.equal(500);
  const text = JSON.stringify(found);
  if (orders.some((order) => JSON.stringify(order) === text)) return;
  // Chai shows where the outcome differs from the nearer of the two.
  const same = orders.find(({ statuses }) => JSON.stringify(statuses) === JSON.stringify(found.statuses));
  if (same) expect(found).to.deep.equal(same);
  expect(found.statuses, 'neither order').to.deep.equal(orders[0]!.statuses);
  throw new Error(`neither order: ${text}`);
}
