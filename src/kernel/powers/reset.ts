// Reset: back to what a new cloud has, in all of it, a region, or a service.
import { emulatedNow, machineNow, realClock } from '../clock.ts';
import type { Db } from '../db/database.ts';
import { bumpAuthRevision, bumpRevision, wipe } from '../db/state.ts';
import { callOffAll } from '../jobs.ts';
import { badRequest } from '../fault.ts';
import type { Card, Cloud, Region, Service } from '../model.ts';
import { systemWork } from '../work.ts';
import { writeClock } from './clock.ts';
import { removeFaults } from './faults.ts';
import { emptyJournal, removeEntries } from './journal.ts';
import { syncRegions } from './regions.ts';
import { resetToSeed } from './snapshots/seed-file.ts';

/** What a reset is about; nothing given means everything. */
export interface ResetScope {
  readonly region?: Region | undefined;
  readonly service?: Service | undefined;
}

/**
 * Empties the cloud, a region, or a service (everywhere, or in a region), and fills it with what a new cloud has. A reset of
 * everything also sets the clock back to the machine's, or goes back to the file of --seed. Fault rules go that are about
 * nothing else, and the journal's requests to what is reset.
 */
export async function resetCloud(cloud: Cloud, { region, service }: ResetScope): Promise<void> {
  const { seed } = cloud.config;
  if (!region && !service && seed !== undefined) {
    await resetToSeed(cloud, seed);
    return emptyJournal(cloud);
  }
  await syncRegions(cloud);
  const now = region || service ? emulatedNow((await cloud.shared.look()).clock) : machineNow();
  const prefix = service ? `${service.card.name}_` : '';
  const reset = service ? [service.card] : cloud.services.map(({ card }) => card);
  const refill = (home: Card['home'], where: Region) => async (db: Db) => {
    if (service) await callOffAll(db, service.card.name);
    await refillOne(cloud, home, where, db, now, reset);
  };
  if (!region && reset.some(({ home }) => home === 'central')) {
    const remember = async (db: Db): Promise<void> => {
      const work = systemWork(cloud, cloud.firstRegion, db, now);
      for (const card of reset) if (card.home === 'central') await card.beforeReset?.(work);
    };
    const refillCentral = async (db: Db): Promise<void> => {
      await refill('central', cloud.firstRegion)(db);
      await bumpAuthRevision(db);
      if (!service) {
        await writeClock(db, realClock);
        await bumpRevision(db, 'journal.era');
      }
    };
    await wipe(cloud.central, prefix, refillCentral, remember);
  }
  if (reset.some(({ home }) => home === 'region')) {
    for (const one of region ? [region] : cloud.regions.values()) {
      // Where all are reset, nobody keeps anything of another.
      const giveBack = (db: Db) => service?.card.beforeReset?.(systemWork(cloud, one, db, now)) ?? Promise.resolve();
      await wipe(one.database, prefix, refill('region', one), giveBack);
    }
  }
  if (region || service) await removeEntries(cloud, { region: region?.name, service: service?.card.name });
  await removeFaults(cloud, { region: region?.name, service: service?.card.name });
  cloud.shared.forget();
}

/** The service of that name: one with a state and an API of its own. @throws 400 */
export function serviceNamed(cloud: Cloud, name: string): Service {
  const services = cloud.services.filter(({ card }) => card.home !== 'process' && card.api === undefined);
  const found = services.find(({ card }) => card.name === name);
  if (found) return found;
  throw badRequest(`There is no service '${name}'. Services: ${services.map(({ card }) => card.name).join(', ')}.`);
}

/** Seeds the services that were reset, and lets the others of the same database do what they do after it. */
async function refillOne(
  cloud: Cloud,
  home: Card['home'],
  region: Region,
  db: Db,
  now: number,
  reset: readonly Card[],
): Promise<void> {
  const work = systemWork(cloud, region, db, now);
  const names = new Set(reset.map(({ name }) => name));
  for (const card of reset) if (card.home === home) await card.seed?.(work);
  for (const { card } of cloud.services) if (card.home === home && !names.has(card.name)) await card.afterReset?.(work, names);
}
