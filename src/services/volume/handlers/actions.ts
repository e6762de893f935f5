// What the actions of volumes and of snapshots have in common: find the resource, ask policy, act, and reply.
import { reply } from '../../../kernel/http/reply.ts';
import type { Handler, Reply } from '../../../kernel/model.ts';
import type { VolumeCall } from '../call.ts';
import { takeQuotaTurn } from '../domain/quotas.ts';
import type { Snapshot, Volume } from '../domain/records.ts';
import { authorize } from '../policy.ts';
import type { VolumeVersion } from '../versions.ts';
import { bodyOf, type Fields } from './request-body.ts';
import { snapshotOf, volumeOf } from './subjects.ts';

/** The object in the body under the name of the action, which is the first key. */
export const actionFields = (call: VolumeCall): Fields => bodyOf(call, Object.keys(call.body as Fields)[0]!);

type Run<T, R> = (call: VolumeCall, resource: T, fields: Fields) => Promise<R>;

type Make<T, R> = (rule: string | undefined, run: Run<T, R>) => Handler<VolumeVersion>;

const acting =
  <T extends { readonly projectId: string }>(find: (call: VolumeCall) => Promise<T>): Make<T, Reply> =>
  (rule, run) =>
  async (call: VolumeCall) => {
    const resource = await find(call);
    if (rule !== undefined) authorize(call, rule, resource.projectId);
    return run(call, resource, actionFields(call));
  };

const with202 =
  <T>(make: Make<T, Reply>): Make<T, unknown> =>
  (rule, run) =>
    make(rule, async (call, resource, fields) => {
      await run(call, resource, fields);
      return reply(202);
    });

/** An action of a volume that makes its own reply. Without a rule, it asks policy itself. */
export const volumeAction: Make<Volume, Reply> = acting(volumeOf);

/** An action of a volume that is answered with 202 and no body. */
export const acceptedVolumeAction: Make<Volume, unknown> = with202(volumeAction);

/** An action of a snapshot that is answered with 202 and no body. */
export const acceptedSnapshotAction: Make<Snapshot, unknown> = with202(acting(snapshotOf));

/** An action that reserves quota. */
export const inQuotaTurn =
  (handler: Handler<VolumeVersion>): Handler<VolumeVersion> =>
  async (call) => {
    await takeQuotaTurn(call);
    return handler(call);
  };
