// The subports in a body. Upstream: validate_subports in neutron_lib/api/validators.
import { map, quoted, uuid } from '../attributes/checks.ts';
import { invalidInput } from '../refusals.ts';

/** A port that a body adds to a trunk or removes from it. */
export interface RequestedSubPort {
  readonly port_id: string;
  readonly segmentation_type?: unknown;
  readonly segmentation_id?: unknown;
}

/** The segmentation type of a subport that gets the segmentation of its network. */
export const inherit = 'inherit';

export const isInherited = (subPort: RequestedSubPort): boolean =>
  subPort.segmentation_type === inherit;

export const incomplete = (subPort: unknown): string =>
  `Invalid subport details '${quoted(subPort)}': missing segmentation information. Must specify ` +
  'both segmentation_id and segmentation_type';

/** Reads the subports of a body that changes a trunk. @throws 400 */
export function readSubPorts(sent: unknown): readonly RequestedSubPort[] {
  const problem = requestedSubPorts(sent);
  if (problem !== undefined) throw invalidInput(problem);
  return sent as readonly RequestedSubPort[];
}

/** Returns what is wrong with a list of subports. */
export function requestedSubPorts(value: unknown): string | undefined {
  if (!Array.isArray(value))
    return `Invalid data format for subports: '${quoted(value)}' is not a list`;
  const [ports, segmentations] = [new Set<unknown>(), new Set<string>()];
  for (const subPort of value as unknown[]) {
    if (map(subPort) !== undefined)
      return `Invalid data format for subport: '${quoted(subPort)}' is not a dict`;
    const problem =
      repeatedPort(subPort as RequestedSubPort, ports) ??
      repeatedSegmentation(subPort as RequestedSubPort, segmentations);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function repeatedPort(subPort: RequestedSubPort, seen: Set<unknown>): string | undefined {
  if (!('port_id' in subPort)) return 'A valid port UUID must be specified';
  const { port_id: id } = subPort;
  if (uuid(id) !== undefined) return `Invalid UUID for subport: '${quoted(id)}'`;
  if (seen.has(id)) return `Non unique UUID for subport: '${id}'`;
  seen.add(id);
  return undefined;
}

function repeatedSegmentation(subPort: RequestedSubPort, seen: Set<string>): string | undefined {
  if (isInherited(subPort)) return undefined;
  const { port_id: port, segmentation_type: type, segmentation_id: id } = subPort;
  const isMissing = !type || id === undefined || id === null;
  if (isMissing) return Object.keys(subPort).length > 1 ? incomplete(subPort) : undefined;
  const key = JSON.stringify([type, id]);
  if (seen.has(key)) return `Segmentation ID '${quoted(id)}' for '${port}' is not unique`;
  seen.add(key);
  return undefined;
}
