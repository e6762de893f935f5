// A Nova with its own API, conductor, scheduler and three computes with the fake driver, on top of
// an emulator that is its Keystone, Placement, Neutron, Cinder and Glance.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { pause } from '../../../src/kernel/clock.ts';
import { cumulet } from '../../kernel/processes.ts';
import { startEmulator, type Emulator } from '../../support/processes.ts';
import { startOwnMysql, type TestMysql } from '../../support/mysql.ts';
import { tokenOf } from '../../support/tokens.ts';
import {
  apiPaste,
  databases,
  databaseUrl,
  novaConf,
  password,
  transportUrl,
  type Addresses,
  type Options,
} from './config.ts';
import { freePort, novaManage, startNova, startRabbit, type Program } from './programs.ts';

// oxlint-disable-next-line typescript/no-explicit-any
export type Body = Record<string, any>;

export interface Answer {
  readonly status: number;
  readonly requestId: string;
  readonly body: Body;
}

/** A service that the tests call: Nova's API, or one of the emulator's services. */
export type Target =
  'nova' | 'placement' | 'network' | 'volume' | 'image' | 'identity' | '_emulator';

const paths: Readonly<Record<Exclude<Target, 'nova'>, string>> = {
  placement: '/placement',
  network: '/network/v2.0',
  volume: '/volume/v3',
  image: '/image/v2',
  identity: '/identity/v3',
  _emulator: '/_emulator',
};

const versions: Readonly<Partial<Record<Target, string>>> = {
  nova: 'compute 2.93',
  placement: 'placement 1.39',
  volume: 'volume 3.70',
};

/** The names of the computes' hosts, unless a test names others. */
export const hosts: readonly string[] = ['node-1', 'node-2', 'node-3'];

/** The seconds within which Nova must have done what a test waits for. */
const patience = 180;

/** An emulator that has a captured cloud. */
export interface Copy {
  /** Sends a GET request. @throws Error if the reply is not a success */
  readonly ask: (target: Target, path: string) => Promise<Body>;
  /** Sends a request. @throws Error if the reply is not a success */
  readonly send: (target: Target, method: string, path: string, body?: object) => Promise<Answer>;
  readonly stop: () => Promise<void>;
}

/** @param nova the URL of Nova's API */
const urlOf = ({ origin }: Emulator, nova: string, target: Target, path: string): string =>
  `${target === 'nova' ? nova : origin + paths[target]}${path}`;

async function send(
  url: string,
  target: Target,
  method: string,
  token: string,
  body?: object,
): Promise<Answer> {
  const reply = await fetch(url, {
    method,
    headers: {
      'x-auth-token': token,
      'content-type': 'application/json',
      ...(versions[target] ? { 'openstack-api-version': versions[target] } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${method} ${url}: ${reply.status} ${text}`);
  return {
    status: reply.status,
    requestId: reply.headers.get('x-openstack-request-id') ?? '',
    body: text ? (JSON.parse(text) as Body) : {},
  };
}

/** What a test changes of a deployment. */
export interface DeploymentOptions {
  readonly hosts?: readonly string[];
  /** Further options of Nova's programs. */
  readonly options?: Options;
}

export class Deployment {
  private readonly hosts: readonly string[];
  private readonly options: Options;
  private readonly folder = mkdtempSync(join(tmpdir(), 'cumulet-nova-'));
  private readonly programs: Program[] = [];
  private readonly computes = new Map<string, Program>();
  private emulator!: Emulator;
  private mysql!: TestMysql;
  private addresses!: Addresses;
  private token = '';

  private constructor({ hosts: named = hosts, options = {} }: DeploymentOptions) {
    this.hosts = named;
    this.options = options;
  }

  /** Starts everything. @throws Error if a program does not start */
  static async start(changes: DeploymentOptions = {}): Promise<Deployment> {
    const deployment = new Deployment(changes);
    try {
      await deployment.startAll();
      return deployment;
    } catch (error) {
      await deployment.stop();
      throw error;
    }
  }

  private async startAll(): Promise<void> {
    const mysql = await startOwnMysql();
    if (!mysql) throw new Error('MySQL or MariaDB is not installed.');
    this.mysql = mysql;
    this.emulator = await startEmulator(['--database', 'memory:', '--hosts', '0']);
    this.addresses = {
      cloud: this.emulator.origin,
      mysql: mysql.url,
      rabbit: await freePort(),
      api: await freePort(),
    };
    this.programs.push(...(await startRabbit(join(this.folder, 'rabbit'), this.addresses.rabbit)));
    await this.prepareCloud();
    await this.prepareDatabases();
    const api = this.writeConf('api', databases.cell0);
    const cell = this.writeConf('cell', databases.cell1);
    this.programs.push(
      startNova('api', 'api_os_compute', api),
      startNova('conductor', 'conductor', cell),
      startNova('scheduler', 'scheduler', api),
    );
    for (const host of this.hosts) this.startCompute(host);
    await this.waitFor('all computes', async () => {
      const { body } = await this.ask('nova', 'GET', '/os-hypervisors').catch(() => ({ body: {} }));
      return (body as Body)['hypervisors']?.length === this.hosts.length;
    });
  }

  private writeConf(host: string, database?: string): string {
    const folder = join(this.folder, host);
    mkdirSync(join(folder, 'locks'), { recursive: true });
    writeFileSync(join(folder, 'api-paste.ini'), apiPaste);
    const file = join(folder, 'nova.conf');
    const { addresses, options: more } = this;
    writeFileSync(
      file,
      novaConf(addresses, { folder, host, more, ...(database ? { database } : {}) }),
    );
    return file;
  }

  /** Creates Nova's user, and lists Nova in the catalog in place of the emulator's Compute. */
  private async prepareCloud(): Promise<void> {
    await this.signIn();
    const find = async (noun: string, query: string): Promise<string> => {
      const { body } = await this.ask('identity', 'GET', `/${noun}?${query}`);
      return (body[noun] as Body[])[0]!['id'] as string;
    };
    const { body } = await this.ask('identity', 'POST', '/users', {
      user: { name: 'nova', password, domain_id: 'default' },
    });
    const project = await find('projects', 'name=service');
    for (const name of ['admin', 'service']) {
      const role = await find('roles', `name=${name}`);
      const grant = `/projects/${project}/users/${body['user'].id as string}/roles/${role}`;
      await this.ask('identity', 'PUT', grant);
    }
    const service = await find('services', 'type=compute');
    const listed = await this.ask('identity', 'GET', `/endpoints?service_id=${service}`);
    for (const { id } of listed.body['endpoints'] as Body[])
      await this.ask('identity', 'PATCH', `/endpoints/${id as string}`, {
        endpoint: { url: `http://127.0.0.1:${this.addresses.api}/v2.1` },
      });
  }

  private async prepareDatabases(): Promise<void> {
    const connection = await createConnection(this.mysql.url);
    for (const name of Object.values(databases))
      await connection.query(`CREATE DATABASE ${name} CHARACTER SET utf8`);
    await connection.end();
    const cell0 = this.writeConf('manage', databases.cell0);
    await novaManage(cell0, ['api_db', 'sync']);
    const map = ['--database_connection', databaseUrl(this.addresses, databases.cell0)];
    await novaManage(cell0, ['cell_v2', 'map_cell0', ...map]);
    await novaManage(cell0, ['db', 'sync', '--local_cell']);
    const cell1 = this.writeConf('manage-cell', databases.cell1);
    await novaManage(cell1, ['db', 'sync', '--local_cell']);
    await novaManage(cell1, [
      'cell_v2',
      'create_cell',
      '--name',
      'cell1',
      '--transport-url',
      transportUrl(this.addresses),
      '--database_connection',
      databaseUrl(this.addresses, databases.cell1),
    ]);
  }

  /** Captures the cloud with `cumulet capture`. @returns the file */
  async capture(): Promise<string> {
    const clouds = join(this.folder, 'clouds.yaml');
    const reply = await fetch(`${this.emulator.origin}/_emulator/clouds.yaml`);
    writeFileSync(clouds, await reply.text());
    const file = join(this.folder, 'captured.ndjson');
    const { code, err } = await cumulet(['capture', '--cloud', 'cumulet', '-o', file], {
      env: { OS_CLIENT_CONFIG_FILE: clouds },
    }).ended;
    if (code !== 0) throw new Error(`cumulet capture: ${err}`);
    return file;
  }

  /** The log of one of Nova's programs, such as the scheduler's with that of the API. */
  log(program: string): string {
    return readFileSync(join(this.folder, program, `${program}.log`), 'utf8');
  }

  startCompute(host: string): void {
    const config = this.writeConf(host);
    this.computes.set(host, startNova(`compute on ${host}`, 'compute', config));
  }

  /** Kills a compute. Its servers stay on record. */
  async stopCompute(host: string): Promise<void> {
    await this.computes.get(host)!.stop();
    this.computes.delete(host);
  }

  /** Starts an emulator with a captured cloud. */
  async startCopy(file: string): Promise<Copy> {
    const emulator = await startEmulator(['--database', 'memory:', '--seed', file]);
    const token = await tokenOf(emulator.origin, 'admin');
    const nova = `${emulator.origin}/compute/v2.1`;
    const sendTo: Copy['send'] = (target, method, path, body) =>
      send(urlOf(emulator, nova, target, path), target, method, token, body);
    return {
      ask: async (target, path) => (await sendTo(target, 'GET', path)).body,
      send: sendTo,
      stop: async () => void (await emulator.stop()),
    };
  }

  private async signIn(): Promise<void> {
    this.token = await tokenOf(this.emulator.origin, 'admin');
  }

  /** Sends a request. @throws Error if the reply is not a success */
  ask(target: Target, method: string, path: string, body?: object): Promise<Answer> {
    const nova = `http://127.0.0.1:${this.addresses.api}/v2.1`;
    return send(urlOf(this.emulator, nova, target, path), target, method, this.token, body);
  }

  /** Waits until a condition holds. @throws Error if it takes too long */
  async waitFor(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (let second = 0; second < patience * 4; second++) {
      if (await holds()) return;
      await pause(250);
    }
    throw new Error(`Waited too long for ${what}. Nova's logs are in ${this.folder}.`);
  }

  async stop(): Promise<void> {
    for (const program of [...this.computes.values(), ...this.programs.toReversed()])
      await program.stop();
    await this.emulator?.stop();
    await this.mysql?.stop();
    if (!process.env['CUMULET_TEST_KEEP'])
      rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
