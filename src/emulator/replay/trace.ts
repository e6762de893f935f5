// Reads the files of a replay: a trace of arrivals, and the configurations to compare.
import { contentOf, parseYaml, textOf } from '../worlds/yaml-file.ts';
import type { Arrival, Configuration } from './model.ts';

/** Reads a trace, which has a JSON object in each line. @throws Error that names file and line */
export function readTrace(file: string): Arrival[] {
  const lines = textOf(file).split('\n');
  const arrivals = lines.flatMap((line, index): Arrival[] => {
    if (!line.trim()) return [];
    try {
      return [JSON.parse(line) as Arrival];
    } catch {
      throw new Error(
        `${file}:${index + 1}: expected a JSON object, such as ` +
          '{"at": 60, "server": {"name": "web", "flavor": "m1.small"}, "lasts": 3600}.',
      );
    }
  });
  if (!arrivals.length) throw new Error(`${file} has no arrivals.`);
  return arrivals;
}

/** Reads the configurations of a YAML file. @throws Error; WorldError if the file is not YAML */
export function readConfigurations(file: string): readonly Configuration[] {
  const content = contentOf(parseYaml(file)) as { configurations?: unknown } | null;
  const found = content?.configurations;
  if (Array.isArray(found) && found.length) return found as Configuration[];
  throw new Error(
    `${file}: expected a list 'configurations', such as ` +
      '[{name: fill, settings: {compute: {ram_weight_multiplier: -1}}}].',
  );
}
