// Sends the same pairs of writes simultaneously through two processes on one MySQL database:
// neither fails, and the outcome equals that of one of the sequential orders.
import { newUuid } from '../../../src/kernel/ids.ts';
import { onTwoProcesses } from '../../support/processes.ts';
import {
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

onTwoProcesses('races through two processes', ['--hosts', '1'], (origins) => {
  for (const scenario of scenarios.noauth2)
    describe(scenario.name, () => raceAll(scenario, origins));
});

function raceAll(scenario: Scenario, origins: () => readonly [string, string]): void {
  let count = 0;

  /**
   * Returns a function that sends requests through a process, as the administrator of a project of
   * this attempt only, because quotas are per project.
   */
  const through =
    (process: 0 | 1, name: string): Send =>
    async (method, path, body) => {
      const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      // The process might close a kept-alive connection just as the client reuses it.
      const headers = { ...headersFor(path, `admin:project-${name}`, body), connection: 'close' };
      const response = await fetch(`${origins()[process]}${path}`, {
        method,
        headers,
        ...(text === undefined ? {} : { body: text }),
      });
      const replyText = await response.text();
      return { status: response.status, body: parsed(replyText) };
    };

  /**
   * Runs the due jobs of both processes. Moving the clock looks for due jobs in the database, so
   * that it also finds those that the other process has created.
   */
  const runDueJobs = (send: Send): Promise<unknown> =>
    send('PUT', '/_emulator/clock', { now: '2026-11-20T12:00:00Z', frozen: true });

  async function outcome(pair: readonly [string, string], concurrently: boolean): Promise<Outcome> {
    const name = `R${newUuid().slice(0, 4).toUpperCase()}${count++}`;
    const one = through(0, name);
    await runDueJobs(one);
    const ids = await scenario.setup(one, name);
    await runDueJobs(one);
    const writes = scenario.writes(ids, name);
    const [first, second] = pair.map((which, at) => async () => {
      const [method, path, body] = writes[which]!;
      const reply = await through(at as 0 | 1, name)(method, path, body);
      await runDueJobs(one);
      return statusOf(reply);
    });
    const statuses = concurrently
      ? await Promise.all([first!(), second!()])
      : ([await first!(), await second!()] as const);
    await runDueJobs(one);
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
