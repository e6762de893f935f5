// The simulated duration of operations, from --latency, in the emulator's time.
import type { Micros } from './clock.ts';
import type { ServiceDefinition, Context } from './model.ts';

/** The duration of a named operation; 0 unless --latency sets it. */
export const latencyOf = ({ cloud }: Pick<Context, 'cloud'>, name: string): Micros =>
  cloud.config.latency[name] ?? 0;

/** All names that --latency accepts, by service. */
export const latencyNames = (definitions: readonly ServiceDefinition[]): readonly string[] =>
  definitions.flatMap(({ latencies = [] }) => latencies);

/** @throws Error for a name that no service declares, with the valid names */
export function checkLatencies(
  definitions: readonly ServiceDefinition[],
  given: Readonly<Record<string, Micros>>,
): void {
  const names = latencyNames(definitions);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new Error(`--latency ${unknown}: unknown name. Valid names: ${names.join(', ')}.`);
}
