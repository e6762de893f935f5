// Requirements on hosts: expressions on their columns and extra capabilities. Upstream:
// blazar/utils/plugins.py convert_requirements.
import { badRequest, type ApiError } from '../../../kernel/errors.ts';
import { compareCodePoints, pythonRepr } from '../../../kernel/oslo/python-repr.ts';
import { dateText, timestampText } from './dates.ts';
import type { Host } from '../model.ts';
import { toText } from './values.ts';

const operators = ['==', '=', '!=', '>=', '<=', '>', '<'] as const;
type Operator = (typeof operators)[number];

/** One condition on a host. */
export interface Requirement {
  readonly operator: Operator;
  /** A column of hosts, or the name of an extra capability. */
  readonly key: string;
  readonly value: string;
}

/** The maximum length of an expression. */
const maxLength = 65_535;

/** Reads an expression, as JSON or as JSON text. @throws 400 */
export function readRequirements(expression: unknown): Requirement[] {
  const text = toText(expression);
  if (text === '') return [];
  if (text.length > maxLength) throw malformedText(text);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw malformedText(text);
  }
  return Array.isArray(parsed) && !parsed.length ? [] : readConditions(parsed, text);
}

const malformedText = (text: string): ApiError =>
  badRequest(`Malformed requirements ${text.slice(0, 500)}`);

/**
 * The error for a malformed clause, which the message shows as Python prints it. For a long
 * expression, the message shows the original text instead.
 */
const malformedClause = (clause: unknown, text: string): ApiError =>
  malformedText(text.length > 2000 ? text : pythonRepr(clause));

function readConditions(clause: unknown, text: string): Requirement[] {
  const [first, ...rest] = Array.isArray(clause) ? (clause as unknown[]) : [];
  if (first !== 'and') return [readCondition(clause, text)];
  if (!rest.length) throw malformedClause(clause, text);
  // Upstream uses only the first clause of a nested `and`; here all of them apply.
  return rest.flatMap((part) => readConditions(part, text));
}

function readCondition(clause: unknown, text: string): Requirement {
  const parts = Array.isArray(clause) ? (clause as unknown[]) : [];
  const [operator, key, value] = parts;
  const isText = parts.length === 3 && parts.every((part) => typeof part === 'string');
  if (
    !isText ||
    !operators.includes(operator as Operator) ||
    !/^\$./s.test(key as string) ||
    value === ''
  )
    throw malformedClause(clause, text);
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
  created_at: ({ createdAt }) => timestampText(createdAt),
  updated_at: ({ updatedAt }) => (updatedAt === null ? null : dateText(updatedAt)),
};

/** Whether a key is a column, which every host has. */
export const isColumn = (key: string): boolean =>
  Object.hasOwn(numeric, key) || Object.hasOwn(textual, key) || key === 'reservable';

/** Whether a host meets a requirement. `capability` is the host's extra capability of that name. */
export function matches(
  host: Host,
  { operator, key, value }: Requirement,
  capability: string | undefined,
): boolean {
  if (Object.hasOwn(numeric, key)) {
    const required = Number(value);
    const actual = host[numeric[key as keyof typeof numeric]];
    return !Number.isNaN(required) && isMet(operator, Math.sign(actual - required));
  }
  if (key === 'reservable')
    return isMet(operator, Number(host.reservable) - Number(/^(1|true)$/i.test(value)));
  if (Object.hasOwn(textual, key)) {
    const actual = textual[key]!(host);
    if (actual === null || value === 'null')
      return operator === '!=' ? actual !== null : actual === null && value === 'null';
    return isMet(operator, compareCodePoints(actual.toLowerCase(), value.toLowerCase()));
  }
  // Extra capabilities are text, and compared as Python compares text. A host without the
  // capability does not meet any requirement on it.
  return capability !== undefined && isMet(operator, compareCodePoints(capability, value));
}

/** Whether an operator is true for two values whose order is negative, 0 or positive. */
function isMet(operator: Operator, order: number): boolean {
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
