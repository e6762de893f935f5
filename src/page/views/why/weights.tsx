// How the hosts that passed were weighed: each weigher's part as a bar.
import type { ServerDetails } from '../../core/explanations.ts';
import { hrefOf } from '../../core/router.ts';
import { Table } from '../../parts/table.tsx';

export function Weights({ details: { weights, selected } }: { readonly details: ServerDetails }) {
  const names = Object.keys(weights[0]?.weighers ?? {}).filter((name) =>
    weights.some(({ weighers }) => weighers[name] !== 0),
  );
  const largest = Math.max(...weights.map(({ weight }) => Math.abs(weight)), 0.001);
  return (
    <section class="weights" aria-label="Weights">
      <h3>Weights</h3>
      <Table
        label="Weights"
        rows={weights}
        keyOf={({ host }) => host}
        columns={[
          {
            title: 'Host',
            cell: ({ host }) => (
              <>
                <a href={hrefOf('hosts', { host })}>{host}</a>
                {host === selected && <span class="tag">selected</span>}
              </>
            ),
          },
          {
            title: 'Weight',
            cell: ({ weight }) => (
              <span class="weight">
                <span class="track">
                  <span class="fill" style={{ width: `${(Math.abs(weight) / largest) * 100}%` }} />
                </span>
                <span>{weight.toFixed(3)}</span>
              </span>
            ),
          },
          ...names.map((name) => ({
            title: name,
            numeric: true,
            minor: true,
            cell: ({ weighers }: ServerDetails['weights'][number]) =>
              (weighers[name] ?? 0).toFixed(3),
          })),
        ]}
      />
    </section>
  );
}
