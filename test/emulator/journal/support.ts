// Switches the journal on, reads it and checks assertions through the API.
import type { Test } from 'supertest';
import type { JournalEntry } from '../../../src/emulator/journal/model.ts';
import type { AuditedClient } from '../../../src/emulator/version-audit/model.ts';
import type { World } from '../../support/cloud.ts';

/** An entry in the API's responses. */
export interface Shown extends Omit<JournalEntry, 'time' | 'machine_time'> {
  readonly id: number;
  readonly time: string;
  readonly machine_time: string;
}

/** A list in the API's responses. */
export interface Page {
  readonly keep: number;
  readonly requests: readonly Shown[];
  readonly requests_links: readonly { readonly href: string }[];
}

/** The response to an assertion that does not hold. */
export interface Failed {
  readonly error: { readonly message: string };
  readonly matched: number;
  readonly requests: readonly Shown[];
  readonly near_misses: readonly {
    readonly request: Shown;
    readonly condition: string;
    readonly expected: unknown;
    readonly actual: unknown;
  }[];
}

export const journalOf = (world: World) => {
  const ask = (method: string, path: string, body?: unknown): Test =>
    world.ask('emulator', method, `/_emulator/requests${path}`, {
      token: null,
      ...(body === undefined ? {} : { body }),
    });
  const page = async (query = ''): Promise<Page> =>
    (await ask('GET', query && `?${query}`).expect(200)).body as Page;
  return {
    ask,
    keep: (keep: number): Test => ask('PUT', '', { keep }).expect(200, { keep }),
    clear: (): Test => ask('DELETE', '').expect(204),
    page,
    list: async (query = ''): Promise<readonly Shown[]> => (await page(query)).requests,
    /** The requests as lines of `method path status`. */
    lines: async (query = ''): Promise<string[]> =>
      (await page(query)).requests.map(
        ({ method, prefix, path, status }) => `${method} ${prefix}${path} ${status}`,
      ),
    show: async (id: number | string): Promise<Shown> =>
      ((await ask('GET', `/${id}`).expect(200)).body as { request: Shown }).request,
    holds: async (assertion: object): Promise<{ message: string; matched: number }> =>
      (await ask('POST', '/assert', assertion).expect(200)).body as {
        message: string;
        matched: number;
      },
    fails: async (assertion: object): Promise<Failed> =>
      (await ask('POST', '/assert', assertion).expect(409)).body as Failed,
    versions: async (query = ''): Promise<readonly AuditedClient[]> =>
      (
        (await ask('GET', `/versions${query && `?${query}`}`).expect(200)).body as {
          clients: AuditedClient[];
        }
      ).clients,
  };
};

export const messageOf = ({ body }: { body: unknown }): string =>
  (body as { error: { message: string } }).error.message;
