// Every pair of writes that touch one resource, on MySQL: one has read and not written while the other is served. What they leave is
// what one after the other leaves.
import { onEachDatabase, type World } from '../../support/cloud.ts';
import { rawClient } from '../../support/raw.ts';
import { gated, Gates } from './interleaved.ts';
import { expectOneOrder, headersFor, lookAt, pairsOf, type Ask, type Outcome, type Scenario } from './races.ts';
import { scenarios } from './scenarios/index.ts';

for (const [auth, tables] of Object.entries(scenarios)) {
  onEachDatabase('races', { auth: auth as 'noauth2', hosts: '2' }, (world) => {
    if (world.kind === 'mysql') for (const scenario of tables) describe(scenario.name, () => raceAll(world, scenario));
  });
}

function raceAll(world: World, scenario: Scenario): void {
  let gates: Gates;
  let send: Ask;
  let sendGated: Ask;
  let close: () => void;
  let count = 0;

  beforeEach(async () => {
    gates = new Gates(world.server);
    const client = rawClient(world.server);
    close = client.close;
    const token = await signIn(world);
    const asking =
      (extra: Record<string, string>): Ask =>
      async (method, path, body) => {
        const headers = { ...headersFor(path, token, body), ...extra };
        const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
        return client.send(method, path, headers, text);
      };
    send = asking({});
    sendGated = asking({ [gated]: '1' });
  });

  afterEach(() => {
    gates.close();
    close();
  });

  /** Sets up anew, does both as `run` does, and looks at what is left. */
  async function outcome(first: string, second: string, run: (one: () => Promise<number>, other: () => Promise<number>) => Promise<number[]>, gate = send): Promise<Outcome> {
    const name = `R${count++}`;
    const things = await scenario.setup(send, name);
    await send('GET', '/compute/v2.1/servers');
    const writes = scenario.writes(things, name);
    const status = (ask: Ask, which: string) => async (): Promise<number> => (await ask(...(writes[which]! as [string, string, unknown]))).status;
    const [one, other] = await run(status(gate, first), status(send, second));
    return { statuses: { [`${first} 1`]: one!, [`${second} 2`]: other! }, left: await lookAt(send, scenario, things, name) };
  } // prettier-ignore

  const inOrder = async (one: () => Promise<number>, other: () => Promise<number>): Promise<number[]> => [await one(), await other()];
  const inReverse = async (one: () => Promise<number>, other: () => Promise<number>): Promise<number[]> => {
    const last = await other();
    return [await one(), last];
  };

  for (const [first, second] of pairsOf(namesOf(scenario))) {
    it(`${first}, and meanwhile ${second}`, async () => {
      const orders = [await outcome(first, second, inOrder), await outcome(first, second, inReverse)];
      const raced = await outcome(first, second, (one, other) => gates.interleave(one, other), sendGated);
      expectOneOrder(raced, orders);
    });
  }
}

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
