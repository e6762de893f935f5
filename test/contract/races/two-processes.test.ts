// The same pairs of writes at the same time through two processes on one MySQL: none fails, and
// what they leave is what one order leaves.
import { newUuid } from '../../../src/kernel/ids.ts';
import { onTwoProcesses } from '../../support/processes.ts';
import {
  expectOneOrder,
  headersFor,
  lookAt,
  pairsOf,
  statusOf,
  type Ask,
  type Outcome,
  type Scenario,
} from './races.ts';
import { scenarios } from './scenarios/index.ts';

/** How often each pair races. */
const tries = 2;

onTwoProcesses('races through two processes', ['--hosts', '1'], (origins) => {
  for (const scenario of scenarios.noauth2)
    describe(scenario.name, () => raceAll(scenario, origins));
});

function raceAll(scenario: Scenario, origins: () => readonly [string, string]): void {
  let count = 0;

  /**
   * Requests through a process, as the administrator of a project that only this try has: quotas
   * are for each project.
   */
  const through =
    (process: 0 | 1, name: string): Ask =>
    async (method, path, body) => {
      const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      // A connection that is kept may be closed by the process at the moment in which it is used
      // again.
      const headers = { ...headersFor(path, `admin:project-${name}`, body), connection: 'close' };
      const response = await fetch(`${origins()[process]}${path}`, {
        method,
        headers,
        ...(text === undefined ? {} : { body: text }),
      });
      const said = await response.text();
      return { status: response.status, body: parsed(said) };
    };

  /**
   * Does what is due in both, whatever they know of each other's jobs: moving the clock looks for
   * itself.
   */
  const settle = (ask: Ask): Promise<unknown> =>
    ask('PUT', '/_emulator/clock', { now: '2026-11-20T12:00:00Z', frozen: true });

  async function outcome(pair: readonly [string, string], atOnce: boolean): Promise<Outcome> {
    const name = `R${newUuid().slice(0, 4).toUpperCase()}${count++}`;
    const one = through(0, name);
    await settle(one);
    const things = await scenario.setup(one, name);
    await settle(one);
    const writes = scenario.writes(things, name);
    const [first, second] = pair.map((which, at) => async () => {
      const [method, path, body] = writes[which]!;
      const answer = await through(at as 0 | 1, name)(method, path, body);
      await settle(one);
      return statusOf(answer);
    });
    const statuses = atOnce
      ? await Promise.all([first!(), second!()])
      : ([await first!(), await second!()] as const);
    await settle(one);
    const left = await lookAt(one, scenario, things, name);
    // The host has room for one try after the other.
    if (things['server']) await one('DELETE', `/compute/v2.1/servers/${things['server']}`);
    await scenario.cleanUp?.(one, things, name);
    return { statuses, left };
  }

  const orders = new Map<string, Promise<Outcome>>();
  const inOrder = (pair: readonly [string, string]): Promise<Outcome> => {
    const known = orders.get(pair.join()) ?? outcome(pair, false);
    orders.set(pair.join(), known);
    return known;
  };

  const all = Object.keys(scenario.writes(new Proxy({}, { get: () => 'x' }), 'x'));
  const names = all.filter((name) => !scenario.later?.includes(name));
  // Both processes are alike, so that a pair races once, whichever is first.
  for (const [first, second] of pairsOf(names).filter(
    ([one, other]) => names.indexOf(one) <= names.indexOf(other),
  )) {
    it(`${first}, and ${second}`, async () => {
      const forth = await inOrder([first, second]);
      const { statuses, left } = await inOrder([second, first]);
      const back: Outcome = { statuses: [statuses[1], statuses[0]], left };
      for (let time = 0; time < tries; time++)
        expectOneOrder(await outcome([first, second], true), [forth, back]);
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
