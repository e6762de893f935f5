// Runs the same scenarios on the real Blazar, with an emulator as its cloud, and on an emulator's
// own Reservation, and compares the visible state after every step. usage: npx tsx
// test/clients/reservation-oracle/run.ts [scenario ...]
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { parse } from 'yaml';
import { startEmulator } from '../../support/processes.ts';
import { startRecorder, type Recorder } from './calls.ts';
import { differences, type Difference, type Intended } from './differences.ts';
import { call, Side, type Reply, type Service } from './side.ts';
import { learnLease, leaseView, Names, stateOf } from './state.ts';

interface Step {
  readonly clock?: string;
  readonly as?: string;
  readonly body?: unknown;
  /** Names for values of the reply: `{ server: server.id }`. */
  readonly save?: Readonly<Record<string, string>>;
  /** The request, by service: `reservation: POST /leases`. */
  readonly [service: string]: unknown;
}

interface Scenario {
  readonly name: string;
  readonly steps: readonly Step[];
}

interface Plan {
  readonly start: string;
  readonly scenarios: readonly Scenario[];
  readonly intended: readonly Intended[];
  readonly calls: readonly string[];
}

const source = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
const plan = ['scenarios.yaml', 'refusals.yaml', 'intended.yaml']
  .map((name) => parse(source(name)) as Partial<Plan>)
  .reduce((all, one) => ({
    ...all,
    ...one,
    scenarios: [...(all.scenarios ?? []), ...(one.scenarios ?? [])],
  })) as Plan;
const services: readonly Service[] = [
  'reservation',
  'compute',
  'placement',
  'network',
  'identity',
  'image',
];

/** One of the two sides, with the names and values collected so far. */
interface Participant {
  readonly side: Side;
  readonly names: Names;
  readonly values: Map<string, unknown>;
  readonly control: string | undefined;
}

async function startBlazar(cloud: string): Promise<{ origin: string; stop(): void }> {
  const [command = '', ...before] = (process.env['CUMULET_TEST_PYTHON'] ?? '/usr/bin/python3')
    .split(/\s+/)
    .filter(Boolean);
  const args = [
    ...before,
    '-W',
    'ignore',
    '-c',
    source('serve.py'),
    '--cloud',
    cloud,
    ...(process.env['ORACLE_LOG'] ? ['--log', process.env['ORACLE_LOG']] : []),
  ];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill());
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith('http')) return { origin: line, stop: () => void child.kill() };
  throw new Error(
    `${command} has no Blazar. Install blazar-api and blazar-manager (Debian sid), ` +
      'or name another Python in CUMULET_TEST_PYTHON.',
  );
}

/** Creates the user that Blazar signs in as. The emulator's own Reservation already has one. */
async function makeBlazar(side: Side): Promise<void> {
  const { users } = await side.must('identity', 'GET', '/users?name=blazar');
  if (users.length) return;
  const { projects } = await side.must('identity', 'GET', '/projects?name=service');
  const { roles } = await side.must('identity', 'GET', '/roles?name=admin');
  const { user } = await side.must('identity', 'POST', '/users', {
    user: { name: 'blazar', password: 'secret', domain_id: 'default' },
  });
  await side.must(
    'identity',
    'PUT',
    `/projects/${projects[0].id}/users/${user.id}/roles/${roles[0].id}`,
  );
}

async function setClock({ side, control }: Participant, now: string): Promise<void> {
  await side.setClock(now);
  if (control === undefined) return;
  const { status, body } = await call('PUT', control, { now });
  if (status !== 204)
    throw new Error(`Moving Blazar's clock failed: ${status} ${JSON.stringify(body)}`);
}

async function begin(participant: Participant): Promise<void> {
  await participant.side.reset();
  if (participant.control !== undefined) await call('DELETE', participant.control);
  await participant.side.setClock(plan.start);
  if (participant.control !== undefined) await makeBlazar(participant.side);
  await setClock(participant, plan.start);
  await participant.side.must('compute', 'POST', '/os-aggregates', {
    aggregate: { name: 'freepool' },
  });
  const { images } = await participant.side.must('image', 'GET', '/images');
  participant.values.set('cirros', images[0].id);
}

function fill<T>(value: T, values: ReadonlyMap<string, unknown>): T {
  if (value === undefined) return value;
  const text = JSON.stringify(value).replaceAll(
    /"\$\{([^}]+)\}"|\$\{([^}]+)\}/g,
    (_, whole?: string, part?: string) => {
      const name = whole ?? part!;
      if (!values.has(name)) throw new Error(`No value is named ${name}.`);
      return whole === undefined ? String(values.get(name)) : JSON.stringify(values.get(name));
    },
  );
  return JSON.parse(text) as T;
}

/** Sorts lists that upstream returns in database order, which clients cannot rely on. */
function unordered(body: unknown): unknown {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return body;
  const sorted = (list: readonly unknown[]): unknown[] =>
    list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => {
      if (key === 'leases')
        return [key, sorted((value as Record<string, unknown>[]).map(leaseView))];
      return [key, Array.isArray(value) ? sorted(value) : unordered(value)];
    }),
  );
}

function remember({ names, values }: Participant, step: Step, { body }: Reply): unknown {
  const lease = (body as { lease?: Record<string, any> } | null)?.lease;
  if (lease) {
    learnLease(names, lease);
    values.set(lease['name'] as string, lease['id']);
    const parts = Object.values(leaseView(names.within(lease))['reservations']) as { id: string }[];
    for (const one of lease['reservations'] as { id: string }[])
      values.set(names.within(one.id), one.id);
    if (parts.length !== lease['reservations'].length) throw new Error('A reservation was lost.');
  }
  for (const [name, path] of Object.entries(step.save ?? {}))
    values.set(
      name,
      path.split('.').reduce((at: any, key) => at?.[key], body),
    );
  return names.within(
    lease ? { lease: leaseView(names.within(lease)) } : unordered(names.within(body)),
  );
}

/** Runs a step. @returns the reply and the state after it */
async function runStep(participant: Participant, step: Step): Promise<object> {
  const { side, values, names } = participant;
  if (step.clock !== undefined) {
    await setClock(participant, step.clock);
    return { state: await stateOf(side, names) };
  }
  const service = services.find((name) => step[name] !== undefined)!;
  const [method, path] = fill(step[service] as string, values).split(' ') as [string, string];
  const answer = await side.ask(service, {
    method,
    path,
    body: fill(step.body, values),
    as: step.as ?? 'admin',
  });
  const body = remember(participant, step, answer);
  return {
    // Both sides use the same emulator for the other services, so only compare their statuses.
    answer: { status: answer.status, ...(service === 'reservation' ? { body } : {}) },
    state: await stateOf(side, names),
  };
}

const used = new Set<Intended>();

function unintended(where: string, found: readonly Difference[]): Difference[] {
  return found.filter(({ path }) => {
    const intendedHere = plan.intended.filter(({ at }) => new RegExp(at).test(`${where} ${path}`));
    for (const one of intendedHere) used.add(one);
    return !intendedHere.length;
  });
}

async function compare(
  scenario: Scenario,
  participants: readonly [Participant, Participant],
): Promise<number> {
  let count = 0;
  let before = new Set<string>();
  await Promise.all(participants.map(begin));
  for (const [index, step] of scenario.steps.entries()) {
    const where = `${scenario.name}/${index + 1}`;
    const [real, ours] = await Promise.all(participants.map((one) => runStep(one, step)));
    if (process.env['ORACLE_SHOW'])
      console.log(where, JSON.stringify((real as { answer?: object }).answer));
    const all = unintended(where, differences(real, ours));
    // Report a persisting difference only once.
    const found = all.filter((one) => !before.has(JSON.stringify(one)));
    before = new Set(all.map((one) => JSON.stringify(one)));
    for (const { path, real: theirs, ours: own } of found)
      console.log(
        `${where} ${path}\n    real ${JSON.stringify(theirs)?.slice(0, 300)}\n` +
          `    ours ${JSON.stringify(own)?.slice(0, 300)}`,
      );
    count += found.length;
  }
  console.log(`${scenario.name}: ${count || 'no'} differences in ${scenario.steps.length} steps`);
  return count;
}

function judgeCalls(recorder: Recorder): number {
  const failed = recorder.failed();
  for (const one of failed) console.log(`The cloud failed: ${one}`);
  const missing = plan.calls.filter((one) => !recorder.calls.has(one));
  console.log(
    `Blazar made ${recorder.count()} calls of ${recorder.calls.size} kinds, including ` +
      `${plan.calls.length - missing.length} of the ${plan.calls.length} expected kinds.`,
  );
  for (const one of missing) console.log(`  not seen: ${one}`);
  if (process.env['ORACLE_SHOW'])
    for (const [one, statuses] of [...recorder.calls].toSorted())
      console.log(`  ${one} ${JSON.stringify(Object.fromEntries(statuses))}`);
  return failed.length + missing.length;
}

async function main(): Promise<number> {
  const wanted = process.argv.slice(2);
  const scenarios = plan.scenarios.filter(
    ({ name }) => !wanted.length || wanted.some((part) => name.includes(part)),
  );
  const flags = ['--database', 'memory:'];
  const [cloud, own] = await Promise.all([startEmulator(flags), startEmulator(flags)]);
  const recorder = await startRecorder(cloud.origin);
  const real = await startBlazar(recorder.origin);
  const participants = (): readonly [Participant, Participant] => [
    {
      side: new Side('real', cloud.origin, `${real.origin}/v1`),
      names: new Names(),
      values: new Map(),
      control: `${real.origin}/_oracle`,
    },
    {
      side: new Side('ours', own.origin, `${own.origin}/reservation/v1`),
      names: new Names(),
      values: new Map(),
      control: undefined,
    },
  ];
  try {
    let count = 0;
    for (const scenario of scenarios) count += await compare(scenario, participants());
    if (wanted.length) return count;
    const unnecessary = plan.intended.filter((one) => !one.sometimes && !used.has(one));
    for (const { at } of unnecessary) console.log(`No difference is at ${at} any more.`);
    return count + unnecessary.length + judgeCalls(recorder);
  } finally {
    real.stop();
    recorder.stop();
    await Promise.all([cloud.stop(), own.stop()]);
  }
}

process.exitCode = (await main()) ? 1 : 0;
