// The lines of a snapshot in the central database: compressed, in parts of bounded size.
import { promisify } from 'node:util';
import { gunzip, gzip, gzipSync } from 'node:zlib';
import { yieldToEventLoop } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { Rows } from './contents.ts';
import { insertPart, partsOf, type Snapshot } from './store.ts';
import { databaseLine, linesOf, rowsIn, type Header, type Source } from './document.ts';

const compress = promisify(gzip);
const expand = promisify(gunzip);

/**
 * How many characters of lines a part has, beyond its last line: far from what MySQL takes in one
 * statement, also when none can be compressed.
 */
const partText = 512 * 1024;

/**
 * Where so much of a part is compressed to more than that share, it is not worth the time: bytes of
 * an image are often compressed already.
 */
const sample = 32 * 1024;
const worth = 0.7;

async function packed(text: string): Promise<Buffer> {
  const bytes = Buffer.from(text);
  const head = bytes.subarray(0, sample);
  const isDense =
    bytes.length > 2 * partText && gzipSync(head, { level: 1 }).length > head.length * worth;
  return isDense ? bytes : compress(bytes, { level: 1 });
}

/** The text of a part. What is not compressed begins as JSON does. */
const unpacked = async (bytes: Buffer): Promise<string> =>
  (bytes[0] === 0x1f ? await expand(bytes) : bytes).toString('utf8');

/** Writes what databases hold as the parts of a snapshot, one database after the other. */
export class PartWriter {
  private readonly id: number;
  private part = 0;
  size = 0;
  rowCount = 0;

  constructor(id: number) {
    this.id = id;
  }

  /** @param central a connection, or a transaction, of the central database */
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
    for await (const some of contents) {
      for (const line of linesOf(some, some.table !== table)) {
        lines.push(line);
        text += line.length;
        if (text >= partText) await flush();
      }
      table = some.table;
      this.rowCount += some.rows.length;
    }
    if (lines.length) await flush();
  }
}

/** The lines of a snapshot, in texts that end where lines do; of one database where it is named. */
export async function* textsOf(
  central: Db,
  snapshot: Pick<Snapshot, 'id'>,
  database?: string,
): AsyncGenerator<string> {
  for await (const { bytes } of partsOf(central, snapshot, database)) yield await unpacked(bytes);
}

/** The same, line by line. */
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
    await yieldToEventLoop(); // others are served in between
  }
}

export const headerIn = ({ header }: Snapshot): Header => JSON.parse(header) as Header;

/** A snapshot of this emulator's own level, to put back. */
export const sourceOf = (snapshot: Snapshot): Source => ({
  header: headerIn(snapshot),
  contents: (database, central) => rowsIn(storedLines(central, snapshot, database)),
});
