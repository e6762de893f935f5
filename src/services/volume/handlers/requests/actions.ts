// What the actions of volumes and snapshots have in common: they find the resource, enforce policy,
// act, and reply.
import { reply } from '../../../../kernel/http/reply.ts';
import type { Handler, Reply } from '../../../../kernel/model.ts';
import type { VolumeCall } from '../../call.ts';
import { acquireQuotaLock } from '../../domain/quotas.ts';
import type { Snapshot, Volume } from '../../model.ts';
import { authorize } from '../../policy.ts';
import type { VolumeVersion } from '../../versions.ts';
import { bodyOf, type Fields } from './body.ts';
import { snapshotOf, volumeOf } from './subjects.ts';

/** Returns the value of the first key in the body, whose name is the action. */
export const actionFields = (call: VolumeCall): Fields =>
  bodyOf(call, Object.keys(call.body as Fields)[0]!);

/** Runs an action on the resource that the path names. */
type Run<T, R> = (call: VolumeCall, resource: T, fields: Fields) => Promise<R>;

/** Enforces the rule, if the action has one, and runs the action. @throws 403 */
async function runOn<T extends { readonly projectId: string }>(
  call: VolumeCall,
  resource: T,
  rule: string | undefined,
  run: Run<T, Reply>,
): Promise<Reply> {
  if (rule !== undefined) authorize(call, rule, resource.projectId);
  return run(call, resource, actionFields(call));
}

/** The same action with the reply 202 and no body. */
const accepting =
  <T>(run: Run<T, unknown>): Run<T, Reply> =>
  async (call, resource, fields) => {
    await run(call, resource, fields);
    return reply(202);
  };

/** An action of a volume that returns a reply. Without a rule, it enforces policy itself. */
export const volumeAction =
  (rule: string | undefined, run: Run<Volume, Reply>): Handler<VolumeVersion> =>
  async (call: VolumeCall) =>
    runOn(call, await volumeOf(call), rule, run);

/** An action of a volume whose reply is 202 without a body. */
export const acceptedVolumeAction = (
  rule: string | undefined,
  run: Run<Volume, unknown>,
): Handler<VolumeVersion> => volumeAction(rule, accepting(run));

/** An action of a snapshot whose reply is 202 without a body. */
export const acceptedSnapshotAction =
  (rule: string | undefined, run: Run<Snapshot, unknown>): Handler<VolumeVersion> =>
  async (call: VolumeCall) =>
    runOn(call, await snapshotOf(call), rule, accepting(run));

/** An action that acquires the quota lock first, because it reserves quota. */
export const withQuotaLock =
  (handler: Handler<VolumeVersion>): Handler<VolumeVersion> =>
  async (call) => {
    await acquireQuotaLock(call);
    return handler(call);
  };
