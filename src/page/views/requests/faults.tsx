// The fault rules with their hits, and the scenarios that add some.
import { useState } from 'preact/hooks';
import { cumulet } from '../../core/actions.ts';
import { emulator } from '../../core/http.ts';
import { useLive } from '../../core/live.ts';
import { ActionButton } from '../../parts/button.tsx';
import { Empty, Panel, Pending } from '../../parts/panel.tsx';
import { Table } from '../../parts/table.tsx';
import { counted } from '../../parts/text.ts';
import { addScenario, removeFault, type FaultRule } from './actions.ts';

/** The values of an object as `name value`, in one line. */
const inWords = (values: Readonly<Record<string, unknown>>, none: string): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ') || none;

export function FaultsPanel() {
  const { data, error, reload } = useLive('faults', ['emulator', 'journal'], async (signal) => {
    const [{ faults }, { scenarios }] = await Promise.all([
      emulator<{ faults: FaultRule[] }>('/faults', { signal }),
      emulator<{ scenarios: { name: string; description: string }[] }>('/fault-scenarios', {
        signal,
      }),
    ]);
    return { faults, scenarios };
  });
  return (
    <Panel title="Faults" flush aside={data && counted(data.faults.length, 'rule')}>
      {!data ? (
        <Pending error={error} />
      ) : (
        <>
          {data.faults.length ? (
            <Table
              label="Fault rules"
              rows={data.faults}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: 'Matches',
                  long: 'wrap',
                  cell: ({ match }) => inWords(match, 'every request'),
                },
                { title: 'Effect', long: 'wrap', cell: ({ effect }) => inWords(effect, '–') },
                {
                  title: 'Hits',
                  numeric: true,
                  cell: ({ hit, matched, count }) =>
                    `${hit}${count == null ? '' : ` of ${count}`} (${matched} matched)`,
                },
                {
                  title: 'Remove',
                  cell: (rule) => (
                    <ActionButton kind="quiet" action={() => removeFault(rule)} onDone={reload}>
                      Remove
                    </ActionButton>
                  ),
                },
              ]}
            />
          ) : (
            <Empty command={cumulet('fault', 'add', '--service', 'compute', '--status', '503')}>
              No fault rule: requests do what they should. Make some fail:
            </Empty>
          )}
          <Scenarios scenarios={data.scenarios} onDone={reload} />
        </>
      )}
    </Panel>
  );
}

interface ScenariosProps {
  readonly scenarios: readonly { readonly name: string; readonly description: string }[];
  readonly onDone: () => void;
}

function Scenarios({ scenarios, onDone }: ScenariosProps) {
  const [index, setIndex] = useState(0);
  const scenario = scenarios[index];
  if (!scenario) return null;
  return (
    <div class="scenario">
      <label class="field">
        <span>Scenario</span>
        <select
          value={scenario.name}
          onChange={(event) => setIndex(event.currentTarget.selectedIndex)}
        >
          {scenarios.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <p>{scenario.description}</p>
      <ActionButton action={() => addScenario(scenario.name)} onDone={onDone}>
        Add its rules
      </ActionButton>
    </div>
  );
}
