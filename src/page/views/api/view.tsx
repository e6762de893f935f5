// The contract of each service at a chosen microversion, to read and to try.
import { useInfo } from '../../core/cloud.ts';
import { useLive } from '../../core/live.ts';
import { setQuery, useQuery } from '../../core/router.ts';
import { Choice, TextField } from '../../parts/fields.tsx';
import { Empty, Panel, Pending, ViewHead } from '../../parts/panel.tsx';
import { Table } from '../../parts/table.tsx';
import { counted } from '../../parts/text.ts';
import { readOperations, type Operation } from './model.ts';
import { OperationPanel } from './operation.tsx';

const matches = ({ id, method, path, text }: Operation, find = ''): boolean =>
  `${id} ${method} ${path} ${text}`.toLowerCase().includes(find.toLowerCase());

export function ApiView() {
  const info = useInfo();
  const { service: chosen } = useQuery();
  const services = info.data?.services ?? {};
  const name = chosen !== undefined && services[chosen] ? chosen : 'compute';
  const service = services[name];
  return (
    <>
      <ViewHead title="API">
        Every operation of every service, as requests are checked against it, at any microversion.
      </ViewHead>
      {service ? (
        <Operations
          name={name}
          names={Object.keys(services)}
          prefix={service.path}
          newest={service.max_version}
          oldest={service.min_version}
        />
      ) : (
        <Pending error={info.error} />
      )}
    </>
  );
}

interface OperationsProps {
  readonly name: string;
  readonly names: readonly string[];
  readonly prefix: string;
  readonly oldest: string;
  readonly newest: string;
}

function Operations({ name, names, prefix, oldest, newest }: OperationsProps) {
  const { version = newest, find, operation: chosen } = useQuery();
  const { data, error } = useLive(`api ${name} ${version}`, [], (signal) =>
    readOperations(name, version, signal),
  );
  const rows = data?.filter((one) => matches(one, find)) ?? [];
  const shown = data?.find(({ id }) => id === chosen) ?? rows[0];
  return (
    <>
      <div class="filters">
        <Choice name="service" label="Service" options={names} all="compute" />
        <TextField
          name="version"
          label="Microversion"
          placeholder={oldest === newest ? newest : `${oldest} to ${newest}`}
        />
        <TextField name="find" label="Find" placeholder="resize" />
      </div>
      <div class="grid list-detail">
        <Panel title={`${name} ${version}`} flush aside={data && counted(rows.length, 'operation')}>
          {!data ? (
            <Pending error={error} />
          ) : rows.length ? (
            <Table
              label="Operations"
              rows={rows}
              keyOf={({ id }) => id}
              selected={shown?.id}
              height="70vh"
              onSelect={({ id }) => setQuery({ operation: id })}
              columns={[
                { title: 'Method', cell: ({ method }) => method, width: '4.5rem' },
                { title: 'Path', cell: ({ path }) => <code>{path}</code>, long: 'clip' },
              ]}
            />
          ) : (
            <Empty>No operation matches.</Empty>
          )}
        </Panel>
        {shown && (
          <OperationPanel
            key={`${name} ${version} ${shown.id}`}
            operation={shown}
            service={name}
            version={version}
            prefix={prefix}
          />
        )}
      </div>
    </>
  );
}
