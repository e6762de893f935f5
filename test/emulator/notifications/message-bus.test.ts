// Tests that the built program connects to a message bus; test/clients/nova has a real RabbitMQ.
import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { startEmulator, type Emulator } from '../../support/processes.ts';

/** The greeting of a client of AMQP 0-9-1. */
const greeting = Buffer.from([...Buffer.from('AMQP'), 0, 0, 9, 1]);

describe('--notifications', function () {
  this.timeout(120_000);
  let bus: Server;
  let emulator: Emulator;

  before(async () => {
    bus = createServer().listen(0, '127.0.0.1');
    await once(bus, 'listening');
    const { port } = bus.address() as AddressInfo;
    emulator = await startEmulator([
      '--database=memory:',
      '--auth=noauth2',
      `--notifications=amqp://guest:guest@127.0.0.1:${port}/`,
    ]);
  });
  after(async () => {
    await emulator.stop();
    bus.close();
  });

  it('greets the message bus after a change that has a notification', async () => {
    const connection = once(bus, 'connection') as Promise<[Socket]>;
    const reply = await fetch(`${emulator.origin}/compute/v2.1/os-server-groups`, {
      method: 'POST',
      headers: { 'x-auth-token': 'admin:demo', 'content-type': 'application/json' },
      body: JSON.stringify({ server_group: { name: 'first', policies: ['affinity'] } }),
    });
    expect(reply.status).to.equal(200);
    const [socket] = await connection;
    const [data] = (await once(socket, 'data')) as [Buffer];
    expect(data.subarray(0, greeting.length)).to.deep.equal(greeting);
    socket.destroy();
  });
});
