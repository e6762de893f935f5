// Questions of the emulator's own API about a query of allocation candidates.
import { badRequest } from '../../../kernel/errors.ts';
import type { Call, Region } from '../../../kernel/model.ts';
import { Query } from '../../../kernel/query.ts';
import { regionNamed } from '../../../kernel/regions.ts';
import { readCandidateRequest } from '../domain/candidates/request.ts';
import type { CandidateRequest } from '../model.ts';
import { placementVersions } from '../versions.ts';

/** A request for candidates that a question is about. */
export interface CandidatesQuestion {
  readonly region: Region;
  readonly request: CandidateRequest;
  /** Whether several providers of one tree can serve the request (from 1.29). */
  readonly nested: boolean;
}

/**
 * Reads the parameters `query`, `microversion` and `region`.
 * @throws 400 for an unknown region or version, and for a query that Placement refuses
 */
export function readQuestion({ query, cloud }: Call): CandidatesQuestion {
  const region = regionNamed(cloud, query.last('region'));
  const asked = query.last('microversion') ?? placementVersions.max.name;
  const version = placementVersions.find(asked);
  if (!version?.has('1.10'))
    throw badRequest(
      `Placement ${asked} has no allocation candidates. Name a microversion from 1.10 to ` +
        `${placementVersions.max.name}.`,
    );
  const request = readCandidateRequest(new Query(query.last('query') ?? ''), version);
  return { region, request, nested: version.has('1.29') };
}
