// The attributes of a port forwarding. Upstream: floating_ip_port_forwarding.py,
// fip_pf_port_range.py and fip_pf_description.py in neutron_lib/api/definitions.
import { ipAddress, orNull, quoted, range, text, uuid, type Check } from '../attributes/checks.ts';
import { hiddenProject } from '../attributes/common.ts';
import { toIntegerOrNull } from '../attributes/convert.ts';
import { listable, type Attribute, type AttributeMap } from '../attributes/definitions.ts';
import { invalidInput } from '../refusals.ts';

const protocols = ['dccp', 'icmp', 'ipv6-icmp', 'sctp', 'tcp', 'udp'];

/** Rejects what is not the name or the number of a protocol. @throws 400 */
function toProtocol(value: unknown): unknown {
  const name = typeof value === 'string' ? value.toLowerCase() : String(value);
  if (value === null || protocols.includes(name)) return value;
  if (/^\d+$/.test(name) && Number(name) <= 255) return value;
  throw invalidInput(
    `IP protocol '${quoted(value)}' is not supported. Only protocol names and their integer ` +
      'representation (0 to 255) are supported',
  );
}

const protocol: Check = (value) =>
  protocols.includes(value as string)
    ? undefined
    : `${quoted(value)} is not in dict_keys([${protocols.map((one) => `'${one}'`).join(', ')}])`;

/** A protocol of transport, by its name. */
export const transportProtocol: Attribute = { convert: toProtocol, check: protocol };

const lastPort = 65535;

/** One port, or two with a colon between them. */
function portRange(value: unknown): string | undefined {
  const ports = String(value).split(':');
  if (ports.length > 2 || ports.includes(''))
    return 'Port range must be two integers separated by a colon';
  for (const port of ports) {
    if (!/^\d{1,5}$/.test(port) || Number(port) > lastPort) return `Invalid port: ${port}`;
    if (Number(port) < 1)
      return `Invalid port: ${port}, the port must be in the range [1, ${lastPort}]`;
  }
  return Number(ports[0]) > Number(ports.at(-1))
    ? 'First port in a port range must be lower than the second port'
    : undefined;
}

const port: Attribute = {
  post: true,
  put: true,
  fallback: null,
  convert: toIntegerOrNull,
  check: orNull(range(1, lastPort)),
};

const ports: Attribute = { post: true, put: true, fallback: null, check: orNull(portRange) };

export const portForwardingAttributes: AttributeMap = {
  resource: 'port_forwarding',
  collection: 'port_forwardings',
  attributes: {
    id: listable,
    ...hiddenProject,
    external_port: { ...listable, ...port },
    internal_port: port,
    internal_ip_address: { post: true, put: true, check: ipAddress },
    protocol: { ...listable, post: true, put: true, ...transportProtocol },
    internal_port_id: { ...listable, post: true, put: true, check: uuid },
    description: { post: true, put: true, filter: true, fallback: '', check: text(255) },
    external_port_range: { ...listable, ...ports },
    internal_port_range: ports,
  },
};
