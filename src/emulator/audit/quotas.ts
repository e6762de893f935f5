// The check of quotas, which several services have.
import type { Inconsistency } from './model.ts';

/** The quotas of a project in a service, and what the project uses. */
export interface ProjectQuotas {
  readonly project: string;
  /** Limits by resource; -1 means unlimited. */
  readonly limits: Readonly<Record<string, number>>;
  readonly used: Readonly<Record<string, number>>;
  /** The options of `openstack quota set`, by resource. Resources without one are not checked. */
  readonly options: Readonly<Record<string, string>>;
}

/** Reports each resource of which a project uses more than its quota. */
export const exceededQuotas = ({
  project,
  limits,
  used,
  options,
}: ProjectQuotas): Inconsistency[] =>
  Object.entries(options)
    .filter(([name]) => (limits[name] ?? -1) >= 0 && (used[name] ?? 0) > limits[name]!)
    .map(([name, option]) => ({
      check: 'quota_exceeded',
      resource: { type: 'project', id: project, name: null },
      text: `Project ${project} uses ${used[name]} of ${limits[name]} ${name}.`,
      repair: [`openstack quota set ${option} ${used[name]} ${project}`],
    }));
