// What differs between two states, row by row.
import { useLive } from '../../core/live.ts';
import { setQuery } from '../../core/router.ts';
import { Panel, Pending } from '../../parts/panel.tsx';
import { counted } from '../../parts/text.ts';
import { differences, readState, type TableDifference } from './difference.ts';
import type { Snapshot } from './model.ts';

interface CompareProps {
  readonly snapshots: readonly Snapshot[];
  /** The names of two snapshots; undefined for the first one, and for the current state. */
  readonly from: string | undefined;
  readonly to: string | undefined;
}

const current = 'the current state';

export function ComparePanel({ snapshots, from, to }: CompareProps) {
  const names = snapshots.map(({ name }) => name);
  const { data, error, reload } = useLive(`compare ${from} ${to}`, ['emulator'], async (signal) =>
    from === undefined
      ? undefined
      : differences(await readState(from, signal), await readState(to, signal)),
  );
  return (
    <Panel
      title="Compare"
      aside={
        from !== undefined && (
          <button type="button" class="quiet" onClick={reload}>
            Compare again
          </button>
        )
      }
    >
      <div class="filters">
        <label class="field">
          <span>From</span>
          <select
            value={from ?? ''}
            onChange={(event) => setQuery({ from: event.currentTarget.value })}
          >
            <option value="">choose a snapshot</option>
            {names.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>To</span>
          <select
            value={to ?? ''}
            onChange={(event) => setQuery({ to: event.currentTarget.value })}
          >
            <option value="">{current}</option>
            {names.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      </div>
      {from !== undefined && (data ? <Differences tables={data} /> : <Pending error={error} />)}
    </Panel>
  );
}

const signs = { added: '+', removed: '−', changed: '~' } as const;

/** How many rows of a table are listed. */
const most = 50;

export function Differences({ tables }: { readonly tables: readonly TableDifference[] }) {
  if (!tables.length) return <p>Both states have the same resources.</p>;
  return (
    <div class="differences">
      {tables.map(({ title, rows }) => (
        <details key={title} open={tables.length <= 6 && rows.length <= 12}>
          <summary>
            <strong>{title}</strong>{' '}
            {(['added', 'changed', 'removed'] as const)
              .map((kind) => [kind, rows.filter((row) => row.kind === kind).length] as const)
              .filter(([, count]) => count > 0)
              .map(([kind, count]) => `${count} ${kind}`)
              .join(', ')}
          </summary>
          <ul>
            {rows.slice(0, most).map(({ kind, name, columns }, index) => (
              <li key={index} class={kind}>
                <span aria-label={kind}>{signs[kind]}</span> {name}
                {columns.map((column) => (
                  <span key={column.name} class="column">
                    {column.name}: <del>{column.before}</del> <ins>{column.after}</ins>
                  </span>
                ))}
              </li>
            ))}
          </ul>
          {rows.length > most && (
            <p class="muted small">{counted(rows.length - most, 'more row')}.</p>
          )}
        </details>
      ))}
    </div>
  );
}
