// The version audit: which microversions each client asked for, and what newer ones change.
import { cumulet } from '../../core/actions.ts';
import { emulator } from '../../core/http.ts';
import { useLive } from '../../core/live.ts';
import { Empty, Panel, Pending } from '../../parts/panel.tsx';
import { Table } from '../../parts/table.tsx';

interface Client {
  readonly service: string;
  readonly user_agent: string | null;
  readonly max_version: string;
  readonly requests: number;
  readonly versions: readonly { readonly asked: string | null; readonly used: string }[];
  readonly operations: readonly { readonly operation: string; readonly latest: string }[];
}

export function VersionsPanel({ isOn }: { readonly isOn: boolean }) {
  const { data, error } = useLive(`versions ${isOn}`, ['journal'], async (signal) =>
    isOn
      ? (await emulator<{ clients: Client[] }>('/requests/versions', { signal })).clients
      : ([] as Client[]),
  );
  return (
    <Panel title="Versions that clients ask for" flush>
      {!data ? (
        <Pending error={error} />
      ) : !data.length ? (
        <Empty command={cumulet('requests', 'versions')}>
          No client has asked for anything while the journal was on.
        </Empty>
      ) : (
        <Table
          label="Versions"
          rows={data}
          keyOf={({ service, user_agent }) => `${service} ${user_agent}`}
          columns={[
            { title: 'Service', cell: ({ service }) => service },
            {
              title: 'Client',
              cell: ({ user_agent }) => (user_agent ?? 'unknown').split(' ')[0],
              minor: true,
            },
            {
              title: 'Asked for',
              long: 'wrap',
              cell: ({ versions }) =>
                versions.map(({ asked, used }) => asked ?? `none (${used})`).join(', '),
            },
            { title: 'Newest', cell: ({ max_version }) => max_version, minor: true },
            {
              title: 'Changed at the newest',
              numeric: true,
              cell: ({ operations }) => (
                <span title={operations.map(({ operation }) => operation).join(', ')}>
                  {operations.length || 'none'}
                </span>
              ),
            },
          ]}
        />
      )}
    </Panel>
  );
}
