// Clouds for tests: the same suite on each database, with every reply held against the api-ref.
import { isDropped, isStream } from '../../src/kernel/http/reply.ts';
import { serverFor } from '../../src/kernel/http/server.ts';
import type { Policy } from '../../src/kernel/oslo/policy.ts';
import type { Cloud, IncomingRequest, Region, Reply, Service } from '../../src/kernel/model.ts';
import { closeCloud, openCloud } from '../../src/cloud.ts';
import { configOf } from '../../src/cli/config.ts';
import { parseTime } from '../../src/kernel/clock.ts';
import type { Db } from '../../src/kernel/db/database.ts';
import { dropDatabase } from '../../src/kernel/db/open.ts';
import { bumpAuthRevision, wipe } from '../../src/kernel/db/state.ts';
import { transact } from '../../src/kernel/db/transaction.ts';
import type { Server } from 'node:http';
import supertest from 'supertest';
import { recordCoverage } from './coverage.ts';
import { imageOf, type Image } from './image.ts';
import { databases, kinds, type Kind } from './databases.ts';
import type { Config } from '../../src/kernel/settings.ts';
import { moveClock, writeClock } from '../../src/emulator/clock/clock.ts';
import { systemContext } from '../../src/kernel/context.ts';

/** Where the clock of a test stands. */
export const noon = parseTime('2026-11-20T12:00:00Z')!;

export interface Asked {
  readonly version?: string;
  readonly token?: string | null;
  readonly headers?: Record<string, string>;
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown;
}

/** A cloud in a suite. Its fields hold only while a test runs. */
export class World {
  readonly kind: Kind;
  private opened: Opened | undefined;

  constructor(kind: Kind) {
    this.kind = kind;
  }

  enter(opened: Opened): void {
    this.opened = opened;
  }

  get cloud(): Cloud {
    return this.opened!.cloud;
  }

  /**
   * What replies of this test were not as the api-ref has them; a test fails for what is left here.
   */
  get problems(): string[] {
    return this.opened!.problems;
  }

  /** A supertest agent on the cloud's port. */
  get http(): ReturnType<typeof supertest> {
    return supertest(this.opened!.server);
  }

  get server(): Server {
    return this.opened!.server;
  }

  /** A request of a service, as `token` (admin, where none is given; none at all for null). */
  ask(
    service: string,
    method: string,
    path: string,
    { version, token = 'admin', headers = {}, body }: Asked = {},
  ): supertest.Test {
    const verb = method.toLowerCase() as 'get';
    const request = this.http[verb](path).set(headers);
    if (token !== null) void request.set('x-auth-token', token);
    if (version) void request.set('openstack-api-version', `${service} ${version}`);
    if (body !== undefined) {
      if (!headers['content-type']) void request.set('content-type', 'application/json');
      void request.send(typeof body === 'string' ? body : JSON.stringify(body));
    }
    return request;
  }

  /** Puts the frozen clock elsewhere. */
  async setTime(text: string): Promise<void> {
    await moveClock(this.cloud, { frozenAt: parseTime(text)!, offset: 0 });
  }
}

interface Opened {
  readonly cloud: Cloud;
  readonly server: Server;
  readonly problems: string[];
  /** What its databases hold when a test begins. */
  readonly images: readonly Image[];
  close(): Promise<void>;
}

/** Clouds that suites share, by database and configuration; each suite finds its cloud as new. */
const shared = new Map<string, Promise<Opened | undefined>>();

async function open(kind: Kind, overrides: Partial<Config>): Promise<Opened | undefined> {
  const database = await databases.fresh(kind);
  if (!database) return undefined;
  const cloud = await openCloud(
    configOf({ database, logLevel: 'silent', hosts: '0', ...overrides }),
  );
  const problems: string[] = [];
  cloud.observers.push((call, reply, _milliseconds, source) => {
    if (source === 'client' || source === 'forwarded') check(call, reply, problems);
  });
  for (const service of cloud.services) watchRules(service, problems);
  const server = serverFor({ cloud }).listen(0, '127.0.0.1');
  await found(cloud);
  const all = [cloud.central, ...[...cloud.regions.values()].map((region) => region.database)];
  const images = await Promise.all(all.map((one) => imageOf(one, database)));
  const close = async (): Promise<void> => {
    for (const image of images) await image.drop();
    server.closeAllConnections();
    server.close();
    await closeCloud(cloud);
    for (const part of ['', ...cloud.regions.keys()]) await dropDatabase(database, part);
  };
  return { cloud, server, problems, images, close };
}

/** A rule that is asked and is not in the service's table refuses everyone, in silence. */
function watchRules(service: Service, problems: string[]): void {
  const { definition, policy } = service;
  const allows: Policy['allows'] = (name, credentials, target) => {
    // The kernel asks who is an admin of any service; some have no rule for it.
    if (name !== 'context_is_admin' && !Object.hasOwn(definition.policy, name))
      problems.push(`${definition.name} asks a rule that it does not have: ${name}`);
    return policy.allows(name, credentials, target);
  };
  Object.assign(service, { policy: { ...policy, allows } });
}

function check(call: IncomingRequest, reply: Reply, problems: string[]): void {
  const { service, operation, version } = call;
  if (!service || !operation || !version || isStream(reply.body) || isDropped(reply)) return;
  // A gateway answers in the words of another service, whose api-ref does not have that there is no
  // pod, or that one does not answer.
  if (service.definition.api !== undefined && reply.status >= 500) return;
  recordCoverage(service, operation, version);
  // The body of a HEAD is never sent, and described only for faults.
  const told =
    (call.method === 'HEAD' && reply.status < 400) || Buffer.isBuffer(reply.body)
      ? undefined
      : reply.body;
  // A text without a type of its own is JSON that a view has written.
  const isText = typeof told === 'string' && reply.headers?.['content-type'] !== undefined;
  const body =
    told === undefined || isText
      ? told
      : (JSON.parse(typeof told === 'string' ? told : JSON.stringify(told)) as unknown);
  const problem = isText ? undefined : operation.checkReply(reply.status, body);
  // A fault rule may have any status.
  if (call.faultRule !== undefined && problem?.endsWith('is not in the api-ref')) return;
  // Bodies that are too long, or in an unknown encoding, are refused in the place of any operation,
  // and not each api-ref says so.
  if ([413, 415].includes(reply.status) && problem?.endsWith('is not in the api-ref')) return;
  if (problem) problems.push(`${call.method} ${call.path} at ${version.name}: ${problem}`);
}

/** When a suite's cloud was new. */
const morning = parseTime('2026-11-20T06:00:00Z')!;

/**
 * Makes the cloud as new in the morning: what it starts with is older than what tests make,
 * whatever the machine's date.
 */
async function found(cloud: Cloud): Promise<void> {
  const refill = async (home: 'central' | 'region', region: Region, db: Db): Promise<void> => {
    for (const { definition } of cloud.services)
      if (definition.database === home)
        await definition.seed?.(systemContext(cloud, region, db, morning));
  };
  await wipe(cloud.central, '', (db) => refill('central', cloud.firstRegion, db));
  for (const region of cloud.regions.values())
    await wipe(region.database, '', (db) => refill('region', region, db));
}

/** Makes the cloud as it was when its suite began, and sets its clock to noon. */
async function renew({ cloud, images }: Opened): Promise<void> {
  await Promise.all(images.map((image) => image.restore()));
  await transact(cloud.central.db, async (db) => {
    await bumpAuthRevision(db);
    await writeClock(db, { frozenAt: noon, offset: 0 });
  });
  for (const { jobs } of [{ jobs: cloud.centralJobs }, ...cloud.regions.values()]) jobs.wake();
  cloud.sharedState.invalidate();
}

/**
 * Declares a suite on each database. In each test the cloud is as new and its clock stands at noon.
 */
export function onEachDatabase(
  title: string,
  overrides: Partial<Config>,
  suite: (world: World) => void,
): void {
  for (const kind of kinds) {
    describe(`${title} [${kind}]`, function () {
      const world = new World(kind);
      const key = `${kind} ${JSON.stringify(overrides)}`;
      let opened: Opened | undefined;
      before(async function () {
        if (!shared.has(key)) shared.set(key, open(kind, overrides));
        opened = await shared.get(key);
        if (!opened) this.skip();
      });
      beforeEach(async function () {
        await renew(opened!);
        opened!.problems.length = 0;
        world.enter(opened!);
      });
      afterEach(() => {
        if (opened?.problems.length)
          throw new Error([...new Set(opened.problems)].slice(0, 20).join('\n'));
      });
      suite(world);
    });
  }
}

/** A cloud of a test's own, which it must close. */
export async function ownCloud(
  kind: Kind,
  overrides: Partial<Config>,
): Promise<Opened | undefined> {
  return open(kind, overrides);
}

/** Closes what the suites have shared. */
export async function closeClouds(): Promise<void> {
  for (const opened of shared.values()) await (await opened.catch(() => undefined))?.close();
  shared.clear();
}
