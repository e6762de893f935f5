// In which pod something is created.
import { badRequest, forbidden } from '../../../kernel/errors.ts';
import type { GatewayCall, Json } from '../call.ts';
import type { References } from '../domain/references.ts';
import { choosePod, requestTag, type Kind, type Pod } from '../clients/tricircle.ts';
import { podOf } from './routed.ts';

/** What is to be created. */
export interface Wish {
  /** As the tenant asks for it; undefined for any. */
  readonly zone: unknown;
  /** Extra specs of the flavor or the volume type. */
  readonly specs: Readonly<Record<string, unknown>>;
  readonly references: References;
}

/** The words of Nova and Cinder for what a body refers to and does not exist. */
const unknown: Readonly<Record<Kind, (id: string) => string>> = {
  server: (id) => `Instance ${id} could not be found.`,
  server_group: (id) => `Instance group ${id} could not be found.`,
  volume: (id) => `Volume ${id} could not be found.`,
  snapshot: (id) => `Snapshot ${id} could not be found.`,
};

/**
 * The pod for what is to be created; the tenant is bound to it from now on.
 * @throws 400 for references to what does not exist, or is in several pods; 403 without a project;
 *   409; 500 where there is no pod
 */
export async function podFor(call: GatewayCall, { zone, specs, references }: Wish): Promise<Pod> {
  const projectId = call.caller?.projectId;
  if (projectId === undefined)
    throw forbidden('A token of a project is needed to create something in a pod.');
  const referencedPodIds: string[] = [];
  for (const [kind, ids] of Object.entries(references) as [Kind, readonly string[]][])
    for (const id of ids) {
      const pod = await podOf(call, kind, id);
      if (!pod) throw badRequest(unknown[kind](id));
      referencedPodIds.push(pod.id);
    }
  return choosePod(call, {
    projectId,
    azName: zoneOf(zone),
    requestTag: await requestTag(call, specs),
    referencedPodIds,
  });
}

/** Of `zone:host:node`, which Nova takes from administrators, only the zone is Tricircle's. */
const zoneOf = (zone: unknown): string => (typeof zone === 'string' ? zone.split(':')[0]! : '');

/** The fields of a new server or volume with the pod's own zone in the place of the tenants'. */
export function inPodsZone(fields: Json, { podAzName }: Pod): Json {
  const { availability_zone: zone, ...rest } = fields;
  if (typeof zone !== 'string' || podAzName === '') return rest;
  return { ...rest, availability_zone: [podAzName, ...zone.split(':').slice(1)].join(':') };
}
