// Errands: what drivers do for an action in other regions, each of which has a database of its own. They are done outside of the action's transaction.
import { isGone } from '../../../../kernel/db/errors.ts';
import { Fault } from '../../../../kernel/fault.ts';
import { SECOND } from '../../../../kernel/clock.ts';
import { schedule } from '../../../../kernel/jobs.ts';
import type { Actor, Job, Region, Work } from '../../../../kernel/model.ts';
import { settleOther } from '../../../../kernel/settle.ts';
import { inRegion, workWith } from '../../../../kernel/work.ts';
import * as store from '../../store/index.ts';
import { purgeErrands } from '../../store/purge.ts';
import type { Answer, Errand, Json } from '../records.ts';
import { EngineFailure } from '../refusals.ts';
import { regionNamed, withoutRegion } from '../regions.ts';
import { wake } from './actions.ts';
import { callDriver, driveableOf, type Driveable } from './driving.ts';

export const errandKind = 'clustering.errands';

/** Does the errands of an action as soon as its transaction is over. */
export const sendOut = ({ db, now }: Work, actionId: string): Promise<void> =>
  schedule(db, { dueAt: now, kind: errandKind, subject: actionId });

/** An errand with all that it needs of its own region. */
interface Sent {
  readonly errand: Errand;
  readonly driveable: Driveable;
  readonly actor: Actor;
}

interface Result {
  readonly answer: Answer;
  readonly memory: Json;
}

/** Does the errands of an action, one after the other, and goes on with it. One that has been done is not done again. */
export async function runErrands(work: Work, { subject }: Pick<Job, 'subject'>): Promise<void> {
  const results = new Map<string, Result>();
  const sent = await inRegion(work, work.region, (inner) => prepare(inner, subject, results));
  for (const one of sent) results.set(one.errand.id, await carryOut(work, one));
  await inRegion(work, work.region, (inner) => takeBack(inner, subject, results));
  const regions = new Set(sent.map(({ errand }) => regionNamed(work, errand.region)));
  for (const region of regions) if (region) await inRegion(work, region, forget);
}

/** Another process may be about to do an errand that this one has done: the region remembers it for longer than that can take. */
const forget = ({ db, now }: Work): Promise<void> => purgeErrands(db, now - 3600 * SECOND);

const pendingOf = (errands: Readonly<Record<string, Errand>> = {}): Errand[] =>
  Object.values(errands).filter(({ answer }) => answer === undefined);

/** Reads the errands that are to be done. Those that cannot be have their result here. */
async function prepare(work: Work, actionId: string, results: Map<string, Result>): Promise<Sent[]> {
  results.clear();
  const action = await store.actions.find(work.db, { id: actionId });
  const sent: Sent[] = [];
  for (const errand of action?.endTime === null ? pendingOf(action.memory.errands) : []) {
    try {
      const node = (await store.nodes.find(work.db, { id: errand.nodeId }))!;
      const driveable = await driveableOf(work, node, errand.memory);
      sent.push({ errand, driveable, actor: driveable.physical.work.actor });
    } catch (error) {
      // The owner's trust does not hold any more.
      if (!(error instanceof Fault || error instanceof EngineFailure)) throw error;
      results.set(errand.id, { answer: { failure: error.message }, memory: errand.memory });
    }
  }
  return sent;
}

async function carryOut(work: Work, { errand, driveable, actor }: Sent): Promise<Result> {
  const region = regionNamed(work, errand.region);
  if (!region) return { answer: answerWithout(errand), memory: errand.memory };
  return inOther(workWith(work, { actor }), region, async (inner) => {
    const known = await store.errands.find(inner.db, { id: errand.id });
    if (known) return known.result as Result;
    const memory = structuredClone(errand.memory);
    const answer = await callDriver({ ...driveable, physical: { ...driveable.physical, memory } }, errand.call, inner);
    await store.errands.insert(inner.db, { id: errand.id, createdAt: inner.now, result: { answer, memory } });
    return { answer, memory };
  });
}

/** Works in another region, after what is due there. That its database does not answer is no reason for this one not to. */
async function inOther<T>(work: Work, region: Region, run: (work: Work) => Promise<T>): Promise<T> {
  try {
    await settleOther(work, region);
    return await inRegion(work, region, run);
  } catch (error) {
    if (isGone(error)) throw new Error(`The region ${region.name} does not answer.`, { cause: error });
    throw error;
  }
}

/** What was in a region that is gone is gone with it; nothing can be made there. */
function answerWithout({ region, call }: Errand): Answer {
  if (call.method === 'check') return { value: 'gone' };
  if (call.method === 'remove') return { value: { changes: { physicalId: null } } };
  const failure = withoutRegion(region);
  return { failure: call.method === 'create' ? `Failed in creating server: ${failure}.` : failure };
}

async function takeBack(work: Work, actionId: string, results: ReadonlyMap<string, Result>): Promise<void> {
  const action = await store.actions.find(work.db, { id: actionId });
  if (!action || action.endTime !== null || !results.size) return;
  const errands = Object.entries(action.memory.errands ?? {}).map(([name, errand]): [string, Errand] => [
    name,
    { ...errand, ...results.get(errand.id) },
  ]);
  await store.changeAction(work.db, action, { memory: { ...action.memory, errands: Object.fromEntries(errands) } });
  await wake(work, actionId, work.now);
}
