// Handlers of /_emulator/<service>/settings: what upstream has in configuration files.
import { emulatedNow } from '../../kernel/clock.ts';
import { databaseOf, lockOf, systemContext } from '../../kernel/context.ts';
import { explain } from '../../kernel/contract/jsonschema-messages.ts';
import type { ServiceSettings } from '../../kernel/contract/service-settings.ts';
import { serialize, transact } from '../../kernel/db/transaction.ts';
import { badRequest, notFound } from '../../kernel/errors.ts';
import { ok } from '../../kernel/http/reply.ts';
import type { Call, Cloud, Region, Reply, ServiceDefinition } from '../../kernel/model.ts';
import { regionNamed } from '../../kernel/regions.ts';
import { sharedByRegions } from '../services.ts';

/** A service with settings, and the region of a request about them. */
interface Target {
  readonly service: Cloud['services'][number];
  readonly settings: ServiceSettings;
  readonly region: Region;
}

/** GET /_emulator/{service}/settings @throws 400, 404 */
export async function show(call: Call): Promise<Reply> {
  const { service, settings, region } = targetOf(call, call.query.last('region'));
  const { db } = databaseOf(call.cloud, service, region);
  return ok(settings.view(await settings.load(db)));
}

/**
 * PUT /_emulator/{service}/settings: changes the given settings, and keeps the others.
 * @throws 400, 404
 */
export async function update(call: Call): Promise<Reply> {
  const { cloud } = call;
  const { region: name, ...body } = call.body as Record<string, unknown> & { region?: string };
  const { service, settings, region } = targetOf(call, name);
  const failure = settings.check(body);
  if (failure)
    throw badRequest(`Invalid request body: ${explain(failure, { pick: 'best' }).message}`);
  const { definition } = service;
  const now = emulatedNow((await cloud.sharedState.read()).clock);
  const values = await transact(databaseOf(cloud, service, region).db, async (db, attempt) => {
    await serialize(db, lockOf(definition) ?? definition.name);
    const changed = await settings.change(db, body);
    await definition.settingsChanged?.(systemContext(cloud, region, db, now, attempt), changed);
    return settings.load(db);
  });
  cloud.sharedState.invalidate();
  cloud.centralJobs.wake();
  region.jobs.wake();
  return ok(settings.view(values));
}

const hasSettings = (
  definition: ServiceDefinition,
): definition is ServiceDefinition & { readonly settings: ServiceSettings } =>
  definition.settings !== undefined;

/** @throws 404 for a service without settings, 400 for an unknown region */
function targetOf({ cloud, params }: Call, regionName: string | undefined): Target {
  const service = cloud.services.find(({ definition }) => definition.name === params['service']);
  if (!service || !hasSettings(service.definition)) {
    const names = cloud.services.flatMap(({ definition }) =>
      hasSettings(definition) ? [definition.name] : [],
    );
    throw notFound(
      `There is no service '${params['service']}' with settings. Services with settings: ` +
        `${names.join(', ')}.`,
    );
  }
  const { definition } = service;
  if (definition.database === 'central' && regionName !== undefined)
    throw sharedByRegions(definition.name);
  return { service, settings: definition.settings, region: regionNamed(cloud, regionName) };
}
