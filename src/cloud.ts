// Opens and closes a cloud: it connects the services and the features of the emulator with the
// kernel.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { centralMigrations } from '../migrations/central/index.ts';
import { regionMigrations } from '../migrations/region/index.ts';
import {
  DefaultPasswordCheck,
  refuseStoredDefaultPassword,
} from './kernel/auth/default-password.ts';
import { remoteAuthenticator } from './kernel/auth/remote.ts';
import { loadPolicy, readPolicyFile } from './kernel/oslo/policy.ts';
import { emulatedNow, ticks } from './kernel/clock.ts';
import { commandName } from './kernel/command-line.ts';
import type { Database } from './kernel/db/database.ts';
import { isDiskFull } from './kernel/db/errors.ts';
import { lockFolder, type FolderLock } from './kernel/db/folder-lock.ts';
import { ImageCache } from './kernel/db/images/image-cache.ts';
import { explained, openDatabase } from './kernel/db/open.ts';
import { listedRegions, startList, type ListedRegion } from './kernel/db/region-list.ts';
import { SharedState } from './kernel/db/state.ts';
import { newUuid } from './kernel/ids.ts';
import { transact } from './kernel/db/transaction.ts';
import { BodyMemory } from './kernel/http/body.ts';
import { countRequest, logRequest } from './kernel/http/observers.ts';
import { mount } from './kernel/http/routing.ts';
import { DatabaseJobRunner } from './kernel/jobs/runner.ts';
import { checkLatencies } from './kernel/latency.ts';
import { flushLog, openLog, type Log } from './kernel/log.ts';
import { openMetrics } from './kernel/metrics.ts';
import type { ServiceDefinition, Cloud, Region, Service } from './kernel/model.ts';
import { explanationLinks } from './emulator/explain/interceptor.ts';
import { ExplanationWriter } from './emulator/explain/writer.ts';
import { faultInjection } from './emulator/fault-injection/interceptor.ts';
import { isOfPage } from './emulator/access.ts';
import { frontPage } from './emulator/front-page/page.ts';
import { keepJournal } from './emulator/journal/journal.ts';
import { keepNotifications } from './emulator/notifications/kept.ts';
import { recordRequest } from './emulator/journal/observer.ts';
import { JournalWriter } from './emulator/journal/writer.ts';
import { lateWrites } from './emulator/projects/late-writes.ts';
import { pageRedirect } from './emulator/page/handlers.ts';
import { dropListed } from './emulator/regions/regions.ts';
import { completeReset } from './emulator/reset/reset.ts';
import { clashWithService, regionWith } from './kernel/regions.ts';
import { seedCloud } from './kernel/seed.ts';
import { beginFromSeed, regionsWithSeed } from './emulator/snapshots/seed-file.ts';
import { recoverSnapshots } from './emulator/snapshots/snapshots.ts';
import { defaultPassword, poolsOf, type Config } from './kernel/settings.ts';
import { systemContext } from './kernel/context.ts';
import { authenticator, serviceDefinitions, seededUsersWith } from './services/index.ts';

/** Opens a cloud: migrates its databases, and seeds them if they are new. */
export async function openCloud(config: Config, log: Log = openLog(config)): Promise<Cloud> {
  checkSettings(config);
  const prefixes = serviceDefinitions.map(({ prefix }) => prefix);
  const clash = config.regions.map((region) => clashWithService(prefixes, region)).find(Boolean);
  if (clash !== undefined) throw new Error(clash);
  const folderLock = lockFolder(config.database);
  try {
    return await openDatabases(config, log, folderLock);
  } catch (error) {
    folderLock?.release();
    throw error;
  }
}

async function openDatabases(
  config: Config,
  log: Log,
  folderLock: FolderLock | undefined,
): Promise<Cloud> {
  const central = await openDatabase(config.database, '', centralMigrations, poolsOf(config));
  const opened: Database[] = [central];
  try {
    const isNew = !(await listedRegions(central.db)).length;
    const sharedState = new SharedState(central);
    const passwordCheck = new DefaultPasswordCheck((db) =>
      seededUsersWith({ db }, defaultPassword),
    );
    if (!isNew && config.auth === 'keystone') passwordCheck.begin({ central, sharedState });
    const { list, joined } = await startList(
      central,
      await namesOf(central, config),
      config.centralRegion,
    );
    const regions = await openRegions(await finished(list, config, central), config, opened);
    return await openOn(
      { central, sharedState, defaultPassword: passwordCheck, regions, joined, isNew, folderLock },
      config,
      log,
    );
  } catch (error) {
    await closeDatabases(opened); // an open connection would keep the process alive
    throw isDiskFull(error) ? explained(config.database, error) : error;
  }
}

/** The regions to open: those of the seed file for a new cloud with a seed. */
async function namesOf({ db }: Database, config: Config): Promise<readonly string[]> {
  const { seed } = config;
  if (seed === undefined || (await listedRegions(db)).length) return config.regions;
  return regionsWithSeed({ centralMigrations, regionMigrations }, { ...config, seed });
}

/** @throws Error with the next step for an unknown name, file or folder */
function checkSettings({ latency, policyDir, seed }: Config): void {
  checkLatencies(serviceDefinitions, latency);
  if (seed !== undefined && !(existsSync(seed) && statSync(seed).isFile()))
    throw new Error(`--seed ${seed}: no such file. '${commandName()} export FILE' writes one.`);
  if (policyDir !== undefined && !(existsSync(policyDir) && statSync(policyDir).isDirectory()))
    throw new Error(
      `--policy-dir ${policyDir}: no such folder. It contains files such as placement.yaml.`,
    );
}

/**
 * The regions to open. A process that died may have left regions half added or half dropped: they
 * are dropped here if no other process can exist.
 */
async function finished(
  list: readonly ListedRegion[],
  config: Config,
  central: Database,
): Promise<ListedRegion[]> {
  if (central.kind === 'sqlite')
    for (const listed of list)
      if (listed.state !== 'open') await dropListed({ config, central }, listed);
  return list.filter(({ state }) => state === 'open');
}

/**
 * Opens the databases of regions, and adds each to `opened`, even if another one fails.
 */
async function openRegions(
  list: readonly ListedRegion[],
  config: Config,
  opened: Database[],
): Promise<Region[]> {
  const settled = await Promise.allSettled(
    list.map(async (listed) => {
      const database = await openDatabase(
        config.database,
        listed.name,
        regionMigrations,
        poolsOf(config),
      );
      opened.push(database);
      return regionWith(database, listed);
    }),
  );
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

const closeDatabases = (databases: readonly Database[]): Promise<unknown> =>
  Promise.all(databases.map(({ db }) => db.destroy()));

/** What a cloud consists of when its databases are open. */
interface Opened extends Pick<
  Cloud,
  'central' | 'sharedState' | 'defaultPassword' | 'isNew' | 'folderLock'
> {
  readonly regions: readonly Region[];
  /** The names of the regions that have been added since the last start. */
  readonly joined: readonly string[];
}

async function openOn(
  {
    central,
    sharedState,
    defaultPassword: passwordCheck,
    regions,
    joined,
    isNew,
    folderLock,
  }: Opened,
  config: Config,
  log: Log,
): Promise<Cloud> {
  const firstRegion = regions.find(({ isCentral }) => !isCentral);
  if (!firstRegion)
    throw new Error(
      'A cloud needs a region besides the central one: name another one in --regions.',
    );
  const cloud: Cloud = {
    config,
    log,
    central,
    centralJobs: new DatabaseJobRunner(central),
    sharedState,
    images: new ImageCache(),
    regions: new Map(regions.map((region) => [region.name, region])),
    centralMigrations,
    regionMigrations,
    regionCache: { revision: (await sharedState.refresh()).regionsRevision },
    firstRegion,
    ports: { native: new Map() },
    services: serviceDefinitions.map((definition) => mounted(definition, config, log)),
    authenticate: (token, now) => authenticate(token, now),
    defaultPassword: passwordCheck,
    interceptors: [faultInjection, explanationLinks, lateWrites],
    observers: [countRequest, logRequest, recordRequest],
    seededUsersWith: (password) => seededUsersWith({ db: central.db, cloud }, password),
    withTemporaryCloud: (fields, use) =>
      withTemporaryCloud({ ...config, auth: 'keystone', keystone: undefined, ...fields }, log, use),
    frontPage: (request) => pageRedirect(request) ?? frontPage(request),
    isUnobserved: isOfPage,
    processId: newUuid(),
    faultRules: { revision: 0, rules: [] },
    publicEndpoints: { revision: -1, values: new Map() },
    trustTokens: { revision: -1, values: new Map() },
    serviceUsers: { revision: -1, values: new Map() },
    journal: new JournalWriter(central, log),
    explanations: new ExplanationWriter(log),
    metrics: openMetrics(),
    bodyMemory: new BodyMemory(),
    stopping: new AbortController(),
    isNew,
    openedAt: ticks(),
    folderLock,
  };
  const authenticate =
    config.keystone === undefined ? authenticator(cloud) : remoteAuthenticator(config.keystone);
  await recoverSnapshots(cloud);
  await completeReset(cloud);
  if (config.seed !== undefined) await beginFromSeed(cloud, config.seed);
  if (config.journal !== undefined) await keepJournal(cloud, config.journal);
  if (config.keepNotifications !== undefined)
    await keepNotifications(cloud, config.keepNotifications);
  await seedCloud(cloud, emulatedNow((await cloud.sharedState.read()).clock), [
    ...cloud.regions.values(),
  ]);
  await announceJoined(cloud, joined);
  await refuseStoredDefaultPassword(cloud);
  for (const region of cloud.regions.values()) region.outbox.wake(cloud, region);
  return cloud;
}

/** Opens a cloud in memory that nobody else reaches, and closes it after `use`. */
async function withTemporaryCloud<T>(
  config: Config,
  log: Log,
  use: (cloud: Cloud) => Promise<T>,
): Promise<T> {
  const cloud = await openCloud(
    {
      ...config,
      database: { kind: 'memory' },
      host: '127.0.0.1',
      listen: [],
      workers: 1,
      controlToken: undefined,
      policyDir: undefined,
      latency: {},
      seed: undefined,
      journal: undefined,
      keepNotifications: undefined,
    },
    log,
  );
  try {
    return await use(cloud);
  } finally {
    await closeCloud(cloud);
  }
}

/** Tells central services about the regions that have been added since the last start. */
async function announceJoined(cloud: Cloud, joined: readonly string[]): Promise<void> {
  if (!joined.length) return;
  const now = emulatedNow((await cloud.sharedState.read()).clock);
  await transact(cloud.central.db, async (db, attempt) => {
    const context = systemContext(cloud, cloud.firstRegion, db, now, attempt);
    for (const name of joined)
      for (const { definition } of cloud.services)
        await definition.regionOpened?.(context, cloud.regions.get(name)!);
  });
  cloud.sharedState.invalidate();
}

/** Writes the rest of the journal, closes the databases, and flushes the log. */
export async function closeCloud(cloud: Cloud): Promise<void> {
  const regions = [...cloud.regions.values()];
  await Promise.all(
    [cloud.centralJobs, ...regions.map(({ jobs }) => jobs)].map((jobs) => jobs.stop()),
  );
  await cloud.journal.flush();
  await cloud.explanations.flush();
  for (const { outbox } of regions) await outbox.stop();
  await closeDatabases([cloud.central, ...regions.map((region) => region.database)]);
  cloud.folderLock?.release();
  flushLog(cloud.log);
}

function mounted(definition: ServiceDefinition, config: Config, log: Log): Service {
  const name = definition.api ?? definition.name;
  const file = config.policyDir && join(config.policyDir, `${name}.yaml`);
  const overrides =
    file && existsSync(file) ? readPolicyFile(readFileSync(file, 'utf8'), file) : {};
  const policy = loadPolicy(definition.policy, overrides, { fileName: file });
  // Tests check the defaults.
  if (Object.keys(overrides).length) for (const problem of policy.problems()) log.warn(problem);
  return mount(definition, policy);
}
