// Sends the events of two processes to a Nova outside of the cloud: each event once, and again only
// if a process dies between sending and marking.
import { expect } from 'chai';
import { createConnection } from 'mysql2/promise';
import { pause } from '../../../src/kernel/clock.ts';
import { databases } from '../../support/databases.ts';
import { RecordingNova, type OutboxEntry } from '../../support/nova.ts';
import { startEmulator, type Emulator } from '../../support/processes.ts';

const server = '5e9a1c1b-6a0d-4a3e-9d6c-6b6d2f1f0a01';

describe('the outbox of two processes', () => {
  let url: string;
  let running: Emulator[];
  let nova: RecordingNova;
  let network: string;

  beforeEach(async function () {
    const fresh = await databases.freshUrl();
    if (!fresh) return this.skip();
    url = fresh;
    const flags = ['--database', url, '--auth', 'noauth2', '--hosts', '0'];
    running = await Promise.all([startEmulator(flags), startEmulator(flags)]);
    nova = await RecordingNova.start();
    await replaceCompute(running[0]!);
    const { id } = await send(running[0]!, 'POST', '/network/v2.0/networks', { network: {} });
    network = id;
  });

  afterEach(async () => {
    for (const one of running) await one.stop();
    await nova.stop();
  });

  /** Makes the recording Nova the Compute of the catalog. */
  async function replaceCompute(emulator: Emulator): Promise<void> {
    const [service] = await list(emulator, '/identity/v3/services?type=compute');
    const query = `service_id=${service!.id}&interface=public&region_id=RegionOne`;
    const [endpoint] = await list(emulator, `/identity/v3/endpoints?${query}`);
    await send(emulator, 'PATCH', `/identity/v3/endpoints/${endpoint!.id}`, {
      endpoint: { url: nova.url },
    });
    // Moving the clock makes both processes read the shared state, and so the catalog.
    await send(emulator, 'PUT', '/_emulator/clock', { frozen: true });
  }

  /** Creates the port of a server, which Nova gets one event for. @returns its id */
  const createPort = async (emulator: Emulator): Promise<string> => {
    const fields = {
      network_id: network,
      device_id: server,
      device_owner: 'compute:nova',
      'binding:host_id': 'node',
    };
    return (await send(emulator, 'POST', '/network/v2.0/ports', { port: fields })).id;
  };

  /** Waits until the outbox has no message that is to be sent, and expects no undelivered one. */
  async function drained(emulator: Emulator): Promise<void> {
    for (;;) {
      const messages = (await list(emulator, '/_emulator/outbox')) as unknown as OutboxEntry[];
      expect(messages.filter(({ status }) => status === 'undelivered')).to.deep.equal([]);
      if (!messages.length) return;
      await pause(20);
    }
  }

  /** The ports that Nova has got events for, in their order. */
  const reported = (): string[] => nova.events.map(({ tag }) => tag);

  /** Makes the claims of all processes look as old as after `minutes`. */
  async function ageClaims(minutes: number): Promise<void> {
    const region = new URL(url);
    region.pathname += '_RegionOne';
    const connection = await createConnection(region.href);
    await connection.query('UPDATE outbox SET claimed_at = claimed_at - ?', [minutes * 60e6]);
    await connection.end();
  }

  /** Lets a process send an event, and kills it before it gets the reply. @returns the port */
  async function dieWhileSending(victim: Emulator): Promise<string> {
    let reply = (): void => {};
    const arrived = nova.holdNext(new Promise<void>((resolve) => (reply = resolve)));
    const port = await createPort(victim);
    await arrived;
    await victim.kill();
    running = running.filter((one) => one !== victim);
    reply();
    return port;
  }

  it('sends each event once while both processes write and send', async () => {
    const ports = await Promise.all(
      Array.from({ length: 40 }, (_, number) => createPort(running[number % 2]!)),
    );
    await drained(running[0]!);
    await drained(running[1]!);
    expect(reported().toSorted()).to.deep.equal(ports.toSorted());
  });

  it('sends an event again, before later ones, if its process died before marking it', async () => {
    const [victim, survivor] = running as [Emulator, Emulator];
    const first = await dieWhileSending(victim);
    const second = await createPort(survivor);
    await ageClaims(2);
    await drained(survivor);
    expect(reported()).to.deep.equal([first, first, second]);
  });

  it('sends what a dead process has left, although the other process gets no request', async () => {
    const port = await dieWhileSending(running[0]!);
    await ageClaims(2);
    while (reported().length < 2) await pause(20);
    expect(reported()).to.deep.equal([port, port]);
  });

  it('sends what a dead process has left when a process starts', async () => {
    const [victim, other] = running as [Emulator, Emulator];
    const port = await dieWhileSending(victim);
    await other.stop();
    await ageClaims(2);
    running = [await startEmulator(['--database', url, '--auth', 'noauth2'])];
    await drained(running[0]!);
    expect(reported()).to.deep.equal([port, port]);
  });
});

type Item = Readonly<Record<string, unknown>> & { readonly id: string };

async function ask(
  { origin }: Emulator,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const headers = { 'x-auth-token': 'admin', 'content-type': 'application/json' };
  const text = body && { body: JSON.stringify(body) };
  const reply = await fetch(`${origin}${path}`, { method, headers, ...text });
  const found = await reply.text();
  expect(reply.status, `${method} ${path}: ${found}`).to.be.lessThan(300);
  return JSON.parse(found) as Record<string, unknown>;
}

/** Sends a request. @returns the resource of the reply */
const send = async (
  emulator: Emulator,
  method: string,
  path: string,
  body: object,
): Promise<Item> => Object.values(await ask(emulator, method, path, body))[0] as Item;

/** @returns the resources of a list */
const list = async (emulator: Emulator, path: string): Promise<Item[]> =>
  Object.values(await ask(emulator, 'GET', path)).find((value) => Array.isArray(value)) as Item[];
