// How long things take in the emulator's time: what --latency says of them, by name.
import type { Micros } from './clock.ts';
import type { ServiceDefinition, Context } from './model.ts';

/** How long the thing of that name takes; what --latency does not name takes no time. */
export const latencyOf = ({ cloud }: Pick<Context, 'cloud'>, name: string): Micros =>
  cloud.config.latency[name] ?? 0;

/** The names that --latency knows, in the order of services. */
export const latencyNames = (definitions: readonly ServiceDefinition[]): readonly string[] =>
  definitions.flatMap(({ latencies = [] }) => latencies);

/** Refuses names that no service knows. @throws Error with the names that there are */
export function checkLatencies(
  definitions: readonly ServiceDefinition[],
  given: Readonly<Record<string, Micros>>,
): void {
  const names = latencyNames(definitions);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new Error(`--latency ${unknown}: nothing is called so. Names: ${names.join(', ')}.`);
}
