// A consumer with python3-oslo.messaging gets the emulator's notifications from RabbitMQ.
import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmulator, type Emulator } from '../../support/processes.ts';
import { freePort, missing, python, run, startRabbit, type Program } from './programs.ts';

interface Received {
  readonly event_type: string;
  readonly publisher_id: string;
  readonly priority: string;
  readonly payload: Record<string, any>;
}

describe('a consumer of notifications', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-rabbit-'));
  const consumer = fileURLToPath(new URL('consumer.py', import.meta.url));
  let rabbit: Program[] = [];
  let emulator: Emulator | undefined;
  let port: number;

  before(async function () {
    const reason = await missing('oslo_messaging', 'python3-oslo.messaging');
    if (reason !== undefined) {
      console.log(`    skipped: ${reason}`);
      return this.skip();
    }
    port = await freePort();
    rabbit = await startRabbit(folder, port);
    emulator = await startEmulator([
      '--database=memory:',
      '--auth=noauth2',
      '--hosts=1',
      `--notifications=amqp://guest:guest@127.0.0.1:${port}/`,
    ]);
  });

  after(async () => {
    await emulator?.stop();
    for (const program of rabbit) await program.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const post = async (path: string, body: object): Promise<void> => {
    const headers = {
      'x-auth-token': 'admin:demo',
      'content-type': 'application/json',
      'openstack-api-version': 'compute 2.64',
    };
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(`${emulator!.origin}${path}`, request);
    expect(response.status, await response.text()).to.be.below(300);
  };

  /** Consumes this number of notifications of an exchange and a topic. */
  const consume = async (exchange: string, topic: string, count: number): Promise<Received[]> => {
    const transport = `rabbit://guest:guest@127.0.0.1:${port}/`;
    const args = [consumer, transport, exchange, topic, String(count)];
    return JSON.parse((await run(python, args)).stdout) as Received[];
  };

  it('gets server groups from the exchange of Nova, in order', async () => {
    const rules = { max_server_per_host: 2 };
    await post('/compute/v2.1/os-server-groups', {
      server_group: { name: 'first', policy: 'anti-affinity', rules },
    });
    await post('/compute/v2.1/os-server-groups', {
      server_group: { name: 'second', policy: 'affinity' },
    });
    const received = await consume('nova', 'versioned_notifications', 2);
    expect(received.map((one) => one.payload['nova_object.data'].name)).to.deep.equal([
      'first',
      'second',
    ]);
    expect(received[0]).to.include({
      event_type: 'server_group.create',
      publisher_id: 'nova-api:controller',
      priority: 'INFO',
    });
  });

  it('gets leases from the exchange of Blazar', async () => {
    await post('/reservation/v1/os-hosts', { name: 'compute-1' });
    const reservation = { resource_type: 'physical:host', min: 1, max: 1 };
    const properties = { hypervisor_properties: '', resource_properties: '' };
    const [start, end] = ['2099-01-01 10:00', '2099-01-01 11:00'];
    await post('/reservation/v1/leases', {
      name: 'lease',
      start_date: start,
      end_date: end,
      reservations: [{ ...reservation, ...properties }],
      events: [],
      before_end_date: null,
    });
    const [received] = await consume('openstack', 'notifications', 1);
    expect(received).to.include({ event_type: 'lease.create', publisher_id: 'blazar.lease' });
    expect(received!.payload).to.include({ name: 'lease', status: 'PENDING' });
  });
});
