// Migrations of servers and volumes from pod to pod: list, create, show, cancel. Not in upstream.
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { TricircleCall } from '../call.ts';
import { typed } from '../domain/errors.ts';
import {
  cancelMigration,
  findMigration,
  listMigrations,
  runDueSteps,
  startMigration,
} from '../domain/migration/migrations.ts';
import { planMigration } from '../domain/migration/plan.ts';
import { readMigration } from '../domain/migration/request.ts';
import { migrationPageView, migrationView, planView } from '../views/migrations.ts';
import { readObject } from './requests.ts';

/** GET /v1.0/migrations */
export async function list(call: TricircleCall): Promise<Reply> {
  await runDueSteps(call);
  return ok(migrationPageView(await listMigrations(call, call.query)));
}

/** POST /v1.0/migrations: plans a migration, and starts it unless that is all. */
export async function create(call: TricircleCall): Promise<Reply> {
  const fields = readObject(call, 'migration', () =>
    typed(400, 'Request body migration not found'),
  );
  await runDueSteps(call);
  const request = await readMigration(call, fields);
  const migration = request.isDryRun
    ? planView(request, await planMigration(call, request))
    : migrationView(await startMigration(call, request));
  return ok({ migration });
}

/** GET /v1.0/migrations/{migration_id} */
export async function show(call: TricircleCall): Promise<Reply> {
  await runDueSteps(call);
  return ok({ migration: migrationView(await findMigration(call, call.params['migration_id']!)) });
}

/** DELETE /v1.0/migrations/{migration_id} */
export async function cancel(call: TricircleCall): Promise<Reply> {
  return ok({
    migration: migrationView(await cancelMigration(call, call.params['migration_id']!)),
  });
}
