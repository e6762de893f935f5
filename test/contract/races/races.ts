// Pairs of requests that race: what a scenario is, and how what two requests have left is compared
// with one after the other.
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
  /**
   * Makes the things under names that end with `name`, so that no two tries have anything in
   * common.
   */
  readonly setup: (ask: Ask, name: string) => Promise<Things>;
  readonly writes: (things: Things, name: string) => Readonly<Record<string, Line>>;
  readonly reads: (things: Things, name: string) => readonly string[];
  /**
   * Writes that are not raced through two processes: what they begin is done later, and what
   * another service has been asked for before may come upon it half done, and fail for that, as in
   * other clouds.
   */
  readonly later?: readonly string[];
  /** Takes away what the reads of the next try would find. */
  readonly cleanUp?: (ask: Ask, things: Things, name: string) => Promise<void>;
}

/**
 * Sends a request that must succeed.
 * @returns the value at `at` of its body, such as `server.id`
 */
export async function made(ask: Ask, [method, path, body]: Line, at = ''): Promise<string> {
  const answer = await ask(method, path, body);
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).to.be.lessThan(300);
  const value = at
    .split('.')
    .reduce<unknown>(
      (inner, key) => (inner as Record<string, unknown> | undefined)?.[key],
      answer.body,
    );
  return value as string;
}

/**
 * The headers of a request as the administrator of a project: every service at its newest version.
 */
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

/** Refusals that clients of Blazar and Senlin know as a 500. */
const refusals =
  /"error_message":"(Not enough hosts available"|Failed to create floating IP)|"message":"Failed in adopting /;

/** The status of an answer; that of a refusal is none of a failure. */
export const statusOf = ({ status, body }: Answer): number =>
  status === 500 && refusals.test(JSON.stringify(body)) ? 409 : status;

/** How two requests went, and what they left. */
export interface Outcome {
  /** The status of each. */
  readonly statuses: readonly [number, number];
  readonly left: unknown;
}

/**
 * Does the reads. What differs from try to try by nature has a word in its place: ids that the
 * writes drew, and names.
 */
export async function lookAt(
  ask: Ask,
  scenario: Scenario,
  things: Things,
  name: string,
): Promise<unknown> {
  const found: Record<string, unknown> = {};
  for (const path of scenario.reads(things, name)) {
    const { status, body } = await ask('GET', path);
    const parts = path.split(/([/?=&])/).map((part) => masked(part, things, name) as string);
    found[parts.join('')] = { status, body: masked(status < 400 ? body : null, things, name) };
  }
  return found;
}

const drawn =
  /[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}([0-9a-f]{24})?|\b[0-9a-f]{2}(:[0-9a-f]{2}){5}\b|instance-[0-9a-f]{8}|\br-[0-9a-z]{8}\b|\b(10|172)\.\d+\.0\.(?!(0|1|77)\b)\d+\b|\bCUSTOM_RESERVATION_[0-9A-F_]+\b|(?<=[a-z]_)[0-9a-f]{8}\b|(?<=\[)[0-9a-f]{8}(?=\])/g;

const drawnNumbers = new Set([
  'id',
  'aggregate_id',
  'provider:segmentation_id',
  'generation',
  'resource_provider_generation',
]);

function masked(value: unknown, things: Things, name: string): unknown {
  if (typeof value === 'string') {
    let text = value;
    for (const [key, id] of Object.entries(things)) {
      if (text === id) return `<${key}>`;
      if (id.length > 8) text = text.replaceAll(id, `<${key}>`);
    }
    return text.replaceAll(drawn, '<drawn>').replaceAll(new RegExp(name, 'gi'), '<name>');
  }
  if (Array.isArray(value)) {
    const all = value.map((one) => masked(one, things, name));
    return all.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  }
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([key, one]) => [
    masked(key, things, name),
    typeof one === 'number' && drawnNumbers.has(key) ? '<drawn>' : masked(one, things, name),
  ]);
  return Object.fromEntries(
    entries.toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1)),
  );
}

/** Every write with every write, itself included. */
export const pairsOf = (names: readonly string[]): (readonly [string, string])[] =>
  names.flatMap((one) => names.map((other) => [one, other] as const));

/** Every value in what is left, with where it stands. */
function leaves(value: unknown, at = ''): string[] {
  if (value === null || typeof value !== 'object') return [`${at} = ${JSON.stringify(value)}`];
  const inner = Object.entries(value).flatMap(([key, one]) =>
    leaves(one, Array.isArray(value) ? `${at}[]` : `${at} ${key}`),
  );
  return inner.length ? inner : [`${at} is empty`];
}

/** @throws Error with what differs from the nearer order, where the outcome is that of neither */
export function expectOneOrder(found: Outcome, orders: readonly Outcome[]): void {
  const { statuses } = found;
  for (const status of statuses) expect(status, statuses.join()).to.be.lessThan(500);
  const lines = leaves(found.left);
  const differences = orders.map((order) => {
    const expected = leaves(order.left);
    const only = (some: readonly string[], others: readonly string[], sign: string): string[] =>
      some.filter((line) => !others.includes(line)).map((line) => `${sign}${line}`);
    const told =
      order.statuses.join() === statuses.join()
        ? []
        : [`answers ${statuses.join()}, and not ${order.statuses.join()}`];
    return [...told, ...only(lines, expected, '+'), ...only(expected, lines, '-')];
  });
  const nearest = differences.toSorted((one, other) => one.length - other.length)[0]!;
  if (nearest.length)
    throw new Error(
      `This is what neither order gives; the nearer one differs in\n${nearest.join('\n')}`,
    );
}
