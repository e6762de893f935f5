// Runs a test suite on each database, and checks every reply against the api-ref.
import { isDropped, isStream } from '../../src/kernel/http/reply.ts';
import { serverFor } from '../../src/kernel/http/server.ts';
import type { Policy } from '../../src/kernel/oslo/policy.ts';
import type { Cloud, IncomingRequest, Region, Reply, Service } from '../../src/kernel/model.ts';
import { closeRegion } from '../../src/emulator/regions/regions.ts';
import { closeCloud, openCloud } from '../../src/cloud.ts';
import { configOf } from '../../src/config.ts';
import { parseTime } from '../../src/kernel/clock.ts';
import type { Database, Db } from '../../src/kernel/db/database.ts';
import { dropDatabase } from '../../src/kernel/db/open.ts';
import { bumpAuthRevision, emptyAndRefill, resettableTables } from '../../src/kernel/db/state.ts';
import { transact } from '../../src/kernel/db/transaction.ts';
import type { Server } from 'node:http';
import supertest from 'supertest';
import { recordCoverage } from './coverage.ts';
import { watchRevisions } from './revisions.ts';
import { imageOf, type Image } from './image.ts';
import { databases, kinds, type Kind } from './databases.ts';
import type { Config } from '../../src/kernel/settings.ts';
import { moveClock, writeClock } from '../../src/emulator/clock/clock.ts';
import { systemContext } from '../../src/kernel/context.ts';

/** The frozen time at which every test starts. */
export const noon = parseTime('2026-11-20T12:00:00Z')!;

export interface Asked {
  readonly version?: string;
  readonly token?: string | null;
  readonly headers?: Record<string, string>;
  /** Sent as JSON, except that a string is sent unchanged. */
  readonly body?: unknown;
}

/** The cloud of a suite. Its fields are valid only while a test runs. */
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
   * Replies of this test that violate the api-ref. A test fails unless the list is empty at its
   * end.
   */
  get problems(): string[] {
    return this.opened!.problems;
  }

  /** A supertest agent for the cloud's server. */
  get http(): ReturnType<typeof supertest> {
    return supertest(this.opened!.server);
  }

  get server(): Server {
    return this.opened!.server;
  }

  /** Builds a request to a service. The token defaults to `admin`; null sends no token. */
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

  /** Moves the frozen clock to this time. */
  async setTime(text: string): Promise<void> {
    await moveClock(this.cloud, { frozenAt: parseTime(text)!, offset: 0 });
  }
}

interface Opened {
  readonly cloud: Cloud;
  readonly server: Server;
  readonly problems: string[];
  /** The regions that it was opened with. */
  readonly regions: readonly Region[];
  /** Copies of its databases, restored before each test. */
  readonly images: readonly Image[];
  close(): Promise<void>;
}

/** Clouds that suites share, by database and configuration. They are restored before each test. */
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
  for (const { db } of [cloud.central, ...[...cloud.regions.values()].map((one) => one.database)])
    watchRevisions(db, problems);
  const server = serverFor({ cloud }).listen(0, '127.0.0.1');
  await seedCloud(cloud);
  const regions = [...cloud.regions.values()];
  const all = [cloud.central, ...regions.map((region) => region.database)];
  const images = await Promise.all(all.map((one) => imageOf(one, database)));
  const close = async (): Promise<void> => {
    for (const image of images) await image.drop();
    server.closeAllConnections();
    server.close();
    await closeCloud(cloud);
    for (const part of ['', ...cloud.regions.keys()]) await dropDatabase(database, part);
  };
  return { cloud, server, problems, regions, images, close };
}

/**
 * Reports policy checks for a rule that is missing in the service's table: such a rule silently
 * refuses everyone.
 */
function watchRules(service: Service, problems: string[]): void {
  const { definition, policy } = service;
  const allows: Policy['allows'] = (name, credentials, target) => {
    // The kernel checks this rule on every service, but some services do not define it.
    if (name !== 'context_is_admin' && !Object.hasOwn(definition.policy, name))
      problems.push(`${definition.name} checks a policy rule that it does not define: ${name}`);
    return policy.allows(name, credentials, target);
  };
  Object.assign(service, { policy: { ...policy, allows } });
}

function check(call: IncomingRequest, reply: Reply, problems: string[]): void {
  const { service, operation, version } = call;
  if (!service || !operation || !version || isStream(reply.body) || isDropped(reply)) return;
  // A gateway follows the api-ref of another service, which does not describe the gateway's own
  // errors: no pod is available, or a pod does not answer.
  if (service.definition.api !== undefined && reply.status >= 500) return;
  recordCoverage(service, operation, version);
  // The body of a HEAD reply is never sent, and the api-ref describes it only for errors.
  const hasOwnType = reply.headers?.['content-type'] !== undefined;
  const isBinary = Buffer.isBuffer(reply.body) && hasOwnType;
  const sentBody =
    (call.method === 'HEAD' && reply.status < 400) || isBinary ? undefined : reply.body;
  // Text without a Content-Type of its own is JSON that a view has serialized.
  const isSerialized = typeof sentBody === 'string' || Buffer.isBuffer(sentBody);
  const isText = isSerialized && hasOwnType;
  const body =
    sentBody === undefined || isText
      ? sentBody
      : (JSON.parse(isSerialized ? sentBody.toString() : JSON.stringify(sentBody)) as unknown);
  const problem = isText ? undefined : operation.checkReply(reply.status, body);
  // A fault rule may answer with any status.
  if (call.faultRule !== undefined && problem?.endsWith('is not in the api-ref')) return;
  // Any operation may refuse a body that is too long or has an unknown encoding. Not every api-ref
  // lists these statuses.
  if ([408, 413, 415].includes(reply.status) && problem?.endsWith('is not in the api-ref')) return;
  if (problem) problems.push(`${call.method} ${call.path} at ${version.name}: ${problem}`);
}

/** The time at which a suite's cloud was created. */
const morning = parseTime('2026-11-20T06:00:00Z')!;

/**
 * Seeds the cloud with the emulated time set to the morning, so that seeded resources are older
 * than those that tests create, whatever the machine's date.
 */
async function seedCloud(cloud: Cloud): Promise<void> {
  const seedDatabase = async (
    home: 'central' | 'region',
    region: Region,
    db: Db,
  ): Promise<void> => {
    for (const { definition } of cloud.services)
      if (definition.database === home)
        await definition.seed?.(systemContext(cloud, region, db, morning));
  };
  const refill = (database: Database, home: 'central' | 'region', region: Region): Promise<void> =>
    transact(database.db, async (db) => {
      const tables = await resettableTables(database, '', db);
      await emptyAndRefill(database, db, tables, () => seedDatabase(home, region, db));
    });
  await refill(cloud.central, 'central', cloud.firstRegion);
  for (const region of cloud.regions.values()) await refill(region.database, 'region', region);
}

/** Restores the seeded state of the cloud, and sets its clock to noon. */
async function restoreCloud({ cloud, regions, images }: Opened): Promise<void> {
  await dropAddedRegions(cloud, regions);
  await Promise.all(images.map((image) => image.restore()));
  await transact(cloud.central.db, async (db) => {
    await bumpAuthRevision(db);
    await writeClock(db, { frozenAt: noon, offset: 0 });
  });
  for (const { jobs } of [{ jobs: cloud.centralJobs }, ...cloud.regions.values()]) jobs.wake();
  cloud.sharedState.invalidate();
}

/** Drops the regions that a test has added. */
async function dropAddedRegions(cloud: Cloud, regions: readonly Region[]): Promise<void> {
  for (const region of cloud.regions.values())
    if (!regions.includes(region)) await closeRegion(cloud, region, { drop: true });
}

/**
 * Declares a suite on each database. Every test starts with a freshly seeded cloud, and with the
 * clock frozen at noon.
 */
export function onEachDatabase(
  title: string,
  overrides: Partial<Config>,
  suite: (world: World) => void,
): void {
  for (const kind of kinds) onDatabase(kind, title, overrides, suite);
}

/** Declares a suite on one kind of database. */
export function onDatabase(
  kind: Kind,
  title: string,
  overrides: Partial<Config>,
  suite: (world: World) => void,
): void {
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
      await restoreCloud(opened!);
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

/** Opens a cloud for a single test, which must close it. */
export async function ownCloud(
  kind: Kind,
  overrides: Partial<Config>,
): Promise<Opened | undefined> {
  return open(kind, overrides);
}

/** Closes the clouds that the suites share. */
export async function closeClouds(): Promise<void> {
  for (const opened of shared.values()) await (await opened.catch(() => undefined))?.close();
  shared.clear();
}
