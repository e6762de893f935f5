// Tricircle's part of the emulator's own API: drains a pod.
import { emulatedNow } from '../../../kernel/clock.ts';
import { systemContext } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors.ts';
import { ok } from '../../../kernel/http/reply.ts';
import type { Call, Context, Reply } from '../../../kernel/model.ts';
import { centralRegionOf } from '../../../kernel/regions.ts';
import { findMigration, runDueSteps, startMigration } from '../domain/migration/migrations.ts';
import { closePod } from '../domain/pods/pods.ts';
import { planMigration } from '../domain/migration/plan.ts';
import { readMigration } from '../domain/migration/request.ts';
import type { Pod } from '../model.ts';
import { listPods } from '../store/pods.ts';
import { migrationView, planView } from '../views/migrations.ts';

/**
 * A context of the cloud itself: the emulator's API has no caller.
 * @throws 404 without a central region
 */
async function ownContext({ cloud }: Call): Promise<Context> {
  const region = centralRegionOf(cloud);
  if (!region) throw notFound('The cloud has no central region, and so no pods.');
  const now = emulatedNow((await cloud.sharedState.read()).clock);
  return systemContext(cloud, region, cloud.central.db, now);
}

/** @throws 404 */
async function podIn({ db }: Context, region: string): Promise<Pod> {
  const pods = await listPods(db);
  const pod = pods.find(({ regionName, azName }) => regionName === region && azName !== '');
  if (!pod) throw notFound(`There is no pod '${region}'.`);
  return pod;
}

/** POST /_emulator/pods/{region}/drain @throws 404, 409, 503 */
export async function drain(call: Call): Promise<Reply> {
  const { target, dry_run: isDryRun = false } = call.body as { target?: string; dry_run?: boolean };
  const context = await ownContext(call);
  const pod = await podIn(context, call.params['region']!);
  const targetPod = target === undefined ? undefined : await podIn(context, target);
  await runDueSteps(context);
  if (!isDryRun) await closePod(context, pod.id);
  const request = await readMigration(context, {
    pod_id: pod.id,
    dry_run: isDryRun,
    ...(targetPod ? { target_pod_id: targetPod.id } : {}),
  });
  return ok(
    isDryRun
      ? planView(request, await planMigration(context, request))
      : migrationView(await startMigration(context, request)),
  );
}

/** GET /_emulator/migrations/{migration_id} @throws 404 */
export async function show(call: Call): Promise<Reply> {
  const context = await ownContext(call);
  await runDueSteps(context);
  return ok(migrationView(await findMigration(context, call.params['migration_id']!)));
}
