// One provider tree: inventories, traits and aggregates of each provider, and who holds what.
import { useRegion } from '../../core/cloud.ts';
import { listServers, type Server } from '../../core/compute.ts';
import { useLive } from '../../core/live.ts';
import { readTree, type Inventory, type WholeProvider } from '../../core/placement.ts';
import { setQuery } from '../../core/router.ts';
import type { Offer } from './candidates.tsx';
import { Rejected } from '../../parts/candidates.tsx';
import { Meter } from '../../parts/meter.tsx';
import { Empty, Panel, Pending } from '../../parts/panel.tsx';
import { Status } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { compact, counted, shortId } from '../../parts/text.ts';

interface TreeProps {
  readonly uuid: string;
  readonly name: string;
  /** What the query of candidates says about the tree. */
  readonly offer: Offer;
}

export function TreePanel({ uuid, name, offer }: TreeProps) {
  const { prefix } = useRegion();
  const { data, error } = useLive(
    `tree ${prefix} ${uuid}`,
    ['placement', 'compute'],
    async (signal) => {
      const [providers, servers] = await Promise.all([
        readTree(prefix, uuid, signal),
        listServers(prefix, `host=${encodeURIComponent(name)}`, signal).catch(() => []),
      ]);
      return { providers, servers };
    },
  );
  return (
    <Panel
      title={name}
      aside={
        <button type="button" class="quiet" onClick={() => setQuery({ host: undefined })}>
          Close
        </button>
      }
    >
      {!data ? (
        <Pending error={error} />
      ) : (
        <>
          {offer !== undefined && offer !== 'offered' && (
            <ul class="candidates">
              <Rejected tree={offer} />
            </ul>
          )}
          {data.providers.map((one) => (
            <Provider key={one.uuid} provider={one} servers={data.servers} />
          ))}
          <Servers servers={data.servers} />
        </>
      )}
    </Panel>
  );
}

/** How much of an inventory can be allocated. Upstream: placement/objects/inventory.py. */
const capacityOf = ({ total, reserved, allocation_ratio: ratio }: Inventory): number =>
  Math.floor((total - reserved) * ratio);

interface ProviderProps {
  readonly provider: WholeProvider;
  readonly servers: readonly Server[];
}

function Provider({ provider, servers }: ProviderProps) {
  const { name, uuid, depth, generation, inventories, usages, traits, aggregates } = provider;
  const classes = Object.entries(inventories);
  return (
    <section class="provider" style={{ marginInlineStart: `${depth * 1.25}rem` }}>
      {depth > 0 && <h3>{name}</h3>}
      <p class="muted small">
        <code>{uuid}</code>, generation {generation}
      </p>
      {classes.length > 0 ? (
        <Table
          label={`Inventories of ${name}`}
          rows={classes}
          keyOf={([resourceClass]) => resourceClass}
          columns={[
            { title: 'Class', cell: ([resourceClass]) => <code>{resourceClass}</code> },
            {
              title: 'Used',
              cell: ([resourceClass, inventory]) => (
                <Meter
                  label={resourceClass}
                  used={usages[resourceClass] ?? 0}
                  total={capacityOf(inventory)}
                />
              ),
            },
            { title: 'Total', numeric: true, cell: ([, { total }]) => compact(total) },
            { title: 'Reserved', numeric: true, cell: ([, { reserved }]) => compact(reserved) },
            { title: 'Ratio', numeric: true, cell: ([, one]) => one.allocation_ratio },
          ]}
        />
      ) : (
        <p class="muted">No inventory.</p>
      )}
      <Words title="Traits" words={traits} none="No trait." />
      {aggregates.length > 0 && <Words title="Aggregates" words={aggregates} none="" />}
      <Holders provider={provider} servers={servers} />
    </section>
  );
}

interface WordsProps {
  readonly title: string;
  readonly words: readonly string[];
  readonly none: string;
}

const Words = ({ title, words, none }: WordsProps) => (
  <details class="words">
    <summary>
      {words.length ? counted(words.length, title.slice(0, -1).toLowerCase()) : none}
    </summary>
    <p>
      {words.map((word) => (
        <code key={word}>{word}</code>
      ))}
    </p>
  </details>
);

function Holders({ provider: { allocations, name }, servers }: ProviderProps) {
  const consumers = Object.entries(allocations);
  if (!consumers.length) return null;
  const names = new Map(servers.map((server) => [server.id, server.name]));
  return (
    <details class="words" open={consumers.length <= 6}>
      <summary>{counted(consumers.length, 'consumer')}</summary>
      <Table
        label={`Consumers of ${name}`}
        rows={consumers}
        height="18rem"
        keyOf={([consumer]) => consumer}
        columns={[
          {
            title: 'Consumer',
            cell: ([consumer]) => (
              <span title={consumer}>{names.get(consumer) ?? shortId(consumer)}</span>
            ),
          },
          {
            title: 'Holds',
            cell: ([, { resources }]) =>
              Object.entries(resources)
                .map(([resourceClass, amount]) => `${amount} ${resourceClass}`)
                .join(', '),
          },
        ]}
      />
    </details>
  );
}

const createServer =
  'openstack server create --flavor m1.nano --image cirros --network private vm1';

function Servers({ servers }: { readonly servers: readonly Server[] }) {
  return (
    <section aria-label="Servers">
      <h3>{servers.length ? counted(servers.length, 'server') : 'Servers'}</h3>
      {servers.length ? (
        <Table
          label="Servers"
          rows={servers}
          height="22rem"
          keyOf={({ id }) => id}
          columns={[
            { title: 'Name', cell: ({ name, id }) => <span title={id}>{name}</span> },
            { title: 'Status', cell: ({ status }) => <Status state={status} /> },
            { title: 'Flavor', cell: ({ flavor }) => flavor.original_name ?? '–', minor: true },
            {
              title: 'Group',
              minor: true,
              cell: ({ server_groups: groups }) => groups?.map(shortId).join(', ') || '–',
            },
          ]}
        />
      ) : (
        <Empty command={createServer}>No server runs here.</Empty>
      )}
    </section>
  );
}
