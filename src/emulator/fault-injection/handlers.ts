// Handlers of /_emulator/faults: list, add, show and remove fault rules.
import { isoMicros } from '../../kernel/clock.ts';
import { noContent, ok, reply } from '../../kernel/http/reply.ts';
import type { Call, Reply } from '../../kernel/model.ts';
import type { FaultPlan, FaultRule } from './model.ts';
import {
  addFaultRule,
  addFaultRules,
  removeFaultRule,
  removeFaultRules,
  unknownFaultRule,
} from './rules.ts';
import { faultScenarios, scenarioNamed } from './scenarios.ts';
import { findFaultRule, listFaultRules } from './store.ts';

const view = ({ id, createdAt, ...rule }: FaultRule): object => ({
  id,
  ...rule,
  spent: rule.hit >= (rule.count ?? Infinity),
  created_at: isoMicros(createdAt),
});

/** GET /_emulator/faults: the oldest first, which is the order in which rules apply. */
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

/** DELETE /_emulator/faults: removes all rules. */
export async function clear({ cloud }: Call): Promise<Reply> {
  await removeFaultRules(cloud);
  return noContent();
}

/** GET /_emulator/fault-scenarios */
export function listScenarios(): Promise<Reply> {
  return Promise.resolve(ok({ scenarios: faultScenarios }));
}

/** POST /_emulator/fault-scenarios/:name: adds the rules of a scenario. @throws 404 */
export async function addScenario({ cloud, params }: Call): Promise<Reply> {
  const { rules } = scenarioNamed(params['name']!);
  return reply(201, { faults: (await addFaultRules(cloud, rules)).map(view) });
}

/** @throws 404 if the id is not a number */
function idOf({ id = '' }: Call['params']): number {
  if (!/^\d{1,9}$/.test(id)) throw unknownFaultRule(id);
  return Number(id);
}
