// What a request wants of hosts: an expression over what they have. Upstream: blazar/utils/plugins.py convert_requirements.
import { badRequest, type Fault } from '../../../kernel/fault.ts';
import { compareCodePoints } from '../../../kernel/python/repr.ts';
import { dateText, writtenText } from './dates.ts';
import type { Host } from './records.ts';
import { textOf } from './values.ts';

const operators = ['==', '=', '!=', '>=', '<=', '>', '<'] as const;
type Operator = (typeof operators)[number];

/** One condition on a host. */
export interface Requirement {
  readonly operator: Operator;
  /** A column of hosts, or an extra capability. */
  readonly key: string;
  readonly value: string;
}

/** An expression is no longer than this. */
const longest = 65_535;

/** Reads an expression: JSON text or JSON. @throws 400 */
export function readRequirements(expression: unknown): Requirement[] {
  const text = textOf(expression);
  const refused = badRequest(`Malformed requirements ${text.slice(0, 500)}`);
  if (text === '') return [];
  if (text.length > longest) throw refused;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw refused;
  }
  if (!Array.isArray(parsed)) throw refused;
  return parsed.length ? conditionsOf(parsed as unknown[], refused) : [];
}

function conditionsOf(parts: readonly unknown[], refused: Fault): Requirement[] {
  const [first, ...rest] = parts;
  if (first !== 'and') return [conditionOf(parts, refused)];
  if (!rest.length) throw refused;
  return rest.map((part) => {
    if (!Array.isArray(part)) throw refused;
    // Of an `and` within an `and` upstream takes the first clause alone; here all of them count.
    return part[0] === 'and' ? conditionsOf(part as unknown[], refused) : [conditionOf(part as unknown[], refused)];
  }).flat(); // prettier-ignore
}

function conditionOf(parts: readonly unknown[], refused: Fault): Requirement {
  const [operator, key, value] = parts;
  const isText = parts.length === 3 && parts.every((part) => typeof part === 'string');
  if (!isText || !operators.includes(operator as Operator) || !/^\$./s.test(key as string) || value === '') throw refused;
  return { operator: operator as Operator, key: (key as string).slice(1), value: value as string };
}

const numeric = { id: 'id', vcpus: 'vcpus', memory_mb: 'memoryMb', local_gb: 'localGb', hypervisor_version: 'hypervisorVersion' } as const; // prettier-ignore

const textual: Readonly<Record<string, (host: Host) => string | null>> = {
  cpu_info: ({ cpuInfo }) => cpuInfo,
  hypervisor_type: ({ hypervisorType }) => hypervisorType,
  hypervisor_hostname: ({ hypervisorHostname }) => hypervisorHostname,
  service_name: ({ serviceName }) => serviceName,
  availability_zone: ({ availabilityZone }) => availabilityZone,
  trust_id: ({ trustId }) => trustId,
  status: () => null,
  created_at: ({ createdAt }) => writtenText(createdAt),
  updated_at: ({ updatedAt }) => (updatedAt === null ? null : dateText(updatedAt)),
};

/** Whether a key is one of the columns that every host has. */
export const isColumn = (key: string): boolean =>
  Object.hasOwn(numeric, key) || Object.hasOwn(textual, key) || key === 'reservable';

/** Whether a host meets a condition; `capability` is the extra capability of that name, where it has one. */
export function meets(host: Host, { operator, key, value }: Requirement, capability: string | undefined): boolean {
  if (Object.hasOwn(numeric, key)) {
    const wanted = Number(value);
    return !Number.isNaN(wanted) && holds(operator, Math.sign(host[numeric[key as keyof typeof numeric]] - wanted));
  }
  if (key === 'reservable') return holds(operator, Number(host.reservable) - Number(/^(1|true)$/i.test(value)));
  if (Object.hasOwn(textual, key)) {
    const has = textual[key]!(host);
    if (has === null || value === 'null') return operator === '!=' ? has !== null : has === null && value === 'null';
    return holds(operator, compareCodePoints(has.toLowerCase(), value.toLowerCase()));
  }
  // Extra capabilities are text, and compared as Python compares text. Who lacks one meets nothing.
  return capability !== undefined && holds(operator, compareCodePoints(capability, value));
}

/** What the order of two values says of an operator between them. */
function holds(operator: Operator, order: number): boolean {
  switch (operator) {
    case '=':
    case '==': return order === 0; // prettier-ignore
    case '!=': return order !== 0; // prettier-ignore
    case '>=': return order >= 0; // prettier-ignore
    case '<=': return order <= 0; // prettier-ignore
    case '>': return order > 0; // prettier-ignore
    case '<': return order < 0; // prettier-ignore
  }
}
