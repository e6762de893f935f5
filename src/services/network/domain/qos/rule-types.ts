// The types of QoS rules, and what the Open vSwitch driver supports of each: everything. Upstream:
// neutron/services/qos/drivers/openvswitch/driver.py.
import { qosRuleTypes, type QosRuleType } from '../../model.ts';
import { directions, directionsAndAny, dscpMarks, maxRate, ruleParameters } from './attributes.ts';

interface Parameter {
  readonly parameter_name: string;
  readonly parameter_type: 'range' | 'choices';
  readonly parameter_values: object;
}

export interface RuleTypeDetails {
  readonly type: QosRuleType;
  readonly drivers: readonly {
    readonly name: string;
    readonly supported_parameters: readonly Parameter[];
  }[];
}

function parameterOf(type: QosRuleType, name: string): Parameter {
  const choices = {
    dscp_mark: dscpMarks,
    direction: type === 'minimum_packet_rate' ? directionsAndAny : directions,
  }[name];
  return choices
    ? { parameter_name: name, parameter_type: 'choices', parameter_values: choices }
    : {
        parameter_name: name,
        parameter_type: 'range',
        parameter_values: { start: 0, end: maxRate },
      };
}

/** Returns undefined for an unknown type. */
export function ruleTypeDetails(name: string): RuleTypeDetails | undefined {
  const type = qosRuleTypes.find((one) => one === name);
  if (type === undefined) return undefined;
  const parameters = Object.keys(ruleParameters[type]).map((one) => parameterOf(type, one));
  return { type, drivers: [{ name: 'openvswitch', supported_parameters: parameters }] };
}
