// The topology as a picture: external networks, the routers that lead to them, and the networks
// behind the routers, each with what is connected to it. The tables below have the same in words.
import { hrefOf } from '../../core/router.ts';
import { counted } from '../../parts/text.ts';
import { deviceOf, type Network, type Resources, type Router } from './model.ts';

const box = { width: 250, height: 64, gap: 18 };
const columnWidth = box.width + 110;

/** A box of the picture. */
interface Box {
  readonly id: string;
  readonly kind: 'network' | 'router';
  readonly name: string;
  readonly lines: readonly string[];
  readonly column: number;
  readonly row: number;
}

const topOf = ({ row }: Box): number => row * (box.height + box.gap) + 2;
const middleOf = (one: Box): number => topOf(one) + box.height / 2;
const leftOf = ({ column }: Box): number => column * columnWidth + 2;

/** At most this many characters of a name fit into a box. */
const cut = (text: string, most = 32): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;

function linesOf(resources: Resources, network: Network): string[] {
  const cidrs = resources.subnets
    .filter(({ network_id }) => network_id === network.id)
    .map(({ cidr }) => cidr);
  const servers = resources.ports
    .filter(({ network_id, device_owner: owner }) => {
      return network_id === network.id && owner.startsWith('compute:');
    })
    .map((port) => deviceOf(resources, port));
  const names = servers.length > 3 ? counted(servers.length, 'server') : servers.join(', ');
  return [cidrs.join(', ') || 'no subnet', names];
}

const routerLine = ({ external_gateway_info: gateway }: Router): string =>
  gateway?.external_fixed_ips.map(({ ip_address }) => ip_address).join(', ') ?? 'no gateway';

function boxesOf(resources: Resources): Box[] {
  const networkBoxes = (isExternal: boolean, column: number): Box[] =>
    resources.networks
      .filter((network) => network['router:external'] === isExternal)
      .map((network, row) => ({
        id: network.id,
        kind: 'network' as const,
        name: network.name,
        lines: linesOf(resources, network),
        column,
        row,
      }));
  const routers = resources.routers.map((router, row) => ({
    id: router.id,
    kind: 'router' as const,
    name: router.name,
    lines: [routerLine(router)],
    column: 1,
    row,
  }));
  return [...networkBoxes(true, 0), ...routers, ...networkBoxes(false, 2)];
}

/** The pairs of a router and a network that are connected. */
function linksOf({ routers, ports }: Resources): [router: string, network: string][] {
  const interfaces = ports
    .filter(({ device_owner: owner }) => owner === 'network:router_interface')
    .map((port): [string, string] => [port.device_id, port.network_id]);
  const gateways = routers.flatMap(({ id, external_gateway_info: gateway }) =>
    gateway ? [[id, gateway.network_id] as [string, string]] : [],
  );
  return [...gateways, ...interfaces];
}

/** The picture is legible up to this many networks or routers. */
export const mostInPicture = 40;

export function Topology({ resources }: { readonly resources: Resources }) {
  const boxes = boxesOf(resources);
  const byId = new Map(boxes.map((one) => [one.id, one]));
  const height = Math.max(...boxes.map((one) => topOf(one) + box.height)) + 2;
  const width = 2 * columnWidth + box.width + 4;
  return (
    <div class="topology" tabIndex={0} role="group" aria-label="Topology">
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
        {linksOf(resources).map(([router, network]) => (
          <Link
            key={`${router} ${network}`}
            router={byId.get(router)}
            network={byId.get(network)}
          />
        ))}
        {boxes.map((one) => (
          <a key={one.id} href={hrefOf('network', { network: one.id })} class={one.kind}>
            <rect
              x={leftOf(one)}
              y={topOf(one)}
              width={box.width}
              height={box.height}
              rx={one.kind === 'router' ? 32 : 8}
            />
            <text x={leftOf(one) + 18} y={topOf(one) + 24} class="name">
              {cut(one.name)}
            </text>
            {one.lines.map((line, index) => (
              <text key={index} x={leftOf(one) + 18} y={topOf(one) + 41 + 15 * index}>
                {cut(line, 36)}
              </text>
            ))}
          </a>
        ))}
      </svg>
    </div>
  );
}

/** A curve between a router and a network; nothing if one of them is not in the picture. */
function Link(props: { readonly router: Box | undefined; readonly network: Box | undefined }) {
  const { router, network } = props;
  if (!router || !network) return null;
  const isLeft = network.column < router.column;
  const from = leftOf(router) + (isLeft ? 0 : box.width);
  const to = leftOf(network) + (isLeft ? box.width : 0);
  const half = (from + to) / 2;
  const [start, end] = [middleOf(router), middleOf(network)];
  return (
    <path class="link" d={`M ${from} ${start} C ${half} ${start} ${half} ${end} ${to} ${end}`} />
  );
}
