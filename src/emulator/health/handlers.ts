// Health, readiness, metrics, and the emulator's version, services and regions.
import { ok, reply } from '../../kernel/http/reply.ts';
import { emulatedNow, isoMicros } from '../../kernel/clock.ts';
import { packageVersion } from '../../kernel/package-root.ts';
import type { Call, Reply } from '../../kernel/model.ts';

/** GET /_emulator/health: the process answers. */
export const health = (): Reply => ok({ status: 'ok' });

/** GET /_emulator/ready: the databases answer too. */
export async function ready(call: Call): Promise<Reply> {
  const databases = [
    call.cloud.central,
    ...[...call.cloud.regions.values()].map(({ database }) => database),
  ];
  const checked = await Promise.all(
    databases.map(async ({ name, db }) => [name, await answers(db)] as const),
  );
  const all = checked.every(([, up]) => up);
  return reply(all ? 200 : 503, { ready: all, databases: Object.fromEntries(checked) });
}

async function answers(db: Call['db']): Promise<boolean> {
  try {
    await db.raw('SELECT 1');
    return true;
  } catch {
    return false;
  }
}

export async function info(call: Call): Promise<Reply> {
  const { cloud } = call;
  const services = cloud.services.map(({ definition }) => [
    definition.name,
    {
      path: definition.prefix,
      min_version: definition.versions.min.name,
      max_version: definition.versions.max.name,
      operations: definition.routes.length,
    },
  ]);
  return ok({
    version: packageVersion(),
    database: cloud.central.kind,
    auth: cloud.config.auth,
    regions: [...cloud.regions.keys()],
    services: Object.fromEntries(services),
    now: isoMicros(emulatedNow((await cloud.sharedState.refresh()).clock)),
  });
}

export async function metrics(call: Call): Promise<Reply> {
  const { registry } = call.cloud.metrics;
  return ok(await registry.metrics(), { 'content-type': registry.contentType });
}
