// Reads the body of a request for a migration.
import type { Context } from '../../../../kernel/model.ts';
import { scopeKeys, type MigrationScope, type Pod } from '../../model.ts';
import { listPods } from '../../store/pods.ts';
import { typed } from '../errors.ts';
import { isLonger, readText, type Fields } from '../fields.ts';

/** A request for a migration. */
export interface MigrationRequest extends MigrationScope {
  /** The pod to move to; undefined for the pods to which the projects are bound. */
  readonly target: Pod | undefined;
  readonly isDryRun: boolean;
}

const known: readonly string[] = [...scopeKeys, 'target_pod_id', 'dry_run'];

/**
 * Reads what to migrate, and to which pod.
 * @throws 400; 404 for an unknown pod; 409 if the pod to drain is not under maintenance, or the
 *   target is
 */
export async function readMigration(context: Context, fields: Fields): Promise<MigrationRequest> {
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown !== undefined) throw typed(400, `Field ${unknown.slice(0, 100)} is unknown`);
  const given = scopeKeys.filter((key) => Object.hasOwn(fields, key));
  const [scopeKey] = given;
  if (scopeKey === undefined || given.length > 1)
    throw typed(400, `Exactly one of ${scopeKeys.join(', ')} is required`);
  const scopeId = readText(fields[scopeKey]);
  if (scopeId === undefined) throw typed(400, `Field ${scopeKey} can not be empty`);
  if (isLonger(scopeId, scopeKey === 'project_id' ? 255 : 127))
    throw typed(400, `Field ${scopeKey} is too long`);
  const isDryRun = Object.hasOwn(fields, 'dry_run') ? fields['dry_run'] : false;
  if (typeof isDryRun !== 'boolean') throw typed(400, 'Field dry_run must be true or false');
  if (scopeKey === 'pod_id') await requireDrainable(context, scopeId, isDryRun);
  const target = await readTarget(context, fields);
  if (target && target.id === scopeId) throw typed(400, 'The target is the pod itself');
  return { scopeKey, scopeId, target, isDryRun };
}

const findPod = async (context: Context, id: unknown): Promise<Pod> => {
  const pods = await listPods(context.db);
  const pod = pods.find((candidate) => candidate.id === id && candidate.azName !== '');
  if (!pod) throw typed(404, 'Pod not found');
  return pod;
};

async function requireDrainable(context: Context, podId: string, isDryRun: boolean): Promise<void> {
  const pod = await findPod(context, podId);
  if (!pod.isUnderMaintenance && !isDryRun)
    throw typed(
      409,
      `The pod ${pod.regionName} is not under maintenance: it would get new servers meanwhile`,
    );
}

async function readTarget(context: Context, fields: Fields): Promise<Pod | undefined> {
  const id = Object.hasOwn(fields, 'target_pod_id') ? fields['target_pod_id'] : null;
  if (id === null) return undefined;
  const pod = await findPod(context, id);
  if (pod.isUnderMaintenance) throw typed(409, `The pod ${pod.regionName} is under maintenance`);
  return pod;
}
