// The rules by which requests fail: list, add, show, take away.
import { isoMicros } from '../../kernel/clock.ts';
import {
  findFaultRule,
  unknownFaultRule,
  listFaultRules,
  type FaultPlan,
  type FaultRule,
} from './store.ts';
import { noContent, ok, reply } from '../../kernel/http/reply.ts';
import { addFaultRule } from './plans.ts';
import { removeFaultRule, removeFaultRules } from './rules.ts';
import type { Call, Reply } from '../../kernel/model.ts';

const view = ({ id, createdAt, ...rule }: FaultRule): object => ({
  id,
  ...rule,
  spent: rule.hit >= (rule.count ?? Infinity),
  created_at: isoMicros(createdAt),
});

/** GET /_emulator/faults: the oldest first, which is the order in which they are asked. */
export async function list({ cloud }: Call): Promise<Reply> {
  return ok({ faults: (await listFaultRules(cloud.central.db)).map(view) });
}

/** POST /_emulator/faults @throws 400 */
export async function create({ cloud, body }: Call): Promise<Reply> {
  const plan = body as Omit<FaultPlan, 'match'> & Partial<FaultPlan>;
  return reply(201, { fault: view(await addFaultRule(cloud, { match: {}, ...plan })) });
}

/** GET /_emulator/faults/:id @throws 404 */
export async function show({ cloud, params }: Call): Promise<Reply> {
  const rule = await findFaultRule(cloud.central.db, idOf(params));
  if (!rule) throw unknownFaultRule(params['id']!);
  return ok({ fault: view(rule) });
}

/** DELETE /_emulator/faults/:id @throws 404 */
export async function remove({ cloud, params }: Call): Promise<Reply> {
  await removeFaultRule(cloud, idOf(params));
  return noContent();
}

/** DELETE /_emulator/faults: all of them. */
export async function clear({ cloud }: Call): Promise<Reply> {
  await removeFaultRules(cloud);
  return noContent();
}

/** @throws 404 for what is no id */
function idOf({ id = '' }: Call['params']): number {
  if (!/^\d{1,9}$/.test(id)) throw unknownFaultRule(id);
  return Number(id);
}
