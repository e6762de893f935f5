// What a request wants of hosts: an expression over what they have. Upstream:
// blazar/utils/plugins.py convert_requirements.
import { badRequest, type ApiError } from '../../../kernel/errors.ts';
import { compareCodePoints, pythonRepr } from '../../../kernel/oslo/python-repr.ts';
import { dateText, writtenText } from './dates.ts';
import type { Host } from '../model.ts';
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
  if (text === '') return [];
  if (text.length > longest) throw refusal(text);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw refusal(text);
  }
  return Array.isArray(parsed) && !parsed.length ? [] : conditionsOf(parsed, text);
}

const refusal = (text: string): ApiError =>
  badRequest(`Malformed requirements ${text.slice(0, 500)}`);

/**
 * What is wrong is shown as Python shows it: the clause, where it is one of several. A long one is
 * left as it came.
 */
const refusalOf = (clause: unknown, text: string): ApiError =>
  refusal(text.length > 2000 ? text : pythonRepr(clause));

function conditionsOf(clause: unknown, text: string): Requirement[] {
  const [first, ...rest] = Array.isArray(clause) ? (clause as unknown[]) : [];
  if (first !== 'and') return [conditionOf(clause, text)];
  if (!rest.length) throw refusalOf(clause, text);
  // Of an `and` within an `and` upstream takes the first clause alone; here all of them count.
  return rest.flatMap((part) => conditionsOf(part, text));
}

function conditionOf(clause: unknown, text: string): Requirement {
  const refused = refusalOf(clause, text);
  const parts = Array.isArray(clause) ? (clause as unknown[]) : [];
  const [operator, key, value] = parts;
  const isText = parts.length === 3 && parts.every((part) => typeof part === 'string');
  if (
    !isText ||
    !operators.includes(operator as Operator) ||
    !/^\$./s.test(key as string) ||
    value === ''
  )
    throw refused;
  return { operator: operator as Operator, key: (key as string).slice(1), value: value as string };
}

const numeric = {
  id: 'id',
  vcpus: 'vcpus',
  memory_mb: 'memoryMb',
  local_gb: 'localGb',
  hypervisor_version: 'hypervisorVersion',
} as const;

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

/**
 * Whether a host meets a condition; `capability` is the extra capability of that name, where it has
 * one.
 */
export function meets(
  host: Host,
  { operator, key, value }: Requirement,
  capability: string | undefined,
): boolean {
  if (Object.hasOwn(numeric, key)) {
    const wanted = Number(value);
    return (
      !Number.isNaN(wanted) &&
      holds(operator, Math.sign(host[numeric[key as keyof typeof numeric]] - wanted))
    );
  }
  if (key === 'reservable')
    return holds(operator, Number(host.reservable) - Number(/^(1|true)$/i.test(value)));
  if (Object.hasOwn(textual, key)) {
    const has = textual[key]!(host);
    if (has === null || value === 'null')
      return operator === '!=' ? has !== null : has === null && value === 'null';
    return holds(operator, compareCodePoints(has.toLowerCase(), value.toLowerCase()));
  }
  // Extra capabilities are text, and compared as Python compares text. Who lacks one meets nothing.
  return capability !== undefined && holds(operator, compareCodePoints(capability, value));
}

/** What the order of two values says of an operator between them. */
function holds(operator: Operator, order: number): boolean {
  switch (operator) {
    case '=':
    case '==':
      return order === 0;
    case '!=':
      return order !== 0;
    case '>=':
      return order >= 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '<':
      return order < 0;
  }
}
