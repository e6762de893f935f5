// Every pair of writes that touch one resource, on MySQL: one has read and not written while the
// other is served. What they leave is what one after the other leaves.
import { onEachDatabase, type World } from '../../support/cloud.ts';
import { rawClient } from '../../support/raw.ts';
import { gated, Gates } from './interleaved.ts';
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

for (const [auth, tables] of Object.entries(scenarios)) {
  onEachDatabase('races', { auth: auth as 'noauth2', hosts: '1' }, (world) => {
    if (world.kind === 'mysql')
      for (const scenario of tables) describe(scenario.name, () => raceAll(world, scenario));
  });
}

function raceAll(world: World, scenario: Scenario): void {
  let gates: Gates;
  /**
   * Requests in a project that only one try has, as quotas are for each; `marked` ones wait at the
   * gate.
   */
  let asking: (name: string, marked: boolean) => Ask;
  let close: () => void;
  let count = 0;

  beforeEach(async () => {
    gates = new Gates(world.server);
    // on a busy machine a connection would be closed at the moment in which it is used again
    world.server.keepAliveTimeout = 0;
    const client = rawClient(world.server);
    close = () => client.close();
    const token = await signIn(world);
    asking = (name, marked) => async (method, path, body) => {
      const caller = world.cloud.config.auth === 'noauth2' ? `admin:project-${name}` : token;
      const headers = { ...headersFor(path, caller, body), ...(marked ? { [gated]: '1' } : {}) };
      const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      return client.send(method, path, headers, text);
    };
  });

  afterEach(() => {
    world.problems.length = 0; // replies are held against the api-ref elsewhere
    gates.close();
    close();
  });

  /** Sets up anew, does the two writes as `run` does, and looks at what is left. */
  async function outcome(pair: Pair, run: Run, marked = false): Promise<Outcome> {
    const name = `R${count++}`;
    const send = asking(name, false);
    const things = await scenario.setup(send, name);
    // does what is due
    const settle = (): Promise<unknown> => send('GET', '/compute/v2.1/servers?limit=1');
    await settle();
    const writes = scenario.writes(things, name);
    const [first, second] = pair.map((which, at) => async () => {
      const [method, path, body] = writes[which]!;
      const answer = await asking(name, marked && at === 0)(method, path, body);
      await settle();
      return statusOf(answer);
    });
    const statuses = await run(first!, second!);
    const left = await lookAt(send, scenario, things, name);
    await scenario.cleanUp?.(send, things, name);
    return { statuses, left };
  }

  const orders = new Map<string, Promise<Outcome>>();
  const inOrder = (pair: Pair): Promise<Outcome> => {
    const known =
      orders.get(pair.join()) ?? outcome(pair, async (one, other) => [await one(), await other()]);
    orders.set(pair.join(), known);
    return known;
  };

  for (const [first, second] of pairsOf(namesOf(scenario))) {
    it(`${first}, and meanwhile ${second}`, async () => {
      const forth = await inOrder([first, second]);
      const { statuses, left } = await inOrder([second, first]);
      const back: Outcome = { statuses: [statuses[1], statuses[0]], left };
      expectOneOrder(
        await outcome([first, second], (one, other) => gates.interleave(one, other), true),
        [forth, back],
      );
    });
  }
}

type Pair = readonly [string, string];
type Run = (one: () => Promise<number>, other: () => Promise<number>) => Promise<[number, number]>;

/** The names of the writes, which do not depend on the things. */
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
