// A cloud with a pod in another process, which the gateway reaches over HTTP through a proxy.
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { run, type Running } from '../../../src/server.ts';
import { configOf } from '../../../src/config.ts';
import { startEmulator, type Emulator } from '../../support/processes.ts';
import type { Json } from './support.ts';

/** A TCP proxy between the gateway and the pod, which can drop a reply. */
class Proxy {
  /** The first bytes of a request whose reply is dropped, and a function to call then. */
  dropsReplyTo: { readonly request: string; readonly after: () => void } | undefined;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  constructor(target: () => number) {
    this.server = createServer((client) => {
      const pod = connect(target(), '127.0.0.1');
      for (const socket of [client, pod]) this.sockets.add(socket.on('error', () => {}));
      client.on('close', () => pod.destroy());
      pod.on('close', () => client.destroy());
      let dropping: Proxy['dropsReplyTo'];
      client.on('data', (data: Buffer) => {
        if (this.dropsReplyTo && data.toString().startsWith(this.dropsReplyTo.request))
          dropping = this.dropsReplyTo;
        pod.write(data);
      });
      pod.on('data', (data: Buffer) => {
        if (!dropping) return void client.write(data);
        dropping.after();
        this.dropsReplyTo = dropping = undefined;
        client.destroy();
      });
    });
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }
}

/** A reply of a service. */
export interface FarReply {
  readonly status: number;
  readonly body: Json;
  readonly token: string | null;
}

/** A central region in this process, and the pod Far in another one, in the zone `far`. */
export class FarCloud {
  central!: Running;
  pod!: Emulator;
  token = '';
  projectId = '';
  readonly proxy = new Proxy(() => this.podPort);
  private readonly hosts: string;
  private podPort = 0;
  private readonly folder = mkdtempSync(join(tmpdir(), 'cumulet-pod-'));

  /** @param options.hosts the hosts of the region in this process */
  constructor({ hosts = '0' } = {}) {
    this.hosts = hosts;
  }

  /** Sends a request of an administrator to the central region, or to the pod itself. */
  async ask(
    method: string,
    path: string,
    body?: unknown,
    { origin = this.central.origin, mediaType = 'application/json' } = {},
  ): Promise<FarReply> {
    const bytes = Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body);
    const reply = await fetch(`${origin}${path}`, {
      method,
      headers: {
        'content-type': mediaType,
        accept: 'application/json',
        'x-auth-token': this.token,
        'openstack-api-version': path.includes('/volume/') ? 'volume 3.70' : 'compute 2.90',
      },
      ...(body === undefined ? {} : { body: bytes }),
    });
    const text = await reply.text();
    return {
      status: reply.status,
      body: (/^[{[]/.test(text) ? JSON.parse(text) : {}) as Json,
      token: reply.headers.get('x-subject-token'),
    };
  }

  /** Sends a request to the pod itself. */
  askPod(method: string, path: string, body?: unknown): Promise<FarReply> {
    return this.ask(method, path, body, { origin: this.pod.origin });
  }

  /** Starts the pod, also again after it was killed. */
  async startPod(): Promise<void> {
    const flags = [
      '--database',
      `sqlite:${this.folder}`,
      '--keystone',
      `${this.central.origin}/identity/v3`,
      '--hosts',
      '1',
      '--port',
      String(this.podPort),
    ];
    this.pod = await startEmulator(flags);
    this.podPort = Number(new URL(this.pod.origin).port);
  }

  /** Starts both, and registers the pod. */
  async start(): Promise<void> {
    this.central = await run(
      configOf({
        port: 0,
        database: { kind: 'memory' },
        regions: ['CentralRegion', 'RegionOne'],
        logLevel: 'silent',
        hosts: this.hosts,
      }),
    );
    const url = await this.proxy.open();
    await this.startPod();
    await this.signIn();
    await this.ask('POST', '/identity/v3/regions', { region: { id: 'Far' } });
    const services = (await this.ask('GET', '/identity/v3/services')).body['services'] as {
      id: string;
      type: string;
    }[];
    const urls = {
      compute: `${url}/compute/v2.1`,
      volumev3: `${url}/volume/v3/$(project_id)s`,
      image: `${url}/image`,
      network: `${url}/network`,
    };
    for (const [type, at] of Object.entries(urls)) {
      const endpoint = {
        service_id: services.find((service) => service.type === type)!.id,
        interface: 'public',
        region_id: 'Far',
        url: at,
      };
      const { status } = await this.ask('POST', '/identity/v3/endpoints', { endpoint });
      expect(status).to.equal(201);
    }
    await this.addPod('Far', 'far');
  }

  /** Gets a new token. */
  async signIn(): Promise<void> {
    const user = { name: 'admin', password: 'secret', domain: { id: 'default' } };
    const auth = {
      identity: { methods: ['password'], password: { user } },
      scope: { project: { name: 'admin', domain: { id: 'default' } } },
    };
    this.token = ''; // the last one may have expired
    const { token, body } = await this.ask('POST', '/identity/v3/auth/tokens', { auth });
    this.token = token!;
    this.projectId = body['token'].project.id as string;
  }

  /** Registers a region as a pod. */
  async addPod(region_name: string, az_name: string): Promise<void> {
    const pod = { region_name, az_name };
    expect((await this.ask('POST', '/tricircle/v1.0/pods', { pod })).status).to.equal(200);
  }

  async stop(): Promise<void> {
    await this.pod.stop();
    this.proxy.close();
    await this.central.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
