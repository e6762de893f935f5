// A cloud: a clock, a central database and regions, with the services mounted on them.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { centralMigrations } from '../migrations/central/index.ts';
import { regionMigrations } from '../migrations/region/index.ts';
import type { Config } from './config.ts';
import { loadPolicy, readPolicyFile } from './kernel/auth/policy.ts';
import { emulatedNow, machineNow, pause, realClock, ticks, type ClockSetting } from './kernel/clock.ts';
import { openDatabase, type Database, type Db } from './kernel/db/open.ts';
import { bumpAuthRevision, sharedBound, SharedState, wipe, writeShared } from './kernel/db/state.ts';
import { transact } from './kernel/db/transaction.ts';
import { callOffAll } from './kernel/jobs.ts';
import { settle } from './kernel/settle.ts';
import { mount, type Card, type Service } from './kernel/http/service.ts';
import { flushLog, logRequest, openLog, type Log } from './kernel/log.ts';
import { openMetrics } from './kernel/metrics.ts';
import { databaseOf, type Cloud, type Region } from './kernel/model.ts';
import { cards } from './services/index.ts';
import { authenticator } from './services/identity/index.ts';

/** Opens a cloud: its databases are brought up to date, and filled with what a new cloud has. */
export async function openCloud(config: Config, log: Log = openLog(config.logLevel)): Promise<Cloud> {
  const clash = cards.find(({ prefix }) => config.regions.includes(prefix.slice(1)));
  if (clash) throw new Error(`'${clash.prefix.slice(1)}' cannot be a region's name: a service is mounted at ${clash.prefix}.`);
  const databases = await openDatabases(config);
  try {
    return await openOn(databases, config, log);
  } catch (error) {
    await closeDatabases(databases); // an open connection would keep the process alive
    throw error;
  }
}

/** The central database, and one for each region. */
async function openDatabases(config: Config): Promise<readonly [Database, ...Database[]]> {
  const central = await openDatabase(config.database, '', centralMigrations);
  const regions = await Promise.allSettled(config.regions.map((name) => openDatabase(config.database, name, regionMigrations)));
  const opened = regions.flatMap((region) => (region.status === 'fulfilled' ? [region.value] : []));
  const failed = regions.find((region) => region.status === 'rejected');
  if (!failed) return [central, ...opened];
  await closeDatabases([central, ...opened]);
  throw failed.reason;
}

const closeDatabases = (databases: readonly Database[]): Promise<unknown> => Promise.all(databases.map(({ db }) => db.destroy()));

async function openOn([central, ...databases]: readonly [Database, ...Database[]], config: Config, log: Log): Promise<Cloud> {
  const regions = databases.map((database): Region => ({ name: database.name, database, due: { lookAt: -Infinity } }));
  const services = cards.map((card) => mounted(card, config, log));
  const shared = new SharedState(central);
  const metrics = openMetrics();
  const cloud: Cloud = {
    config,
    log,
    central,
    shared,
    regions: new Map(regions.map((region) => [region.name, region])),
    firstRegion: regions[0]!,
    services,
    authenticate: (token, now) => authenticate(token, now),
    hooks: { told: [(call, reply, ms) => metrics.told(call, reply, ms), logRequest] },
    metrics,
    openedAt: ticks(),
  };
  const authenticate = authenticator(cloud);
  await seed(cloud);
  return cloud;
}

/** Closes the databases and writes the log out. */
export async function closeCloud(cloud: Cloud): Promise<void> {
  await closeDatabases([cloud.central, ...[...cloud.regions.values()].map((region) => region.database)]);
  flushLog(cloud.log);
}

function mounted(card: Card, config: Config, log: Log): Service {
  const file = config.policyDir && join(config.policyDir, `${card.name}.yaml`);
  const overrides = file && existsSync(file) ? readPolicyFile(readFileSync(file, 'utf8'), file) : {};
  const policy = loadPolicy(card.policy, overrides, { fileName: file });
  for (const problem of policy.problems) log.warn(problem);
  return mount(card, policy);
}

/** Gives every service what it starts with, where it is not there yet. */
async function seed(cloud: Cloud): Promise<void> {
  const now = emulatedNow((await cloud.shared.look()).clock);
  for (const region of cloud.regions.values()) {
    for (const service of cloud.services) {
      const { card } = service;
      if (!card.seed || (card.home === 'central' && region !== cloud.firstRegion)) continue;
      await transact(databaseOf(cloud, service, region).db, (db) => card.seed!({ cloud, region, db, now }));
    }
  }
  cloud.shared.forget();
}

/** What a reset is about; nothing given means everything. */
export interface ResetScope {
  readonly region?: Region | undefined;
  readonly service?: Service | undefined;
}

/**
 * Empties the cloud, a region, or a service (everywhere, or in a region), and fills it with what a new cloud has. A reset of
 * everything also sets the clock back to the machine's.
 */
export async function resetCloud(cloud: Cloud, { region, service }: ResetScope): Promise<void> {
  const now = region || service ? emulatedNow((await cloud.shared.look()).clock) : machineNow();
  const prefix = service ? `${service.card.name}_` : '';
  const cardsAt = (home: 'central' | 'region'): readonly Card[] =>
    (service ? [service] : cloud.services).map(({ card }) => card).filter((card) => card.home === home);
  const refill = (home: 'central' | 'region', where: Region) => async (db: Db) => {
    if (home === 'region' && service) await callOffAll(db, service.card.name);
    for (const card of cardsAt(home)) await card.seed?.({ cloud, region: where, db, now });
  };
  if (!region && cardsAt('central').length) {
    await wipe(cloud.central, prefix, async (db) => {
      await refill('central', cloud.firstRegion)(db);
      await bumpAuthRevision(db);
      if (!service) await setClock(db, realClock);
    });
  }
  if (cardsAt('region').length) {
    for (const one of region ? [region] : cloud.regions.values()) await wipe(one.database, prefix, refill('region', one));
  }
  cloud.shared.forget();
}

/** Writes the clock down for all processes. */
export async function setClock(db: Db, { frozenAt, offset }: ClockSetting): Promise<void> {
  await writeShared(db, 'clock.frozen_at', frozenAt === null ? '' : String(frozenAt));
  await writeShared(db, 'clock.offset', String(offset));
}

/** Sets the clock and does all that has become due, in every region, before it returns. */
export async function moveClock(cloud: Cloud, setting: ClockSetting): Promise<void> {
  await transact(cloud.central.db, (db) => setClock(db, setting));
  cloud.shared.forget();
  // Other processes go by what they last read for so long: after this they agree.
  if (cloud.central.kind === 'mysql') await pause(sharedBound + 1);
  const now = emulatedNow((await cloud.shared.load()).clock);
  for (const region of cloud.regions.values()) {
    region.due.lookAt = -Infinity;
    await settle(cloud, region, now);
  }
}
