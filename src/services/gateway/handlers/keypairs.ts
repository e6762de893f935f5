// Handlers for key pairs: the central region's key pairs are copied to all pods.
import type { Handler, Json } from '../call.ts';
import { requestFromCentre } from '../clients/centre.ts';
import { successBody } from '../clients/message.ts';
import { repeatInPods } from '../domain/replication.ts';
import { replyOf } from '../views/replies.ts';

/** POST /os-keypairs: pods import the public key, even if the central region has generated it. */
export const create: Handler = async (call) => {
  const reply = await requestFromCentre(call);
  const created = successBody(reply)?.['keypair'] as Json | undefined;
  const { keypair } = call.body as { keypair: Json };
  if (created) {
    const body = { keypair: { ...keypair, public_key: created['public_key'] } };
    await repeatInPods(call, { method: 'POST', path: '/os-keypairs', body });
  }
  return replyOf(reply);
};
