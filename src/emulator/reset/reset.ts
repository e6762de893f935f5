// Reset: back to what a new cloud has, in all of it, a region, or a service.
import { emulatedNow, machineNow, realClock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db/database.ts';
import { bumpAuthRevision, bumpSharedRevision, wipe } from '../../kernel/db/state.ts';
import { cancelAll } from '../../kernel/jobs/queue.ts';
import { badRequest } from '../../kernel/errors.ts';
import type { ServiceDefinition, Cloud, Region, Service } from '../../kernel/model.ts';
import { systemContext } from '../../kernel/context.ts';
import { writeClock } from '../clock/clock.ts';
import { removeFaultRules } from '../fault-injection/rules.ts';
import { emptyJournal, removeEntries } from '../journal/journal.ts';
import { syncRegions } from '../../kernel/regions.ts';
import { resetToSeed } from '../snapshots/seed-file.ts';

/** What a reset is about; nothing given means everything. */
export interface ResetScope {
  readonly region?: Region | undefined;
  readonly service?: Service | undefined;
}

/**
 * Empties the cloud, a region, or a service (everywhere, or in a region), and fills it with what a
 * new cloud has. A reset of everything also sets the clock back to the machine's, or goes back to
 * the file of --seed. Fault rules go that are about nothing else, and the journal's requests to
 * what is reset.
 */
export async function resetCloud(cloud: Cloud, { region, service }: ResetScope): Promise<void> {
  const { seed } = cloud.config;
  if (!region && !service && seed !== undefined) {
    await resetToSeed(cloud, seed);
    return emptyJournal(cloud);
  }
  await syncRegions(cloud);
  const now =
    region || service ? emulatedNow((await cloud.sharedState.read()).clock) : machineNow();
  const prefix = service ? `${service.definition.name}_` : '';
  const reset = service ? [service.definition] : cloud.services.map(({ definition }) => definition);
  const refill = (home: ServiceDefinition['database'], where: Region) => async (db: Db) => {
    if (service) await cancelAll(db, service.definition.name);
    await refillOne(cloud, home, where, db, now, reset);
  };
  if (!region && reset.some(({ database: home }) => home === 'central')) {
    const remember = async (db: Db): Promise<void> => {
      const context = systemContext(cloud, cloud.firstRegion, db, now);
      for (const definition of reset)
        if (definition.database === 'central') await definition.beforeReset?.(context);
    };
    const refillCentral = async (db: Db): Promise<void> => {
      await refill('central', cloud.firstRegion)(db);
      await bumpAuthRevision(db);
      if (!service) {
        await writeClock(db, realClock);
        await bumpSharedRevision(db, 'journal.generation');
      }
    };
    await wipe(cloud.central, prefix, refillCentral, remember);
  }
  if (reset.some(({ database: home }) => home === 'region')) {
    for (const one of region ? [region] : cloud.regions.values()) {
      // Where all are reset, nobody keeps anything of another.
      const giveBack = (db: Db) =>
        service?.definition.beforeReset?.(systemContext(cloud, one, db, now)) ?? Promise.resolve();
      await wipe(one.database, prefix, refill('region', one), giveBack);
    }
  }
  if (region || service)
    await removeEntries(cloud, { region: region?.name, service: service?.definition.name });
  await removeFaultRules(cloud, { region: region?.name, service: service?.definition.name });
  cloud.sharedState.invalidate();
}

/** The service of that name: one with a state and an API of its own. @throws 400 */
export function serviceNamed(cloud: Cloud, name: string): Service {
  const services = cloud.services.filter(
    ({ definition }) => definition.database !== 'none' && definition.api === undefined,
  );
  const found = services.find(({ definition }) => definition.name === name);
  if (found) return found;
  throw badRequest(
    `There is no service '${name}'. Services: ${services.map(({ definition }) => definition.name).join(', ')}.`,
  );
}

/**
 * Seeds the services that were reset, and lets the others of the same database do what they do
 * after it.
 */
async function refillOne(
  cloud: Cloud,
  home: ServiceDefinition['database'],
  region: Region,
  db: Db,
  now: number,
  reset: readonly ServiceDefinition[],
): Promise<void> {
  const context = systemContext(cloud, region, db, now);
  const names = new Set(reset.map(({ name }) => name));
  for (const definition of reset)
    if (definition.database === home) await definition.seed?.(context);
  for (const { definition } of cloud.services)
    if (definition.database === home && !names.has(definition.name))
      await definition.afterReset?.(context, names);
}
