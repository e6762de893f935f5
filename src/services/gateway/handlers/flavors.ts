// Handlers for flavors and their extra specs: the central region's flavors are copied to all pods.
import type { Handler, Json } from '../call.ts';
import { readFlavor, requestFromCentre } from '../clients/centre.ts';
import { isSuccess, successBody } from '../clients/message.ts';
import { flavorStep } from '../domain/plan.ts';
import { carryOutInPods, repeatInPods } from '../domain/replication.ts';
import { replyOf } from '../views/replies.ts';

/** POST /flavors: pods get the flavor with the id that the central region has chosen. */
export const create: Handler = async (call) => {
  const reply = await requestFromCentre(call);
  const created = successBody(reply)?.['flavor'] as Json | undefined;
  const { flavor } = call.body as { flavor: Json };
  if (created) {
    const body = { flavor: { ...flavor, id: created['id'] } };
    await repeatInPods(call, { method: 'POST', path: '/flavors', body });
  }
  return replyOf(reply);
};

/** Writes to the extra specs of a flavor: pods get the extra specs that are for pods. */
export const writeExtraSpecs: Handler = async (call) => {
  const reply = await requestFromCentre(call);
  if (isSuccess(reply))
    await carryOutInPods(call, async () => {
      const flavor = await readFlavor(call, call.params['flavor_id']!, { asAdmin: true });
      return flavor ? [flavorStep(flavor)] : [];
    });
  return replyOf(reply);
};
