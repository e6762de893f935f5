// Finds the pod of the resources that a request refers to.
import { badRequest, conflict } from '../../../../kernel/errors.ts';
import type { Pod } from '../../model.ts';
import type { PodQuestion } from './question.ts';
import { noPod, podsDiffer } from './refusals.ts';

type Question = Pick<PodQuestion, 'azName' | 'referencedPodIds' | 'serverPodIds'>;

/**
 * The pod of the resources that a request refers to, whatever the tenant's bindings are; undefined
 * if it does not refer to any. Under maintenance, a pod takes nothing new but the volumes of its
 * servers, which could be attached nowhere else.
 * @throws 400 if the resources are in several pods or in another zone, 409 under maintenance
 */
export function findReferencedPod(
  pods: readonly Pod[],
  { azName, referencedPodIds, serverPodIds = [] }: Question,
): Pod | undefined {
  const ids = new Set([...referencedPodIds, ...serverPodIds]);
  if (!ids.size) return undefined;
  const [pod, ...others] = pods.filter(({ id }) => ids.has(id));
  if (!pod) throw noPod();
  if (others.length) {
    const names = [pod, ...others].map(({ regionName }) => regionName).join(', ');
    throw podsDiffer(`the request refers to resources in ${names}`);
  }
  if (azName !== '' && azName !== pod.azName)
    throw badRequest(
      `The resource that is referred to is in the availability zone ${pod.azName} and not ` +
        `in ${azName}.`,
      { code: 'tricircle.zone_differs' },
    );
  if (pod.isUnderMaintenance && !serverPodIds.includes(pod.id))
    throw conflict(`The pod ${pod.regionName} is under maintenance.`, {
      code: 'tricircle.under_maintenance',
    });
  return pod;
}
