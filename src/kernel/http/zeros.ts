// A body of zeros: what a blank disk of gigabytes is read as, without ever being in memory.
import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';

/** A body of that many zeros. */
export class Zeros {
  readonly length: number;

  constructor(length: number) {
    this.length = length;
  }

  /** Sends the zeros, as fast as the client takes them; a client that goes away ends it. */
  sendTo(response: ServerResponse): void {
    pipeline(Readable.from(this.parts()), response, () => {});
  }

  private *parts(): Generator<Buffer> {
    const part = Buffer.alloc(Math.min(this.length, 1024 * 1024));
    for (let left = this.length; left > 0; left -= part.length) yield part.subarray(0, Math.min(left, part.length));
  }
}
