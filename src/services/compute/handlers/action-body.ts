// Reads the body of an action.
import type { ComputeCall } from '../call.ts';

/** The arguments of an action: the value of the body's only key. */
export const argumentsOf = <T>(call: ComputeCall, action: string): T =>
  (call.body as Record<string, T>)[action]!;
