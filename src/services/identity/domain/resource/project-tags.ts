// Filtering projects by their tags. Upstream: resource/backends/sql.py, list_projects_by_tags.
import type { Query } from '../../../../kernel/query.ts';

/** Whether the tags are as all of `tags`, `tags-any`, `not-tags` and `not-tags-any` in the query want them. */
export function tagsMatch(tags: readonly string[], query: Query): boolean {
  const wanted = (name: string): string[] | undefined => query.first(name)?.split(',');
  const all = (names: readonly string[]): boolean => names.every((name) => tags.includes(name));
  const any = (names: readonly string[]): boolean => names.some((name) => tags.includes(name));
  const checks: [string[] | undefined, (names: readonly string[]) => boolean][] = [
    [wanted('tags'), all],
    [wanted('tags-any'), any],
    [wanted('not-tags'), (names) => !all(names)],
    [wanted('not-tags-any'), (names) => !any(names)],
  ];
  return checks.every(([names, test]) => names === undefined || test(names));
}
