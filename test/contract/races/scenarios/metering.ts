// Concurrent writes to metering labels and their rules.
import { mustSucceed, type RequestSpec, type Scenario } from '../races.ts';

const at = (path: string): string => `/network/v2.0/metering/${path}`;

export const meteringScenarios: readonly Scenario[] = [
  {
    name: 'a metering label and its rules',
    async setup(send, name) {
      const label = await mustSucceed(
        send,
        ['POST', at('metering-labels'), { metering_label: { name } }],
        'metering_label.id',
      );
      const fields = { metering_label_id: label, direction: 'egress' };
      const rule = await mustSucceed(
        send,
        [
          'POST',
          at('metering-label-rules'),
          { metering_label_rule: { ...fields, remote_ip_prefix: '10.9.0.0/16' } },
        ],
        'metering_label_rule.id',
      );
      return { label, rule };
    },
    writes: ({ label, rule }) => {
      const post = (remote_ip_prefix: string, direction: string): RequestSpec => [
        'POST',
        at('metering-label-rules'),
        { metering_label_rule: { metering_label_id: label, direction, remote_ip_prefix } },
      ];
      return {
        'create a rule': post('10.8.0.0/16', 'ingress'),
        'create an overlapping rule': post('10.8.1.0/24', 'ingress'),
        'create a rule like the existing one': post('10.9.1.0/24', 'egress'),
        'delete the rule': ['DELETE', at(`metering-label-rules/${rule}`)],
        'delete the label': ['DELETE', at(`metering-labels/${label}`)],
      };
    },
    reads: ({ label }) => [
      at(`metering-labels/${label}`),
      at(`metering-label-rules?metering_label_id=${label}`),
    ],
  },
];
