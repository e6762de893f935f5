// Takes, restores, exports and imports snapshots through the API.
import supertest from 'supertest';
import type { World } from '../../support/cloud.ts';

export interface SnapshotView {
  name: string;
  created_at: string;
  now: string;
  version: string;
  regions: string[];
  size: number;
  rows: number;
}

type Target = Pick<World, 'http'> | { readonly url: string };

const clientOf = (target: Target): ReturnType<typeof supertest> =>
  ('url' in target ? supertest(target.url) : target.http) as ReturnType<typeof supertest>;

/** The status and the message of an error response. */
export const errorIn = ({ status, body }: { status: number; body: unknown }): string =>
  `${status} ${(body as { error?: { message: string } }).error?.message}`;

/** The requests of the snapshots API. */
export const snapshotsOf = (target: Target) => ({
  save: (name: string) => clientOf(target).put(`/_emulator/snapshots/${name}`),
  show: (name: string) => clientOf(target).get(`/_emulator/snapshots/${name}`),
  restore: (name: string) => clientOf(target).post(`/_emulator/snapshots/${name}/restore`),
  drop: (name: string) => clientOf(target).delete(`/_emulator/snapshots/${name}`),
  list: async (): Promise<SnapshotView[]> =>
    (
      (await clientOf(target).get('/_emulator/snapshots').expect(200)).body as {
        snapshots: SnapshotView[];
      }
    ).snapshots,
  /** The document of the current state, or of a snapshot. */
  export: async (name?: string): Promise<string> => {
    const query = name === undefined ? '' : `?snapshot=${name}`;
    const { body } = await clientOf(target)
      .get(`/_emulator/export${query}`)
      .buffer(true)
      .parse(asText)
      .expect(200);
    return body as string;
  },
  import: (document: string | Buffer) =>
    clientOf(target)
      .post('/_emulator/import')
      .set('content-type', 'application/x-ndjson')
      .send(document.toString()),
});

/** Reads the body as text: superagent does not know the media type. */
function asText(
  response: supertest.Response,
  done: (error: Error | null, text: string) => void,
): void {
  const stream = response as unknown as NodeJS.ReadableStream;
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(Buffer.from(chunk)));
  stream.on('end', () => done(null, Buffer.concat(chunks).toString()));
}
