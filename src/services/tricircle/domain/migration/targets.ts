// Finds the pod to which a project's resources move: the one that is named, or the one to which the
// project is bound, or would be.
import { ApiError } from '../../../../kernel/errors.ts';
import { inCentralTransaction } from '../../../../kernel/context.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Pod } from '../../model.ts';
import { findPod, updatePod } from '../../store/pods.ts';
import { choosePod } from '../scheduling/choice.ts';
import { groupOf } from '../tags.ts';
import type { MigrationRequest } from './request.ts';

/** A target, or why there is none. */
export type Target = { readonly pod: Pod } | { readonly reason: string };

/** Ends a transaction that must not be committed, with the pod that it has chosen. */
class Undo extends Error {
  readonly pod: Pod;
  constructor(pod: Pod) {
    super('The choice of a pod is only a plan.');
    this.pod = pod;
  }
}

/** Finds the targets of one plan. */
export class Targets {
  private readonly context: Context;
  private readonly named: Pod | undefined;
  /** The pod that is to be drained, which is no target whatever its state is. */
  private readonly drainedId: string | undefined;
  private readonly found = new Map<string, Target>();

  constructor(context: Context, { target, scopeKey, scopeId }: MigrationRequest) {
    this.context = context;
    this.named = target;
    this.drainedId = scopeKey === 'pod_id' ? scopeId : undefined;
  }

  /** The target for the resources of a project in a pod, which may be the pod itself. */
  async find(projectId: string, source: Pod): Promise<Target> {
    if (this.named) return this.checkNamed(this.named, source);
    const key = `${projectId}:${source.id}`;
    const target = this.found.get(key) ?? (await this.findBound(projectId, source));
    this.found.set(key, target);
    return target;
  }

  private checkNamed(pod: Pod, source: Pod): Target {
    const [tag, other] = [source.resourceAffinityTag, pod.resourceAffinityTag];
    if (groupOf(tag) === groupOf(other)) return { pod };
    return {
      reason:
        `${source.regionName} has the tag ${JSON.stringify(tag)}, and ${pod.regionName} ` +
        `the tag ${JSON.stringify(other)}.`,
    };
  }

  /** Puts the pod to drain under maintenance, for the time of the transaction. */
  private async closeDrained({ db }: Context): Promise<void> {
    const pod = this.drainedId === undefined ? undefined : await findPod(db, this.drainedId);
    if (pod && !pod.isUnderMaintenance)
      await updatePod(db, pod, { ...pod, isUnderMaintenance: true });
  }

  /** The pod that a new resource of the project would get. Bindings do not change. */
  private async findBound(projectId: string, source: Pod): Promise<Target> {
    try {
      await inCentralTransaction(this.context, async (central) => {
        await this.closeDrained(central);
        throw new Undo(
          await choosePod(central, {
            projectId,
            azName: source.azName,
            requestTag: source.resourceAffinityTag,
            referencedPodIds: [],
          }),
        );
      });
    } catch (error) {
      if (error instanceof Undo) return { pod: error.pod };
      if (!(error instanceof ApiError)) throw error;
      return { reason: `No other pod of the zone ${source.azName} is suitable.` };
    }
    return { pod: source };
  }
}
