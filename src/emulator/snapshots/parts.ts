// Splits the lines of a snapshot into compressed parts of limited size, and reads them back.
import { promisify } from 'node:util';
import { gunzip, gzip, gzipSync } from 'node:zlib';
import { yieldToEventLoop } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db/database.ts';
import { databaseLine, linesOf, rowsIn } from './document.ts';
import type { Header, Rows, Snapshot, Source } from './model.ts';
import { insertPart, partsOf } from './store/snapshots.ts';

const compress = promisify(gzip);
const expand = promisify(gunzip);

/**
 * The number of characters after which a part ends. Even if nothing can be compressed, such a part
 * stays far below MySQL's maximum packet size.
 */
const partText = 512 * 1024;

/**
 * A large part is stored uncompressed if a sample of this many bytes does not shrink to this ratio:
 * the data of images is often compressed already.
 */
const sampleSize = 32 * 1024;
const worthwhileRatio = 0.7;

async function packed(text: string): Promise<Buffer> {
  const bytes = Buffer.from(text);
  const head = bytes.subarray(0, sampleSize);
  const isDense =
    bytes.length > 2 * partText &&
    gzipSync(head, { level: 1 }).length > head.length * worthwhileRatio;
  return isDense ? bytes : compress(bytes, { level: 1 });
}

/** The text of a part. Gzip data starts with 0x1f, uncompressed parts with JSON. */
const unpacked = async (bytes: Buffer): Promise<string> =>
  (bytes[0] === 0x1f ? await expand(bytes) : bytes).toString('utf8');

/** Writes the contents of databases as parts of a snapshot, one database at a time. */
export class PartWriter {
  private readonly id: number;
  private part = 0;
  size = 0;
  rowCount = 0;

  constructor(id: number) {
    this.id = id;
  }

  /** @param central a connection to the central database, or a transaction on it */
  async write(central: Db, database: string, contents: AsyncIterable<Rows>): Promise<void> {
    let lines = [databaseLine(database)];
    let text = 0;
    let table: string | undefined;
    const flush = async (): Promise<void> => {
      const bytes = await packed(lines.join(''));
      await insertPart(central, this.id, this.part++, { database, bytes });
      this.size += bytes.length;
      [lines, text] = [[], 0];
    };
    for await (const batch of contents) {
      for (const line of linesOf(batch, batch.table !== table)) {
        lines.push(line);
        text += line.length;
        if (text >= partText) await flush();
      }
      table = batch.table;
      this.rowCount += batch.rows.length;
    }
    if (lines.length) await flush();
  }
}

/** The lines of a snapshot, or those of one database, in texts of whole lines. */
export async function* textsOf(
  central: Db,
  snapshot: Pick<Snapshot, 'id'>,
  database?: string,
): AsyncGenerator<string> {
  for await (const { bytes } of partsOf(central, snapshot, database)) yield await unpacked(bytes);
}

/** The same lines one at a time. */
export async function* storedLines(
  central: Db,
  snapshot: Pick<Snapshot, 'id'>,
  database?: string,
): AsyncGenerator<string> {
  for await (const text of textsOf(central, snapshot, database)) {
    for (let from = 0, to: number; from < text.length; from = to + 1) {
      to = text.indexOf('\n', from);
      yield text.slice(from, to);
    }
    await yieldToEventLoop(); // let other requests proceed
  }
}

export const headerIn = ({ header }: Snapshot): Header => JSON.parse(header) as Header;

/** A snapshot with the current schema, ready to be restored. */
export const sourceOf = (snapshot: Snapshot): Source => ({
  header: headerIn(snapshot),
  contents: (database, central) => rowsIn(storedLines(central, snapshot, database)),
});
