// Opening and closing a cloud: a clock, a central database and regions, with the services mounted on them.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { centralMigrations } from '../migrations/central/index.ts';
import { regionMigrations } from '../migrations/region/index.ts';
import { loadPolicy, readPolicyFile } from './kernel/auth/policy.ts';
import { emulatedNow, ticks } from './kernel/clock.ts';
import type { Database } from './kernel/db/database.ts';
import { openDatabase } from './kernel/db/open.ts';
import { SharedState } from './kernel/db/state.ts';
import { BodyRoom } from './kernel/http/body.ts';
import { countRequest, logRequest } from './kernel/http/observers.ts';
import { mount } from './kernel/http/service.ts';
import { checkLatencies } from './kernel/latency.ts';
import { flushLog, openLog, type Log } from './kernel/log.ts';
import { openMetrics } from './kernel/metrics.ts';
import type { Card, Cloud, Service } from './kernel/model.ts';
import { clashWithService, regionOn, seedCloud } from './kernel/powers/regions.ts';
import { defaultPassword, poolsOf, type Config } from './kernel/settings.ts';
import { openHosts } from './config.ts';
import { authenticator, cards, seededUsersWith } from './services/index.ts';

/** Opens a cloud: its databases are brought up to date, and filled with what a new cloud has. */
export async function openCloud(config: Config, log: Log = openLog(config.logLevel)): Promise<Cloud> {
  checkSettings(config);
  const prefixes = cards.map(({ prefix }) => prefix);
  const clash = config.regions.map((region) => clashWithService(prefixes, region)).find(Boolean);
  if (clash !== undefined) throw new Error(clash);
  const databases = await openDatabases(config);
  try {
    return await openOn(databases, config, log);
  } catch (error) {
    await closeDatabases(databases); // an open connection would keep the process alive
    throw error;
  }
}

/** @throws Error with the next step for a name or a folder that there is not */
function checkSettings({ latency, policyDir }: Config): void {
  checkLatencies(cards, latency);
  if (policyDir !== undefined && !(existsSync(policyDir) && statSync(policyDir).isDirectory()))
    throw new Error(`--policy-dir ${policyDir}: there is no such folder. It holds files such as placement.yaml.`);
}

/** The central database, and one for each region. */
async function openDatabases(config: Config): Promise<readonly [Database, ...Database[]]> {
  const central = await openDatabase(config.database, '', centralMigrations, poolsOf(config));
  const regions = await Promise.allSettled(
    config.regions.map((name) => openDatabase(config.database, name, regionMigrations, poolsOf(config))),
  );
  const opened = regions.flatMap((region) => (region.status === 'fulfilled' ? [region.value] : []));
  const failed = regions.find((region) => region.status === 'rejected');
  if (!failed) return [central, ...opened];
  await closeDatabases([central, ...opened]);
  throw failed.reason;
}

const closeDatabases = (databases: readonly Database[]): Promise<unknown> => Promise.all(databases.map(({ db }) => db.destroy()));

async function openOn([central, ...databases]: readonly [Database, ...Database[]], config: Config, log: Log): Promise<Cloud> {
  const regions = databases.map(regionOn);
  const cloud: Cloud = {
    config,
    log,
    central,
    centralDue: { lookAt: -Infinity },
    shared: new SharedState(central),
    regions: new Map(regions.map((region) => [region.name, region])),
    regionMigrations,
    firstRegion: regions[0]!,
    services: cards.map((card) => mounted(card, config, log)),
    authenticate: (token, now) => authenticate(token, now),
    hooks: { before: [], after: [countRequest, logRequest] },
    metrics: openMetrics(),
    bodies: new BodyRoom(),
    openedAt: ticks(),
  };
  const authenticate = authenticator(cloud);
  await seedCloud(cloud, emulatedNow((await cloud.shared.look()).clock), regions);
  await refuseDefaultPassword(cloud);
  return cloud;
}

/** A cloud may have begun with the default password, whatever the flag says now. @throws Error with the next step */
async function refuseDefaultPassword({ config, central }: Cloud): Promise<void> {
  const [host] = openHosts(config);
  if (host === undefined) return;
  const users = await seededUsersWith(central, defaultPassword);
  if (!users.length) return;
  throw new Error(
    `Listening on ${host} needs passwords of your own, and ${users.join(' and ')} of this cloud still ${users.length > 1 ? 'have' : 'has'} the default one. Start without --host and --listen, change it with 'openstack user set --password PASSWORD ${users[0]}', and start again.`,
  );
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
