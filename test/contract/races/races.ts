// Defines race scenarios, and compares the outcome of two concurrent requests with the two
// sequential outcomes.
import { expect } from 'chai';

/** A reply of a service. */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** Sends a request; the path begins with the service's prefix. */
export type Send = (method: string, path: string, body?: unknown) => Promise<Reply>;

/** Ids of the resources of a scenario, by a name such as `server`. */
export type Ids = Readonly<Record<string, string>>;

/** A request of a scenario. The body is sent as JSON. */
export type RequestSpec = readonly [method: string, path: string, body?: unknown];

/** Resources, the writes that affect them, and the reads that show every effect of these writes. */
export interface Scenario {
  readonly name: string;
  /** Creates the resources, with names that end in `name`, so that attempts share no resource. */
  readonly setup: (send: Send, name: string) => Promise<Ids>;
  readonly writes: (ids: Ids, name: string) => Readonly<Record<string, RequestSpec>>;
  readonly reads: (ids: Ids, name: string) => readonly string[];
  /**
   * Writes that two processes do not race: they finish in a job, and a request that another service
   * has already sent may find the job half done and fail. Real clouds behave the same way.
   */
  readonly finishLater?: readonly string[];
  /** Deletes what the reads of the next attempt would find. */
  readonly cleanUp?: (send: Send, ids: Ids, name: string) => Promise<void>;
}

/**
 * Sends a request that must succeed.
 * @returns the value at the path `at` of the reply's body, such as `server.id`
 */
export async function mustSucceed(
  send: Send,
  [method, path, body]: RequestSpec,
  at = '',
): Promise<string> {
  const reply = await send(method, path, body);
  expect(reply.status, `${method} ${path}: ${JSON.stringify(reply.body)}`).to.be.lessThan(300);
  const value = at
    .split('.')
    .reduce<unknown>(
      (inner, key) => (inner as Record<string, unknown> | undefined)?.[key],
      reply.body,
    );
  return value as string;
}

/**
 * The headers of a request by a project's administrator, with each service at its newest version.
 */
export function headersFor(path: string, token: string, body: unknown): Record<string, string> {
  const service = /^\/(\w+)/.exec(path)?.[1] ?? '';
  const versions: Readonly<Record<string, string>> = {
    compute: 'compute 2.100',
    placement: 'placement 1.39',
    volume: 'volume 3.70',
    clustering: 'clustering 1.14',
  };
  const type = /\/(file|stage)$/.test(path)
    ? 'application/octet-stream'
    : /^\/image.*/.test(path) && Array.isArray(body)
      ? 'application/openstack-images-v2.1-json-patch'
      : /\/oidc\/.*\/token$/.test(path)
        ? 'application/x-www-form-urlencoded'
        : 'application/json';
  return {
    'x-auth-token': token,
    ...ownerOf(body),
    ...assertionOf(body),
    // Only services may bind ports, and noauth2 takes the roles from this header.
    ...(path.includes('/bindings') ? { 'x-roles': 'admin,service' } : {}),
    ...(versions[service] ? { 'openstack-api-version': versions[service] } : {}),
    ...(body === undefined ? {} : { 'content-type': type }),
  };
}

/** A port with a project is created by a member of the project, and not by the administrator. */
function ownerOf(body: unknown): Record<string, string> {
  const owner = (body as { port?: { project_id?: string } } | undefined)?.port?.project_id;
  return owner === undefined ? {} : { 'x-auth-token': `ann:${owner}`, 'x-roles': 'member,reader' };
}

/** An assertion is in the body, because requests of scenarios have no headers. */
function assertionOf(body: unknown): Record<string, string> {
  const assertion = (body as { assertion?: string } | undefined)?.assertion;
  return assertion === undefined ? {} : { authorization: `Bearer ${assertion}` };
}

/** Errors that Blazar and Senlin return as 500 although the client caused them. */
const refusals = [
  /"error_message":"(Not enough hosts available"|Failed to create floating IP)/,
  /"message":"Failed in adopting /,
];

/** The status of a reply. A 500 that is such a refusal counts as 409. */
export const statusOf = ({ status, body }: Reply): number =>
  status === 500 && refusals.some((one) => one.test(JSON.stringify(body))) ? 409 : status;

/**
 * The name of an attempt. Replies that contain it for another reason, such as a public key with the
 * letters `R6`, would differ from those of other attempts. It ends in a letter, so that none is the
 * beginning of another.
 */
export const attemptName = (unique: string): string => `RACE${unique}Z`;

/** The statuses of two requests, and the state after them. */
export interface Outcome {
  /** The status of each request. */
  readonly statuses: readonly [number, number];
  readonly state: unknown;
}

/**
 * Sends the reads. Values that differ in each attempt (generated ids and the attempt's name) are
 * replaced by placeholders.
 */
export async function readState(
  send: Send,
  scenario: Scenario,
  ids: Ids,
  name: string,
): Promise<unknown> {
  const found: Record<string, unknown> = {};
  for (const path of scenario.reads(ids, name)) {
    const { status, body } = await send('GET', path);
    const parts = path.split(/([/?=&])/).map((part) => masked(part, ids, name) as string);
    found[parts.join('')] = { status, body: masked(status < 400 ? body : null, ids, name) };
  }
  return found;
}

/** Ids, MAC and IP addresses, names made from them, and ports of processes. */
const generated = new RegExp(
  [
    /[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}([0-9a-f]{24}([0-9a-f]{8})?)?/,
    /\b[0-9a-f]{2}(:[0-9a-f]{2}){5}\b/,
    /instance-[0-9a-f]{8}/,
    /(?<=127\.0\.0\.1:)\d+/,
    /\br-[0-9a-z]{8}\b/,
    /\b(10|172)\.\d+\.0\.(?!(0|1|77)\b)\d+\b/,
    /\bCUSTOM_RESERVATION_[0-9A-F_]+\b/,
    /(?<=[a-z]_)[0-9a-f]{8}\b/,
    /(?<=\[)[0-9a-f]{8}(?=\])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

const generatedNumbers = new Set([
  'id',
  'aggregate_id',
  'provider:segmentation_id',
  'generation',
  'resource_provider_generation',
]);

function masked(value: unknown, ids: Ids, name: string): unknown {
  if (typeof value === 'string') {
    let text = value;
    for (const [key, id] of Object.entries(ids)) {
      if (text === id) return `<${key}>`;
      if (id.length > 8) text = text.replaceAll(id, `<${key}>`);
    }
    return text.replaceAll(generated, '<generated>').replaceAll(new RegExp(name, 'gi'), '<name>');
  }
  if (Array.isArray(value)) {
    const all = value.map((one) => masked(one, ids, name));
    return all.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  }
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([key, one]) => [
    masked(key, ids, name),
    typeof one === 'number' && generatedNumbers.has(key) ? '<generated>' : masked(one, ids, name),
  ]);
  return Object.fromEntries(
    entries.toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1)),
  );
}

/** Pairs each write with every write, including itself. */
export const pairsOf = (names: readonly string[]): (readonly [string, string])[] =>
  names.flatMap((one) => names.map((other) => [one, other] as const));

/** Lists every value of the state with its path. */
function flatten(value: unknown, at = ''): string[] {
  if (value === null || typeof value !== 'object') return [`${at} = ${JSON.stringify(value)}`];
  const inner = Object.entries(value).flatMap(([key, one]) =>
    flatten(one, Array.isArray(value) ? `${at}[]` : `${at} ${key}`),
  );
  return inner.length ? inner : [`${at} is empty`];
}

/**
 * @throws Error with the differences from the closer sequential outcome, if the outcome equals
 * neither
 */
export function expectSequentialOutcome(found: Outcome, orders: readonly Outcome[]): void {
  const { statuses } = found;
  // Neutron refuses to change the rules of a policy with 501 while servers use what it guarantees.
  for (const status of statuses.filter((one) => one !== 501))
    expect(status, statuses.join()).to.be.lessThan(500);
  const lines = flatten(found.state);
  const differences = orders.map((order) => {
    const expected = flatten(order.state);
    const only = (some: readonly string[], others: readonly string[], sign: string): string[] =>
      some.filter((line) => !others.includes(line)).map((line) => `${sign}${line}`);
    const statusDifference =
      order.statuses.join() === statuses.join()
        ? []
        : [`returns ${statuses.join()} instead of ${order.statuses.join()}`];
    return [...statusDifference, ...only(lines, expected, '+'), ...only(expected, lines, '-')];
  });
  const closest = differences.toSorted((one, other) => one.length - other.length)[0]!;
  if (closest.length)
    throw new Error(
      'The outcome matches neither sequential order. Differences from the closer one:\n' +
        closest.join('\n') +
        `\nStatuses of the sequential orders: ${orders.map((one) => one.statuses.join()).join(' or ')}`,
    );
}
