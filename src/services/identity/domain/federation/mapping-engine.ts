// Makes a user, groups and projects of an assertion by the rules of a mapping. Upstream:
// keystone/federation/utils.py. What upstream answers with a 500 is a 400 here.
import { badRequest, type ApiError } from '../../../../kernel/errors.ts';
import { pythonRepr } from '../../../../kernel/oslo/python-repr.ts';
import type { DomainReference, Mapping } from '../../model.ts';
import { unauthenticated } from '../refusals.ts';
import { mappedProjects, parsedJson, type MappedProject } from './mapped-projects.ts';
import { listOf } from './python-lists.ts';
import { directValues, type Assertion } from './requirements.ts';

/** The user of a mapping, as the rules have it. */
export interface MappedUser {
  readonly id?: string;
  readonly name?: string;
  readonly email?: string;
  readonly domain?: DomainReference | undefined;
  readonly type: 'ephemeral' | 'local';
}

/** A group by its name. */
export interface MappedGroup {
  readonly name: string;
  readonly domain: DomainReference;
}

/** What the rules make of an assertion. */
export interface Mapped {
  readonly user: MappedUser;
  readonly groupIds: readonly string[];
  readonly groups: readonly MappedGroup[];
  readonly projects: readonly MappedProject[];
}

/** A local part of a rule with the values of the assertion. */
export interface Local {
  readonly user?: Partial<MappedUser>;
  readonly group?: { readonly id: string } | MappedGroup;
  readonly groups?: string;
  readonly group_ids?: string;
  readonly domain?: DomainReference;
  readonly projects?: readonly MappedProject[];
  /** As the rule has it, such as `{0}`: the value itself is JSON. */
  readonly projects_json?: string;
}

type Values = readonly (readonly string[])[];

/** The attributes of an assertion, whose values a semicolon separates. */
export const assertionOf = (attributes: Readonly<Record<string, string>>): Assertion =>
  new Map(Object.entries(attributes).map(([name, value]) => [name, value.split(';')]));

/** Evaluates the rules of a mapping. @throws 400, and 401 if no rule applies */
export function evaluateMapping(mapping: Mapping, assertion: Assertion): Mapped {
  const locals: Local[] = [];
  const projects: MappedProject[][] = [];
  for (const rule of mapping.rules) {
    const values = directValues(rule, assertion);
    for (const part of values ? rule.local : []) {
      const { projects_json: encoded, ...plain } = part as Local;
      const local = replaced(plain, values!, mapping) as Local;
      locals.push(local);
      const found = mappedProjects(mapping, local, encodedValue(encoded, values!, mapping));
      if (found) projects.push(found);
    }
  }
  if (!locals.length) throw unauthenticated();
  return {
    user: userOf(locals, mapping),
    groupIds: groupIdsOf(locals),
    groups: groupsOf(locals),
    projects: projects.at(-1) ?? [],
  };
}

const wrongReference = ({ id }: Mapping): ApiError =>
  badRequest(
    `Local section in mapping ${id} refers to a remote match that doesn't exist (e.g. {0} in a ` +
      'local section).',
  );

/** Puts values into all texts of a local part. */
function replaced(part: unknown, values: Values, mapping: Mapping): unknown {
  if (typeof part === 'string') return formatted(part, values, mapping);
  if (Array.isArray(part)) return part.map((one) => replaced(one, values, mapping));
  return Object.fromEntries(
    Object.entries(part as object).map(([key, one]) => [key, replaced(one, values, mapping)]),
  );
}

/** Replaces `{0}` like Python's `format`: several values become a list as Python writes it. */
function formatted(text: string, values: Values, mapping: Mapping): string {
  let next = 0;
  return text.replace(/\{\{|\}\}|\{(\d{0,9})\}|[{}]/g, (part, index?: string) => {
    if (part === '{{' || part === '}}') return part[0]!;
    const value = index === undefined ? undefined : values[index === '' ? next++ : Number(index)];
    if (value === undefined) throw wrongReference(mapping);
    return value.length === 1 ? value[0]! : pythonRepr(value);
  });
}

/** The only value that `projects_json` refers to. @throws 400, 401 */
function encodedValue(
  reference: string | undefined,
  values: Values,
  mapping: Mapping,
): string | undefined {
  if (reference === undefined) return undefined;
  const [, index] = /^\{?(\d{1,9})/.exec(reference) ?? [];
  const value = index === undefined ? undefined : values[Number(index)];
  if (!value) throw wrongReference(mapping);
  if (value.length !== 1) throw unauthenticated();
  return value[0];
}

/** The first user of the rules. From version 2.0 on, the domain of the last part is its default. */
function userOf(locals: readonly Local[], { schemaVersion }: Mapping): MappedUser {
  const user = locals.find((local) => local.user && Object.keys(local.user).length)?.user ?? {};
  const fallback = schemaVersion === '1.0' ? undefined : locals.at(-1)!.domain;
  const isGiven = user.domain && Object.keys(user.domain).length > 0;
  const domain = isGiven ? user.domain : (fallback ?? user.domain);
  return { type: 'ephemeral', ...user, domain };
}

function groupIdsOf(locals: readonly Local[]): string[] {
  const ids = new Set<string>();
  for (const { group, group_ids: several } of locals) {
    if (group && 'id' in group) ids.add(group.id);
    if (several !== undefined) for (const id of listOf(several)) ids.add(id);
  }
  return [...ids];
}

/** The groups that the rules name, each once. */
function groupsOf(locals: readonly Local[]): MappedGroup[] {
  const groups = new Map<string, MappedGroup>();
  for (const local of locals) {
    const named = local.group && 'name' in local.group ? [local.group] : [];
    for (const { name, domain } of [...named, ...severalGroups(local)])
      groups.set(JSON.stringify([name, domain.id, domain.name]), { name, domain });
  }
  return [...groups.values()];
}

/**
 * The groups of a list. Upstream takes the word `name` in it as a sign that each group is JSON with
 * a domain of its own.
 * @throws 401 if groups have no domain
 */
function severalGroups({ groups, domain }: Local): MappedGroup[] {
  if (groups === undefined) return [];
  const names = listOf(groups);
  if (groups.includes('name')) return names.map(groupInJson);
  if (!domain) throw unauthenticated();
  return names.map((name) => ({ name, domain }));
}

function groupInJson(text: string): MappedGroup {
  const group = text.startsWith('JSON:') ? parsedJson(text.slice(5)) : undefined;
  const { name, domain } = (group ?? {}) as Partial<MappedGroup>;
  if (typeof name !== 'string' || typeof domain !== 'object' || domain === null)
    throw unauthenticated();
  const { id, name: domainName } = domain;
  return {
    name,
    domain: {
      ...(typeof id === 'string' ? { id } : {}),
      ...(typeof domainName === 'string' ? { name: domainName } : {}),
    },
  };
}
