// The types of QoS rules.
import { ok } from '../../../../kernel/http/reply.ts';
import { may } from '../../../../kernel/http/steps.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';
import { ruleTypeDetails } from '../../domain/qos/rule-types.ts';
import { toBoolean } from '../../domain/attributes/convert.ts';
import { denied, hidden } from '../../domain/refusals.ts';
import { qosRuleTypes } from '../../model.ts';
import { filterNames, withFields } from '../listings.ts';

/** Upstream asks no policy rule about administrators. */
const maySee = (call: Call): boolean => call.actor.isAdmin || may(call, 'get_rule_type', {});

/**
 * GET /v2.0/qos/rule-types. The filters choose between the types that one driver, that all drivers
 * support, and all types; the only driver supports all of them.
 */
export function list(call: Call): Reply {
  for (const name of filterNames(call, (one) => one === 'all_supported' || one === 'all_rules'))
    call.query.all(name).forEach(toBoolean);
  const types = maySee(call) ? qosRuleTypes : [];
  return ok({ rule_types: types.map((type) => withFields(call, { type })) });
}

/** GET /v2.0/qos/rule-types/{rule_type} */
export function show(call: Call): Reply {
  if (!maySee(call)) throw hidden();
  if (!call.actor.isAdmin) throw denied('NotAuthorized', 'Not authorized.');
  const details = ruleTypeDetails(call.params['rule_type']!);
  if (!details) throw hidden();
  return ok({ rule_type: withFields(call, { ...details }) });
}
