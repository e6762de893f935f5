// What tests of snapshots and documents ask of a cloud.
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

type At = Pick<World, 'http'> | { readonly url: string };

const asking = (at: At): ReturnType<typeof supertest> =>
  ('url' in at ? supertest(at.url) : at.http) as ReturnType<typeof supertest>;

/** The text of a refusal, with its status. */
export const refusal = ({ status, body }: { status: number; body: unknown }): string =>
  `${status} ${(body as { error?: { message: string } }).error?.message}`;

/** The requests. */
export const snapshotsOf = (at: At) => ({
  save: (name: string) => asking(at).put(`/_emulator/snapshots/${name}`),
  show: (name: string) => asking(at).get(`/_emulator/snapshots/${name}`),
  restore: (name: string) => asking(at).post(`/_emulator/snapshots/${name}/restore`),
  drop: (name: string) => asking(at).delete(`/_emulator/snapshots/${name}`),
  list: async (): Promise<SnapshotView[]> =>
    (
      (await asking(at).get('/_emulator/snapshots').expect(200)).body as {
        snapshots: SnapshotView[];
      }
    ).snapshots,
  /** The document of now, or of a snapshot. */
  export: async (name?: string): Promise<string> => {
    const query = name === undefined ? '' : `?snapshot=${name}`;
    const { body } = await asking(at)
      .get(`/_emulator/export${query}`)
      .buffer(true)
      .parse(asText)
      .expect(200);
    return body as string;
  },
  import: (document: string | Buffer) =>
    asking(at)
      .post('/_emulator/import')
      .set('content-type', 'application/x-ndjson')
      .send(document.toString()),
});

/** Superagent knows the media type no more than other clients do. */
function asText(
  response: supertest.Response,
  done: (error: Error | null, text: string) => void,
): void {
  const stream = response as unknown as NodeJS.ReadableStream;
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(Buffer.from(chunk)));
  stream.on('end', () => done(null, Buffer.concat(chunks).toString()));
}
