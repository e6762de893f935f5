// Helpers for tests of Tricircle: requests to its admin API, pods, and the choice of a pod for the
// gateways.
import type supertest from 'supertest';
import { emulatedNow } from '../../../src/kernel/clock.ts';
import type { Cloud } from '../../../src/kernel/model.ts';
import { systemContext } from '../../../src/kernel/context.ts';
import {
  choosePod,
  requestTag,
  type Pod,
  type PodQuestion,
} from '../../../src/services/tricircle/index.ts';
import type { Asked, World } from '../../support/cloud.ts';

export type Fields = Record<string, any>; // eslint-disable-line

/** The regions of the clouds of these tests. */
export const regions = ['CentralRegion', 'RegionOne', 'RegionTwo'];

/** The Accept header of the client. */
export const json = { accept: 'application/json' };

export type Ask = (method: string, path: string, body?: unknown, asked?: Asked) => supertest.Test;

/** Sends requests below `/v1.0`, by default as the admin of the project `admin`. */
export const asker =
  (world: World): Ask =>
  (method, path, body, asked = {}) =>
    world.ask('tricircle', method, `/tricircle/v1.0${path}`, {
      ...asked,
      headers: { ...json, ...asked.headers },
      body,
    });

/** Registers a pod. */
export async function makePod(ask: Ask, fields: Fields): Promise<Fields> {
  const { body } = await ask('POST', '/pods', { pod: fields }).expect(200);
  return (body as Fields)['pod'] as Fields;
}

/** A tenant's request for a pod. */
export interface PodRequest {
  readonly tenant: string;
  readonly zone?: string;
  readonly specs?: Readonly<Record<string, string>>;
  readonly refs?: readonly string[];
  readonly demand?: PodQuestion['demand'];
}

/** Chooses the pod in which a gateway would create a server or volume. */
export async function choose(
  cloud: Cloud,
  { tenant, zone = '', specs = {}, refs = [], demand = {} }: PodRequest,
): Promise<Pod> {
  const now = emulatedNow((await cloud.sharedState.read()).clock);
  const context = systemContext(cloud, cloud.firstRegion, cloud.central.db, now);
  const tag = await requestTag(context, specs);
  return choosePod(context, {
    projectId: tenant,
    azName: zone,
    requestTag: tag,
    referencedPodIds: refs,
    demand,
  });
}

/** Lists all current and previous bindings of a tenant, latest first. */
export async function historyOf(ask: Ask, tenant: string): Promise<Fields[]> {
  const { body } = await ask('GET', `/bindings/history?tenant_id=${tenant}`).expect(200);
  return (body as Fields)['pod_bindings'] as Fields[];
}

/** Advances the frozen clock. */
export async function advance(world: World, seconds: number): Promise<void> {
  await world.http.post('/_emulator/clock/advance').send({ seconds }).expect(200);
}
