// What the actions of volumes and of snapshots have in common: find the resource, ask policy, act,
// and reply.
import { reply } from '../../../../kernel/http/reply.ts';
import type { Handler, Reply } from '../../../../kernel/model.ts';
import type { VolumeCall } from '../../call.ts';
import { acquireQuotaLock } from '../../domain/quotas.ts';
import type { Snapshot, Volume } from '../../model.ts';
import { authorize } from '../../policy.ts';
import type { VolumeVersion } from '../../versions.ts';
import { bodyOf, type Fields } from './body.ts';
import { snapshotOf, volumeOf } from './subjects.ts';

/** The object in the body under the name of the action, which is the first key. */
export const actionFields = (call: VolumeCall): Fields =>
  bodyOf(call, Object.keys(call.body as Fields)[0]!);

/** What an action does with the resource that the path names. */
type Run<T, R> = (call: VolumeCall, resource: T, fields: Fields) => Promise<R>;

/** Asks the rule, where there is one, and runs the action. @throws 403 */
async function runOn<T extends { readonly projectId: string }>(
  call: VolumeCall,
  resource: T,
  rule: string | undefined,
  run: Run<T, Reply>,
): Promise<Reply> {
  if (rule !== undefined) authorize(call, rule, resource.projectId);
  return run(call, resource, actionFields(call));
}

/** The same action, answered with 202 and no body. */
const accepting =
  <T>(run: Run<T, unknown>): Run<T, Reply> =>
  async (call, resource, fields) => {
    await run(call, resource, fields);
    return reply(202);
  };

/** An action of a volume that makes its own reply. Without a rule, it asks policy itself. */
export const volumeAction =
  (rule: string | undefined, run: Run<Volume, Reply>): Handler<VolumeVersion> =>
  async (call: VolumeCall) =>
    runOn(call, await volumeOf(call), rule, run);

/** An action of a volume that is answered with 202 and no body. */
export const acceptedVolumeAction = (
  rule: string | undefined,
  run: Run<Volume, unknown>,
): Handler<VolumeVersion> => volumeAction(rule, accepting(run));

/** An action of a snapshot that is answered with 202 and no body. */
export const acceptedSnapshotAction =
  (rule: string | undefined, run: Run<Snapshot, unknown>): Handler<VolumeVersion> =>
  async (call: VolumeCall) =>
    runOn(call, await snapshotOf(call), rule, accepting(run));

/** An action that reserves quota. */
export const withQuotaLock =
  (handler: Handler<VolumeVersion>): Handler<VolumeVersion> =>
  async (call) => {
    await acquireQuotaLock(call);
    return handler(call);
  };
