// What the parts of a resource need of the carrier that brings the resource to a pod.
import type { Context } from '../../../../kernel/model.ts';
import type { NetworkType } from '../../clients/network.ts';
import type { Pod } from '../../model.ts';
import type { Reference } from './kinds.ts';

export interface Carrying {
  readonly context: Context;
  readonly pod: Pod;
  find(reference: Reference): Promise<string | undefined>;
  ensure(reference: Reference): Promise<string>;
  sync(reference: Reference): Promise<string>;
  forgetInPod(type: NetworkType, ids: readonly string[]): Promise<void>;
}
