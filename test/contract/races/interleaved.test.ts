// Interleaves every pair of writes to one resource on MySQL: one is suspended before its first
// write while the other runs. The outcome must equal that of running them sequentially.
import { onEachDatabase, type World } from '../../support/cloud.ts';
import { rawClient } from '../../support/raw.ts';
import { gated, Gates } from './interleaved.ts';
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

for (const [auth, tables] of Object.entries(scenarios)) {
  onEachDatabase('races', { auth: auth as 'noauth2', hosts: '1' }, (world) => {
    if (world.kind === 'mysql')
      for (const scenario of tables) describe(scenario.name, () => raceAll(world, scenario));
  });
}

function raceAll(world: World, scenario: Scenario): void {
  let gates: Gates;
  /**
   * Returns a function that sends requests in a project of this attempt only, because quotas are
   * per project. Requests that are `marked` are suspended before their first write.
   */
  let senderFor: (name: string, marked: boolean) => Send;
  let close: () => void;
  let count = 0;

  beforeEach(async () => {
    gates = new Gates(world.server);
    // on a busy machine the server might close an idle connection just as the client reuses it
    world.server.keepAliveTimeout = 0;
    const client = rawClient(world.server);
    close = () => client.close();
    const token = await signIn(world);
    senderFor = (name, marked) => async (method, path, body) => {
      const caller = world.cloud.config.auth === 'noauth2' ? `admin:project-${name}` : token;
      const headers = { ...headersFor(path, caller, body), ...(marked ? { [gated]: '1' } : {}) };
      const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      return client.send(method, path, headers, text);
    };
  });

  afterEach(() => {
    world.problems.length = 0; // other suites check replies against the api-ref
    gates.close();
    close();
  });

  /** Sets up the scenario again, sends the two writes as `run` orders them, and reads the state. */
  async function outcome(pair: Pair, run: Run, marked = false): Promise<Outcome> {
    const name = attemptName(String(count++));
    const send = senderFor(name, false);
    const ids = await scenario.setup(send, name);
    // any request runs the due jobs
    const runDueJobs = (): Promise<unknown> => send('GET', '/compute/v2.1/servers?limit=1');
    await runDueJobs();
    const writes = scenario.writes(ids, name);
    const [first, second] = pair.map((which, at) => async () => {
      const [method, path, body] = writes[which]!;
      const reply = await senderFor(name, marked && at === 0)(method, path, body);
      await runDueJobs();
      return statusOf(reply);
    });
    const statuses = await run(first!, second!);
    const state = await readState(send, scenario, ids, name);
    await scenario.cleanUp?.(send, ids, name);
    return { statuses, state };
  }

  const orders = new Map<string, Promise<Outcome>>();
  const inOrder = (pair: Pair): Promise<Outcome> => {
    const known =
      orders.get(pair.join()) ?? outcome(pair, async (one, other) => [await one(), await other()]);
    orders.set(pair.join(), known);
    return known;
  };

  for (const [first, second] of pairsOf(namesOf(scenario))) {
    it(`serializes "${first}" with "${second}" before its first write`, async () => {
      const firstBefore = await inOrder([first, second]);
      const { statuses, state } = await inOrder([second, first]);
      const secondBefore: Outcome = { statuses: [statuses[1], statuses[0]], state };
      expectSequentialOutcome(
        await outcome([first, second], (one, other) => gates.interleave(one, other), true),
        [firstBefore, secondBefore],
      );
    });
  }
}

type Pair = readonly [string, string];
type Run = (one: () => Promise<number>, other: () => Promise<number>) => Promise<[number, number]>;

/** The names of the writes, which do not depend on the ids. */
function namesOf({ writes }: Scenario): string[] {
  return Object.keys(writes(new Proxy({}, { get: () => 'x' }), 'x'));
}

async function signIn(world: World): Promise<string> {
  if (world.cloud.config.auth === 'noauth2') return 'admin';
  const user = { name: 'admin', password: 'secret', domain: { id: 'default' } };
  const scope = { project: { name: 'admin', domain: { id: 'default' } } };
  const auth = { identity: { methods: ['password'], password: { user } }, scope };
  const { headers } = await world.http.post('/identity/v3/auth/tokens').send({ auth }).expect(201);
  return headers['x-subject-token'] as unknown as string;
}
