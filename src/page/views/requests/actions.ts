// Actions of the view of requests.
import { cumulet, curlOf, type Action } from '../../core/actions.ts';
import { emulator } from '../../core/http.ts';
import type { Entry } from '../../core/journal.ts';

export const clearAction = (): Action => ({
  text: 'The journal is empty.',
  command: cumulet('requests', 'clear'),
  run: () => emulator('/requests', { method: 'DELETE' }),
});

/** A fault rule, as /_emulator/faults shows it. */
export interface FaultRule {
  readonly id: number;
  readonly match: Readonly<Record<string, unknown>>;
  readonly effect: Readonly<Record<string, unknown>>;
  readonly count?: number | null;
  readonly matched: number;
  readonly hit: number;
}

/** Adds a fault rule; undoing it removes the rule. */
export function addFault(rule: Readonly<Record<string, unknown>>, text: string): Action {
  let added: FaultRule | undefined;
  return {
    text,
    command: curlOf('POST', '/faults', rule),
    run: async () => {
      ({ fault: added } = await emulator<{ fault: FaultRule }>('/faults', {
        method: 'POST',
        body: rule,
      }));
    },
    inverse: () => (added ? removeFault(added) : undefined),
  };
}

/** Removes a fault rule; undoing it adds the same rule with new counters. */
export const removeFault = ({ id, match, effect, count }: FaultRule): Action => ({
  text: `Fault rule ${id} is removed.`,
  command: cumulet('fault', 'clear', String(id)),
  run: () => emulator(`/faults/${id}`, { method: 'DELETE' }),
  inverse: () =>
    addFault({ match, effect, ...(count == null ? {} : { count }) }, 'The fault rule is back.'),
});

/** The rule that makes the next request like this one fail. */
export function failNext({ service, operation, action }: Entry): Action {
  const rule = {
    match: {
      ...(service === null ? {} : { service }),
      ...(operation === null ? {} : { operation: action ?? operation }),
    },
    effect: { status: 503 },
    count: 1,
  };
  return addFault(rule, `The next ${action ?? operation ?? 'request'} will fail with 503.`);
}

export const addScenario = (name: string): Action => {
  let added: readonly FaultRule[] = [];
  return {
    text: `The fault rules of ${name} are active.`,
    command: cumulet('fault', 'scenario', name),
    run: async () => {
      ({ faults: added } = await emulator<{ faults: FaultRule[] }>(
        `/fault-scenarios/${encodeURIComponent(name)}`,
        { method: 'POST', body: {} },
      ));
    },
    inverse: () => ({
      text: `The fault rules of ${name} are removed.`,
      command: added.map(({ id }) => cumulet('fault', 'clear', String(id))).join(' && '),
      run: () =>
        Promise.all(added.map(({ id }) => emulator(`/faults/${id}`, { method: 'DELETE' }))),
    }),
  };
};
