// Reads rules of security groups from requests, and builds the request bodies for Network.
// Upstream: network/security_group_api.py.
import { badRequest, type ApiError } from '../../../kernel/errors.ts';
import { pythonRepr } from '../../../kernel/oslo/python-repr.ts';
import { parseCidr } from '../clients/network.ts';

/** The fields of a rule in a body, before validation. */
export interface RuleFields {
  readonly group_id?: string | null;
  readonly ip_protocol?: unknown;
  readonly from_port?: unknown;
  readonly to_port?: unknown;
  readonly cidr?: unknown;
}

/** An ingress rule, from a remote group or from remote addresses. */
export interface IngressRule {
  readonly groupId: string | undefined;
  readonly cidr: string | undefined;
  readonly protocol: string | undefined;
  readonly fromPort: number | undefined;
  readonly toPort: number | undefined;
}

const everywhere = '0.0.0.0/0';

/** Whether the value counts as false in Python. */
const isFalsy = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === 0 ||
  value === false ||
  (typeof value === 'object' && !Object.keys(value).length);

const asPythonText = (value: unknown): string =>
  typeof value === 'string' ? value : pythonRepr(value);

/** Reads the remote addresses; an empty value means all IPv4 addresses. @throws 400 */
export function cidrOf(value: unknown): string {
  if (isFalsy(value)) return everywhere;
  const text = typeof value === 'string' ? percentDecoded(value) : '';
  if (!parseCidr(text)) throw badRequest(`${asPythonText(value)} is not a valid IP network.`);
  return text;
}

/** Decodes a text; returns it unchanged if it is not valid percent-encoding. */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Reads a port, type or code as Python's int() does; undefined for text that is not a number.
 * @throws 400 for a value that is neither text nor a number
 */
function integerOf(value: unknown): number | undefined {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'number') return Math.trunc(value);
  if (typeof value === 'string') return /^\s*[+-]?\d+\s*$/.test(value) ? Number(value) : undefined;
  throw badRequest(
    'The server could not comply with the request since it is either malformed or otherwise ' +
      'incorrect.',
  );
}

/** Validates the fields of a rule. @throws 400 */
export function readRule(fields: RuleFields): IngressRule {
  const groupId = fields.group_id ?? undefined;
  const cidr = groupId === undefined ? cidrOf(fields.cidr) : undefined;
  const protocol = isFalsy(fields.ip_protocol) ? undefined : asPythonText(fields.ip_protocol);
  const [from, to] = portsOf(fields, protocol, groupId !== undefined);
  if (protocol === undefined || from === null || to === null) {
    if (groupId === undefined) throw badRequest('Not enough parameters to build a valid rule.');
    return { groupId, cidr, protocol: undefined, fromPort: undefined, toPort: undefined };
  }
  const [fromPort, toPort] = [integerOf(from), integerOf(to)];
  checkPorts(protocol, fromPort, toPort);
  checkZero(cidr);
  return { groupId, cidr, protocol, fromPort: fromPort!, toPort: toPort! };
}

/** The ports of a rule. With a remote group, a rule without ports applies to all ports. */
function portsOf(
  { from_port: from, to_port: to }: RuleFields,
  protocol: string | undefined,
  hasRemoteGroup: boolean,
): [unknown, unknown] {
  const ports: [unknown, unknown] = [from ?? null, to ?? null];
  if (!hasRemoteGroup || ports.some((port) => port !== null)) return ports;
  const name = protocol?.toUpperCase();
  if (name === 'ICMP') return [-1, -1];
  return name === 'TCP' || name === 'UDP' ? [1, 65535] : ports;
}

/** @throws 400 */
function checkPorts(protocol: string, from: number | undefined, to: number | undefined): void {
  const name = protocol.toUpperCase();
  if (from === undefined || to === undefined) {
    const reason =
      name === 'ICMP'
        ? 'Type and Code must be integers for ICMP protocol type'
        : 'To and From ports must be integers';
    throw badRequest(`Invalid input received: ${reason}`);
  }
  if (!['TCP', 'UDP', 'ICMP'].includes(name)) throw badRequest(`Invalid IP protocol ${protocol}.`);
  const refuse = (why: string): ApiError => badRequest(`Invalid port range ${from}:${to}. ${why}`);
  if (name === 'ICMP') {
    if ([from, to].some((code) => code < -1 || code > 255))
      throw refuse('For ICMP, the type:code must be valid');
    return;
  }
  if (from > to) throw refuse('Former value cannot be greater than the later');
  if (from < 1 || to > 65535) throw refuse(`Valid ${name} ports should be between 1-65535`);
}

/** @throws 400 for a prefix of length 0 with an address other than zero */
function checkZero(cidr: string | undefined): void {
  if (cidr !== undefined && /\/0+$/.test(cidr) && !/^(0+(\.0+)*|::)\//.test(cidr))
    throw badRequest(`Bad prefix for network in cidr ${cidr}`);
}

/** The body of POST /v2.0/security-group-rules for a rule. */
export function networkRule(
  groupId: string,
  { groupId: remoteGroupId, cidr, protocol, fromPort, toPort }: IngressRule,
): object {
  return {
    security_group_rule: {
      direction: 'ingress',
      protocol: protocol ?? null,
      ethertype: cidr?.includes(':') ? 'IPv6' : 'IPv4',
      remote_ip_prefix: cidr ?? null,
      security_group_id: groupId,
      remote_group_id: remoteGroupId ?? null,
      ...(fromPort === undefined || fromPort === -1 ? {} : { port_range_min: fromPort }),
      ...(toPort === undefined || toPort === -1 ? {} : { port_range_max: toPort }),
    },
  };
}
