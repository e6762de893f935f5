// Handlers for resources that the central region holds for all pods.
import type { Handler } from '../call.ts';
import { requestFromCentre } from '../clients/centre.ts';
import { isSuccess } from '../clients/message.ts';
import { repeatInPods } from '../domain/replication.ts';
import { replyOf } from '../views/replies.ts';

/** Replies from the tables of the central region. */
export const fromCentre: Handler = async (call) => replyOf(await requestFromCentre(call));

/** Writes in the central region, and then repeats the request in every pod. */
export const writeEverywhere: Handler = async (call) => {
  const reply = await requestFromCentre(call);
  if (isSuccess(reply)) await repeatInPods(call);
  return replyOf(reply);
};
