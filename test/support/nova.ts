// A Nova outside of the cloud: it records the events that it gets, and the catalog lists it.
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { pause } from '../../src/kernel/clock.ts';
import type { Asked, World } from './cloud.ts';

export interface NovaEvent {
  readonly name: string;
  readonly server_uuid: string;
  readonly tag: string;
  readonly status?: string;
}

/** A request to the API of events. */
export interface NovaRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly events: readonly NovaEvent[];
}

/** What Nova answers: a status, and the code of each event. */
export interface NovaAnswer {
  readonly status: number;
  readonly codes?: Readonly<Record<string, number>>;
}

export class RecordingNova {
  readonly requests: NovaRequest[] = [];
  /** The answers to the next requests; 200 after the last one. */
  readonly answers: NovaAnswer[] = [];
  private held: { readonly arrived: () => void; readonly until: Promise<unknown> } | undefined;
  private readonly server: Server;

  private constructor(server: Server) {
    this.server = server;
  }

  /** Starts to listen on a free port. */
  static async start(): Promise<RecordingNova> {
    const server = createServer();
    const nova = new RecordingNova(server);
    server.on('request', (request, response) => {
      let text = '';
      request.on('data', (data: Buffer) => (text += data.toString()));
      request.on('end', () => {
        const { events } = JSON.parse(text) as { events: NovaEvent[] };
        nova.requests.push({ path: request.url!, headers: request.headers, events });
        const { held } = nova;
        nova.held = undefined;
        held?.arrived();
        void nova.answer(response, events, held?.until);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return nova;
  }

  private async answer(
    response: ServerResponse,
    events: readonly NovaEvent[],
    until?: Promise<unknown>,
  ): Promise<void> {
    await until;
    const { status, codes = {} } = this.answers.shift() ?? { status: 200 };
    response.writeHead(status, { 'content-type': 'application/json' });
    const results = events.map((event) => ({ ...event, code: codes[event.server_uuid] ?? 200 }));
    response.end(JSON.stringify({ events: results }));
  }

  /** Answers the next request only after `until`. @returns when that request has arrived */
  holdNext(until: Promise<unknown>): Promise<void> {
    return new Promise((arrived) => (this.held = { arrived, until }));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v2.1`;
  }

  get events(): NovaEvent[] {
    return this.requests.flatMap(({ events }) => events);
  }

  /** Replaces the cloud's own Compute in the catalog. */
  async enterCatalog(world: World, asked: Pick<Asked, 'token'> = {}): Promise<void> {
    const { body } = await world.ask(
      'identity',
      'GET',
      '/identity/v3/services?type=compute',
      asked,
    );
    const [service] = (body as { services: { id: string }[] }).services;
    const query = `service_id=${service!.id}&interface=public&region_id=RegionOne`;
    const listed = await world.ask('identity', 'GET', `/identity/v3/endpoints?${query}`, asked);
    const [endpoint] = (listed.body as { endpoints: { id: string }[] }).endpoints;
    await world
      .ask('identity', 'PATCH', `/identity/v3/endpoints/${endpoint!.id}`, {
        ...asked,
        body: { endpoint: { url: this.url } },
      })
      .expect(200);
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => void this.server.close(() => resolve()));
  }
}

export interface OutboxEntry {
  readonly kind: string;
  readonly payload: unknown;
  readonly status: 'pending' | 'undelivered';
  readonly error: string | null;
}

/** Lists the messages that have not been delivered. */
export async function outboxOf(world: World): Promise<OutboxEntry[]> {
  const { body } = await world.http.get('/_emulator/outbox').expect(200);
  return (body as { messages: OutboxEntry[] }).messages;
}

/** Waits until every message has been sent, or counts as undelivered. */
export async function outboxSettled(world: World): Promise<OutboxEntry[]> {
  for (;;) {
    const messages = await outboxOf(world);
    if (messages.every(({ status }) => status === 'undelivered')) return messages;
    await pause(5);
  }
}
