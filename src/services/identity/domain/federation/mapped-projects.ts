// The projects that rules of mappings give to a user.
import type { DomainReference, Mapping } from '../../model.ts';
import { unauthenticated } from '../refusals.ts';

/** A project with the roles of the user on it. */
export interface MappedProject {
  readonly name: string;
  readonly roles: readonly { readonly name: string }[];
  readonly domain?: DomainReference | undefined;
}

/**
 * The projects of a local part: those of the rule, and those in JSON of the assertion. From version
 * 2.0 on, they are in the domain of the part, if they name none.
 * @param encoded the JSON of `projects_json`, if the part has it
 * @returns undefined if the part has no projects
 * @throws 401 if the JSON is not a list of projects
 */
export function mappedProjects(
  { schemaVersion }: Mapping,
  { projects, domain }: { projects?: readonly MappedProject[]; domain?: DomainReference },
  encoded: string | undefined,
): MappedProject[] | undefined {
  if (projects === undefined && encoded === undefined) return undefined;
  const all = [...(projects ?? []), ...(encoded === undefined ? [] : projectsIn(encoded))];
  if (schemaVersion === '1.0') return all;
  return all.map((project) => ({ ...project, domain: project.domain ?? domain }));
}

function projectsIn(encoded: string): MappedProject[] {
  const value = parsedJson(encoded);
  if (!Array.isArray(value) || !value.every(isProject)) throw unauthenticated();
  return value;
}

function isProject(value: unknown): value is MappedProject {
  if (!hasOnly(value, ['name', 'roles', 'domain'])) return false;
  const { name, roles, domain } = value;
  return (
    typeof name === 'string' &&
    Array.isArray(roles) &&
    roles.every((role) => hasOnly(role, ['name']) && typeof role['name'] === 'string') &&
    (domain === undefined || isDomain(domain))
  );
}

const isDomain = (value: unknown): boolean =>
  hasOnly(value, ['id', 'name']) && Object.values(value).every((one) => typeof one === 'string');

/** Whether a value is an object with these properties at most. */
const hasOnly = (value: unknown, names: readonly string[]): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).every((name) => names.includes(name));

/** Parses JSON. Returns undefined for other text. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
