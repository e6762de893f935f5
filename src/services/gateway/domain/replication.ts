// Repeats writes of the central region in every pod. A pod that is down or refuses gets the
// resource when a server or volume in it first needs it.
import type { GatewayCall } from '../call.ts';
import { carryOut, type Step } from '../clients/execute.ts';
import { isSuccess, type ServiceReply, type ServiceRequest } from '../clients/message.ts';
import { requestFromPod } from '../clients/pods.ts';
import { bottomPods, type Pod } from '../clients/tricircle.ts';

/** Sends the same request to every pod; by default the client's. */
export const repeatInPods = (call: GatewayCall, request: ServiceRequest = {}): Promise<void> =>
  inEveryPod(call, (pod) => requestFromPod(call, pod, request));

/** Carries out a plan in every pod. The central region is read once, if there is a pod. */
export async function carryOutInPods(
  call: GatewayCall,
  readPlan: () => Promise<readonly Step[]>,
): Promise<void> {
  let plan: ReturnType<typeof readPlan> | undefined;
  await inEveryPod(call, async (pod) => {
    await carryOut(call, pod, await (plan ??= readPlan()));
  });
}

/** Writes to every pod and logs failures: they do not fail the client's request. */
export async function inEveryPod(
  call: GatewayCall,
  write: (pod: Pod) => Promise<ServiceReply | void>,
): Promise<void> {
  await Promise.all(
    (await bottomPods(call)).map(async (pod) => {
      try {
        const reply = await write(pod);
        if (reply && !isSuccess(reply)) logRefusal(call, pod, reply);
      } catch (error) {
        call.cloud.log.warn(
          { err: error, request: call.requestId, pod: pod.regionName },
          'a write of the central region could not be repeated in a pod',
        );
      }
    }),
  );
}

function logRefusal(
  { cloud, requestId, method, path }: GatewayCall,
  { regionName }: Pod,
  { status, body }: ServiceReply,
): void {
  cloud.log.info(
    { request: requestId, pod: regionName, status, body },
    `a pod refused ${method} ${path}`,
  );
}
