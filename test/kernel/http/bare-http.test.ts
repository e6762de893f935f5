// Tests of malformed requests and unwanted bodies. Each gets a reply with JSON and a request id.
import { expect } from 'chai';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { BodyMemory } from '../../../src/kernel/http/body.ts';
import { serverFor } from '../../../src/kernel/http/server.ts';
import type { Cloud, Reply } from '../../../src/kernel/model.ts';
import { onEachDatabase } from '../../support/cloud.ts';

interface Told {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

onEachDatabase('raw HTTP connection', { auth: 'noauth2' }, (world) => {
  if (world.kind !== 'sqlite') return;

  /** Writes to a connection, and waits for the first reply, even if the request is incomplete. */
  const say = (text: string, more?: (write: (text: string) => boolean) => void): Promise<Told> =>
    new Promise((resolve, reject) => {
      const socket = connect((world.server.address() as AddressInfo).port, '127.0.0.1', () => {
        socket.write(text.replaceAll('\n', '\r\n'));
        more?.((chunk) => socket.write(chunk));
      });
      let said = '';
      socket.on('error', reject);
      socket.on('data', (data) => {
        said += data.toString();
        const [head = '', rest] = said.split('\r\n\r\n');
        const lines = head
          .split('\r\n')
          .slice(1)
          .map((line) => [
            line.slice(0, line.indexOf(':')).toLowerCase(),
            line.slice(line.indexOf(':') + 2),
          ]);
        const headers = Object.fromEntries(lines) as Record<string, string>;
        if (rest === undefined || rest.length < Number(headers['content-length'])) return;
        socket.destroy();
        resolve({
          status: Number(head.slice(9, 12)),
          headers,
          body: JSON.parse(rest.slice(0, Number(headers['content-length']))),
        });
      });
    });

  const expectTold = ({ headers }: Told): void => {
    expect(headers['content-type']).to.match(/^application\/json/);
    expect(headers['x-openstack-request-id']).to.match(/^req-[0-9a-f-]{36}$/);
  };

  for (const [what, status, text] of [
    [
      'an expectation that cannot be met',
      417,
      'GET /compute/v2.1/flavors HTTP/1.1\nhost: localhost\nexpect: wonders\n\n',
    ],
    ['no Host header', 400, 'GET /compute/v2.1/flavors HTTP/1.1\n\n'],
    ['CONNECT', 405, 'CONNECT /placement HTTP/1.1\nhost: localhost\n\n'],
    ['CONNECT to somewhere else', 405, 'CONNECT example.org:443 HTTP/1.1\nhost: localhost\n\n'],
    [
      'headers that are too large',
      431,
      `GET /compute/v2.1/flavors HTTP/1.1\nhost: localhost\nx: ${'y'.repeat(20_000)}\n\n`,
    ],
    ['what is not HTTP', 400, 'HELLO\n\n'],
    [
      'two lengths',
      400,
      'POST /placement/resource_providers HTTP/1.1\nhost: localhost\ncontent-length: ' +
        '1\ncontent-length: 2\n\n',
    ],
  ] as const)
    it(`returns ${status} for ${what}`, async () => {
      const told = await say(text);
      expect(told.status).to.equal(status);
      expectTold(told);
    });

  it('accepts HTTP/1.0 without a Host header', async () => {
    expect((await say('GET / HTTP/1.0\n\n')).status).to.equal(200);
  });

  const post = (path: string, ...headers: string[]): string =>
    `POST ${path} HTTP/1.1\nhost: localhost\n${headers.map((one) => `${one}\n`).join('')}\n`;

  for (const path of [
    '/placement/resource_providers',
    '/compute/v2.1/servers',
    '/volume/v3/volumes',
    '/network/v2.0/networks',
    '/reservation/v1/leases',
  ])
    it(`authenticates a POST to ${path} before its body arrives`, async () => {
      const told = await say(
        post(path, 'content-type: application/json', 'content-length: 100000'),
      );
      expect(told.status).to.equal(401);
      expectTold(told);
    });

  it('returns 413 for a Content-Length above the limit before the body arrives, and closes', async () => {
    const told = await say(
      post('/volume/v3/volumes', 'content-type: application/json', 'content-length: 100000000'),
    );
    expect([told.status, told.headers['connection']]).to.deep.equal([413, 'close']);
    expectTold(told);
  });

  for (const [length, start] of [
    ['content-length: 100000', '{"a'],
    ['transfer-encoding: chunked', '3\r\n{"a\r\n'],
  ] as const)
    for (const path of ['/_emulator/import', '/volume/v3/volumes'])
      it(`logs a 400 if the body of a POST to ${path} ends early (${length})`, async () => {
        const observed = new Promise<Reply>((resolve) =>
          world.cloud.observers.push(({ method }, reply) => {
            if (method === 'POST') resolve(reply);
          }),
        );
        const head = post(path, 'x-auth-token: admin', 'content-type: application/json', length);
        const { port } = world.server.address() as AddressInfo;
        connect(port, '127.0.0.1').end(`${head.replaceAll('\n', '\r\n')}${start}`);
        const { status, body } = await observed.finally(() => world.cloud.observers.pop());
        expect(status).to.equal(400);
        expect(JSON.stringify(body)).to.include('The connection was closed before the body ended');
      });

  it('stops reading a chunked body at the limit, and closes', async () => {
    const head = post(
      '/volume/v3/volumes',
      'x-auth-token: admin',
      'content-type: application/json',
      'transfer-encoding: chunked',
    );
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    const told = await say(head, (write) => write(chunk.repeat(3)));
    expect([told.status, told.headers['connection']]).to.deep.equal([413, 'close']);
  });

  it('closes the connection instead of reading a chunked body of an unauthenticated caller', async () => {
    const told = await say(
      post('/volume/v3/volumes', 'content-type: application/json', 'transfer-encoding: chunked'),
    );
    expect([told.status, told.headers['connection']]).to.deep.equal([401, 'close']);
  });
});

describe('BodyMemory', () => {
  const mebi = 1024 * 1024;

  it('never exceeds its size, and serves requests in order of arrival', async () => {
    const room = new BodyMemory(10 * mebi);
    const order: string[] = [];
    const ask = (name: string, size: number): Promise<void> =>
      room.acquire(size * mebi).then(() => void order.push(name));
    await ask('a', 6);
    const others = [ask('b', 6), ask('c', 4), ask('d', 4)];
    await ask('small', 0.1);
    expect(order).to.deep.equal(['a', 'small']); // c and d would fit, but came later
    room.release(6 * mebi);
    await Promise.all(others.slice(0, 2));
    expect(order).to.deep.equal(['a', 'small', 'b', 'c']);
    room.release(4 * mebi);
    await others[2];
    expect(order.at(-1)).to.equal('d');
  });
});

onEachDatabase('a large body', { auth: 'noauth2' }, (world) => {
  if (world.kind !== 'sqlite') return;
  const size = 200 * 1024;

  it('gets 408 if it arrives too slowly while another waits, which is then served', async () => {
    const bodyMemory = new BodyMemory(size, 50);
    const cloud = Object.create(world.cloud, { bodyMemory: { value: bodyMemory } }) as Cloud;
    const server = serverFor({ cloud }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const acquired = new Promise<void>((resolve) => {
      const acquire = bodyMemory.acquire.bind(bodyMemory);
      bodyMemory.acquire = (bytes) => {
        resolve();
        return acquire(bytes);
      };
    });
    const slow = connect(port, '127.0.0.1');
    try {
      const head = 'PUT /_emulator/clock HTTP/1.1\nhost: localhost\ncontent-type: application/json';
      slow.write(`${head}\ncontent-length: ${size}\n\n{`.replaceAll('\n', '\r\n'));
      const replied = once(slow, 'data') as Promise<[Buffer]>;
      await acquired;
      const other = await fetch(`http://127.0.0.1:${port}/_emulator/clock`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ frozen: true }).padEnd(size),
      });
      expect(other.status).to.equal(200);
      expect((await replied)[0].toString()).to.match(/^HTTP\/1.1 408 [^]*arrives too slowly/);
    } finally {
      slow.destroy();
      server.closeAllConnections();
      server.close();
    }
  });
});
