// Handlers of /_emulator/health, /ready, /info and /metrics.
import { ok, reply } from '../../kernel/http/reply.ts';
import { emulatedNow, isoMicros, SECOND, ticks } from '../../kernel/clock.ts';
import { packageVersion } from '../../kernel/package-root.ts';
import type { Call, JobProgress, Reply } from '../../kernel/model.ts';
import { isReachable } from './store.ts';

/** GET /_emulator/health: replies as long as the process runs. */
export const health = (): Reply => ok({ status: 'ok' });

/**
 * GET /_emulator/ready: replies 503 if any database does not answer, or if requests to it get 503
 * because it is catching up with the clock.
 */
export async function ready({ cloud }: Call): Promise<Reply> {
  const databases = [
    { database: cloud.central, jobs: cloud.centralJobs },
    ...cloud.regions.values(),
  ];
  const checked = await Promise.all(
    databases.map(async ({ database: { name, db } }) => [name, await isReachable(db)] as const),
  );
  const behind = databases.flatMap(({ database: { name }, jobs: { progress } }) =>
    progress ? [progressView(name, progress)] : [],
  );
  const isLate = behind.some(({ seconds }) => seconds * SECOND > cloud.config.catchUpWait);
  const isReady = !isLate && checked.every(([, up]) => up);
  return reply(isReady ? 200 : 503, {
    ready: isReady,
    databases: Object.fromEntries(checked),
    catching_up: behind,
  });
}

const progressView = (database: string, { since, at, until, tally }: JobProgress) => ({
  database,
  at: isoMicros(at),
  until: isoMicros(until),
  jobs_run: tally.run,
  rounds_skipped: tally.skipped,
  seconds: Math.round(ticks() - since) / 1000,
});

/** GET /_emulator/info: the version, services, regions, database and time of the emulator. */
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

/** GET /_emulator/metrics: counters and latencies in the format of Prometheus. */
export async function metrics(call: Call): Promise<Reply> {
  const { registry } = call.cloud.metrics;
  return ok(await registry.metrics(), { 'content-type': registry.contentType });
}
