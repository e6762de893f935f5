// Which operations the tests have called, at which versions: what api-ref/COVERAGE.md is made of.
import type { Call } from '../../src/kernel/http/call.ts';

/** Versions by service and operation. */
export const covered = new Map<string, Map<string, Set<string>>>();

/** Takes down that a test has called an operation. */
export function recordCoverage(call: Call): void {
  const service = call.service.card.name;
  const operations = covered.get(service) ?? new Map<string, Set<string>>();
  covered.set(service, operations);
  const versions = operations.get(call.operation!.id) ?? new Set<string>();
  operations.set(call.operation!.id, versions.add(call.at.name));
}
