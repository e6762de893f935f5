// The request journal: the entries as the emulator shows them, and how to write one as a command.
import { cumulet, curlOfService, type Action } from './actions.ts';
import { emulator, firstMessage, RequestError } from './http.ts';

/** A recorded request. */
export interface Entry {
  readonly id: number;
  readonly request_id: string;
  readonly time: string;
  readonly duration_ms: number;
  readonly method: string;
  readonly prefix: string;
  readonly path: string;
  readonly query: string;
  readonly service: string | null;
  readonly region: string | null;
  readonly operation: string | null;
  readonly action: string | null;
  readonly inside: boolean;
  readonly version_asked: string | null;
  readonly version: string | null;
  readonly project_id: string | null;
  readonly project_name: string | null;
  readonly user_id: string | null;
  readonly user_name: string | null;
  readonly user_agent: string | null;
  readonly status: number | null;
  readonly dropped: boolean;
  readonly fault_rules: readonly number[];
  readonly request_body: unknown;
  readonly request_body_cut: boolean;
  readonly response_body: unknown;
}

/** The journal, or the part of it that matches a query. */
export interface Journal {
  /** 0 if the journal is off. */
  readonly keep: number;
  /** The newest first. */
  readonly requests: readonly Entry[];
}

/** Reads the journal. A journal that is off has no requests. */
export async function readJournal(
  query: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<Journal> {
  const given = Object.entries(query).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
  );
  try {
    const journal = await emulator<Journal>(`/requests?${new URLSearchParams(given).toString()}`, {
      signal,
    });
    return { keep: journal.keep, requests: journal.requests.toReversed() };
  } catch (error) {
    if (error instanceof RequestError && error.status === 409) return { keep: 0, requests: [] };
    throw error;
  }
}

/** Sets how many requests the journal keeps. */
export const keepAction = (keep: number, before: number): Action => ({
  text: keep ? `The journal keeps ${keep} requests.` : 'The journal is off.',
  command: cumulet('requests', 'keep', String(keep)),
  run: () => emulator('/requests', { method: 'PUT', body: { keep } }),
  inverse: () => keepAction(before, keep),
});

/** What a request did: its operation and, if it has one, its action. */
export const operationOf = ({ operation, action }: Entry): string =>
  [operation ?? 'unknown', action].filter((part) => part !== null).join(' · ');

/** The message of an error reply; undefined if the reply has no message. */
export const refusalOf = ({ response_body: body }: Entry): string | undefined =>
  typeof body === 'string' ? body : firstMessage(body);

/** The request as a command. Its token and other secrets are not in the journal. */
export function curlOfEntry(entry: Entry): string {
  const { method, prefix, path, query, version_asked: version, service, request_body } = entry;
  return curlOfService(
    method,
    `${prefix}${path}${query && `?${query}`}`,
    request_body ?? undefined,
    version === null ? undefined : `${service} ${version}`,
  );
}
