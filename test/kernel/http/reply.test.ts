// Tests of streamed replies.
import { expect } from 'chai';
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeStream } from '../../../src/kernel/http/reply.ts';

/** Serves one reply. @returns the outcome */
async function serving(
  body: AsyncGenerator<string>,
): Promise<{ reply: IncomingMessage; written: Promise<void>; close: () => void }> {
  let settle: (written: Promise<void>) => void;
  const written = new Promise<void>((resolve) => (settle = resolve));
  const server = createServer((_, response) => settle(writeStream(body, response)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const reply = await new Promise<IncomingMessage>((resolve) =>
    request({ port, host: '127.0.0.1' }, resolve).end(),
  );
  return { reply, written, close: () => server.close() };
}

describe('streamed reply', () => {
  it('contains everything that the generator yields', async () => {
    const { reply, written, close } = await serving(
      (async function* () {
        yield 'one ';
        yield await Promise.resolve('two');
      })(),
    );
    let text = '';
    for await (const piece of reply) text += String(piece);
    expect(text).to.equal('one two');
    await written;
    close();
  });

  it('waits for a slow client, and ends the generator when the client disconnects', async () => {
    let given = 0;
    let ended = (): void => undefined;
    const end = new Promise<void>((resolve) => (ended = () => resolve()));
    const { reply, written, close } = await serving(
      (async function* () {
        try {
          for (;;) {
            given++;
            yield await Promise.resolve('x'.repeat(65_536));
          }
        } finally {
          ended();
        }
      })(),
    );
    reply.once('data', () => reply.destroy());
    await end;
    await written;
    expect(given).to.be.lessThan(10_000);
    close();
  });
});
