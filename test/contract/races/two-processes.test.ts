// Sends the same pairs of writes simultaneously through two processes on one MySQL database:
// neither fails, and the outcome equals that of one of the sequential orders.
import { newUuid } from '../../../src/kernel/ids.ts';
import { onTwoProcesses } from '../../support/processes.ts';
import {
  attemptName,
  expectSequentialOutcome,
  headersFor,
  readState,
  pairsOf,
  statusOf,
  type Send,
  type Outcome,
  type Scenario,
} from './races.ts';
import { scenarios } from './scenarios/index.ts';

/** The number of attempts for each pair. */
const tries = 2;

/** Returns the token for the requests of an attempt. */
type TokenFor = (origin: string, name: string) => string | Promise<string>;

/** With noauth2, each attempt has a project of its own, because quotas are per project. */
const inOwnProject: TokenFor = (_origin, name) => `admin:project-${name}`;

/** With Keystone, all attempts share the token of the user admin. */
function asAdmin(): TokenFor {
  let token: Promise<string> | undefined;
  return (origin) => (token ??= signIn(origin));
}

for (const [auth, tables] of Object.entries(scenarios))
  onTwoProcesses(
    `races through two processes with ${auth}`,
    ['--auth', auth, '--hosts', '1'],
    (origins) => {
      const tokenFor = auth === 'noauth2' ? inOwnProject : asAdmin();
      for (const scenario of tables)
        describe(scenario.name, () => raceAll(scenario, origins, tokenFor));
    },
  );

function raceAll(
  scenario: Scenario,
  origins: () => readonly [string, string],
  tokenFor: TokenFor,
): void {
  let count = 0;

  /** Returns a function that sends requests through a process as an administrator. */
  const through =
    (process: 0 | 1, name: string): Send =>
    async (method, path, body) => {
      const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      const token = await tokenFor(origins()[process], name);
      // The process might close a kept-alive connection just as the client reuses it.
      const headers = { ...headersFor(path, token, body), connection: 'close' };
      const response = await fetch(`${origins()[process]}${path}`, {
        method,
        headers,
        ...(text === undefined ? {} : { body: text }),
      });
      const replyText = await response.text();
      return { status: response.status, body: parsed(replyText) };
    };

  async function outcome(pair: readonly [string, string], concurrently: boolean): Promise<Outcome> {
    const name = attemptName(`${newUuid().slice(0, 4).toUpperCase()}${count++}`);
    const one = through(0, name);
    await runDueJobs(origins()[0]);
    const ids = await scenario.setup(one, name);
    await runDueJobs(origins()[0]);
    const writes = scenario.writes(ids, name);
    const [first, second] = pair.map((which, at) => async () => {
      const [method, path, body] = writes[which]!;
      const reply = await through(at as 0 | 1, name)(method, path, body);
      await runDueJobs(origins()[0]);
      return statusOf(reply);
    });
    const statuses = concurrently
      ? await Promise.all([first!(), second!()])
      : ([await first!(), await second!()] as const);
    await runDueJobs(origins()[0]);
    const state = await readState(one, scenario, ids, name);
    // The host has capacity for only one attempt at a time.
    if (ids['server']) await one('DELETE', `/compute/v2.1/servers/${ids['server']}`);
    await scenario.cleanUp?.(one, ids, name);
    return { statuses, state };
  }

  const orders = new Map<string, Promise<Outcome>>();
  const inOrder = (pair: readonly [string, string]): Promise<Outcome> => {
    const known = orders.get(pair.join()) ?? outcome(pair, false);
    orders.set(pair.join(), known);
    return known;
  };

  const all = Object.keys(scenario.writes(new Proxy({}, { get: () => 'x' }), 'x'));
  const names = all.filter((name) => !scenario.finishLater?.includes(name));
  // The processes are equivalent, so each unordered pair races only once.
  for (const [first, second] of pairsOf(names).filter(
    ([one, other]) => names.indexOf(one) <= names.indexOf(other),
  )) {
    it(`serializes "${first}" and "${second}"`, async () => {
      const firstBefore = await inOrder([first, second]);
      const { statuses, state } = await inOrder([second, first]);
      const secondBefore: Outcome = { statuses: [statuses[1], statuses[0]], state };
      for (let time = 0; time < tries; time++)
        expectSequentialOutcome(await outcome([first, second], true), [firstBefore, secondBefore]);
    });
  }
}

/**
 * Runs the due jobs of both processes. Moving the clock looks for due jobs in the database, so that
 * it also finds those that the other process has created.
 */
async function runDueJobs(origin: string): Promise<void> {
  await post(origin, 'PUT', '/_emulator/clock', { now: '2026-11-20T12:00:00Z', frozen: true });
}

/** @returns the token of the user admin on the project admin */
async function signIn(origin: string): Promise<string> {
  const user = { name: 'admin', password: 'secret', domain: { id: 'default' } };
  const scope = { project: { name: 'admin', domain: { id: 'default' } } };
  const identity = { methods: ['password'], password: { user } };
  const reply = await post(origin, 'POST', '/identity/v3/auth/tokens', {
    auth: { identity, scope },
  });
  return reply.headers.get('x-subject-token')!;
}

/** Sends a request without a token. @throws Error if it fails */
async function post(origin: string, method: string, path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', connection: 'close' };
  const reply = await fetch(`${origin}${path}`, { method, headers, body: JSON.stringify(body) });
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
  return reply;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
