// Tests of the stream of changes: what it reports, and that it sees the writes of other processes.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { onTwoProcesses } from '../../support/processes.ts';

/** A server-sent event. */
interface Sent {
  readonly event: string;
  readonly data: Record<string, unknown>;
}

/** Reads events until one matches. @returns it */
class Stream {
  private readonly body: AsyncIterator<Uint8Array>;
  private readonly decoder = new TextDecoder();
  private text = '';

  private constructor(body: AsyncIterable<Uint8Array>) {
    this.body = body[Symbol.asyncIterator]();
  }

  static async open(origin: string, query = ''): Promise<Stream> {
    const response = await fetch(`${origin}/_emulator/changes${query}`);
    expect(response.headers.get('content-type')).to.equal('text/event-stream');
    return new Stream(response.body as unknown as AsyncIterable<Uint8Array>);
  }

  async next(): Promise<Sent | undefined> {
    for (;;) {
      const end = this.text.indexOf('\n\n');
      if (end >= 0) {
        const [, event, data] = /^event: (\S+)\ndata: (.*)/.exec(this.text.slice(0, end)) ?? [];
        this.text = this.text.slice(end + 2);
        if (event !== undefined) return { event, data: JSON.parse(data!) as Sent['data'] };
        continue;
      }
      const { value, done } = await this.body.next();
      if (done) return undefined;
      this.text += this.decoder.decode(value as Uint8Array, { stream: true });
    }
  }

  /** Waits for the event that says that a service has changed in a region. */
  async change(region: string | null, service: string): Promise<void> {
    for (let one = await this.next(); one; one = await this.next())
      if (one.event === 'change' && one.data['region'] === region)
        if ((one.data['services'] as string[]).includes(service)) return;
    throw new Error(`The stream ended without a change of ${service}.`);
  }

  async until(event: string): Promise<Sent> {
    for (let one = await this.next(); one; one = await this.next())
      if (one.event === event) return one;
    throw new Error(`The stream ended without ${event}.`);
  }

  async close(): Promise<void> {
    await this.body.return?.();
  }
}

onEachDatabase(
  'GET /_emulator/changes',
  { auth: 'noauth2', regions: ['RegionOne', 'RegionTwo'] },
  (world) => {
    const origin = async (): Promise<string> => {
      if (!world.server.listening) await once(world.server, 'listening');
      return `http://127.0.0.1:${(world.server.address() as AddressInfo).port}`;
    };
    let stream: Stream;

    beforeEach(async () => {
      stream = await Stream.open(await origin());
      await stream.until('hello');
    });
    afterEach(() => stream.close());

    it('names the region and the service of a write', async () => {
      const trait = '/RegionTwo/placement/resource_providers';
      await world
        .ask('placement', 'POST', trait, { version: '1.39', body: { name: 'one' } })
        .expect(200);
      await stream.change('RegionTwo', 'placement');
    });

    it('names what all regions share without a region', async () => {
      await world.http.put('/_emulator/clock').send({ now: '2026-12-01' }).expect(200);
      await stream.change(null, 'emulator');
    });

    it('reports new requests in the journal', async () => {
      await world.http.put('/_emulator/requests').send({ keep: 10 }).expect(200);
      await world.ask('compute', 'GET', '/compute/v2.1/servers').expect(200);
      await stream.change(null, 'journal');
    });

    it('sends replaced after a restore', async () => {
      await world.http.put('/_emulator/snapshots/before').expect(201);
      await world.http.post('/_emulator/snapshots/before/restore').send({}).expect(204);
      await stream.until('replaced');
      await world.http.delete('/_emulator/snapshots/before').expect(204);
    });

    it('sends replaced after a reset of a region', async () => {
      await world.http.post('/_emulator/reset').send({ region: 'RegionTwo' }).expect(204);
      await stream.until('replaced');
    });

    it('ends after the seconds that the client asks for', async () => {
      const short = await Stream.open(await origin(), '?seconds=0');
      expect((await short.next())?.event).to.equal('hello');
      expect(await short.next()).to.equal(undefined);
    });

    it('returns 400 for a bad number of seconds', async () => {
      await world.http.get('/_emulator/changes?seconds=soon').expect(400);
    });
  },
);

onTwoProcesses('the stream of changes of two processes', [], (origins) => {
  it('reports the writes of the other process', async () => {
    const [one, other] = origins();
    const stream = await Stream.open(one);
    const { data } = await stream.until('hello');
    const response = await fetch(`${other}/placement/traits/CUSTOM_SEEN`, {
      method: 'PUT',
      headers: { 'x-auth-token': 'admin', 'openstack-api-version': 'placement 1.39' },
    });
    expect(response.status).to.equal(201);
    await stream.change('RegionOne', 'placement');
    await stream.close();
    const second = await Stream.open(other, '?seconds=0');
    expect((await second.until('hello')).data['process']).not.to.equal(data['process']);
  });
});
