// Keeps the replies of a cloud in a file while it is captured, so that an interrupted capture
// continues without asking again. The file has a header and a line for each reply. It never
// contains the token.
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { machineNow, type Micros } from '../../kernel/clock.ts';
import { CaptureError, type Json } from './model.ts';

/** What the replies depend on: they are of no use for a capture of anything else. */
export interface RepliesHeader {
  readonly auth_url: string;
  readonly region: string;
  /** The project that the capture is signed in to; null if its token has no project. */
  readonly project: string | null;
}

/** What to do after an interruption. */
export const advice = 'Run the same command with --resume to continue.';

const newline = 0x0a;
const chunkSize = 1024 * 1024;

/** A line of the file: where it begins, and its length in bytes without the newline. */
interface Place {
  readonly position: number;
  readonly length: number;
}

/**
 * Opens the replies of a capture.
 * @param resume whether to continue with those that an interrupted capture has left
 * @throws CaptureError if there are such replies without `resume`, or if they are of another cloud
 */
export function openReplies(file: string, header: RepliesHeader, resume: boolean): Replies {
  const isThere = existsSync(file);
  if (isThere && !resume)
    throw new CaptureError(
      `${file} has the replies of a capture that was interrupted, or that still runs. ${advice} ` +
        'To start anew, delete the file.',
    );
  const descriptor = openSync(file, isThere ? 'r+' : 'wx+', 0o600);
  const replies = new Replies(file, descriptor);
  try {
    replies.begin(header);
    return replies;
  } catch (error) {
    replies.close();
    throw error;
  }
}

export class Replies {
  readonly file: string;
  /** When the capture began. */
  startedAt: Micros = machineNow();
  private readonly descriptor: number;
  private readonly places = new Map<string, Place>();
  private end = 0;

  constructor(file: string, descriptor: number) {
    this.file = file;
    this.descriptor = descriptor;
  }

  /** How many replies the file has. */
  get size(): number {
    return this.places.size;
  }

  /** The reply to a request; undefined if the cloud has not answered it yet. */
  find(request: string): Json | undefined {
    const place = this.places.get(request);
    return place && (this.lineAt(place)['reply'] as Json);
  }

  /** Adds a reply. If the process is killed at any time, all earlier ones are left. */
  add(request: string, reply: Json): void {
    this.places.set(request, this.append({ request, reply }));
  }

  close(): void {
    closeSync(this.descriptor);
  }

  /** Deletes the file: the capture is complete. */
  remove(): void {
    this.close();
    rmSync(this.file);
  }

  /**
   * Reads which replies the file has, and writes the header of a new one.
   * @throws CaptureError if they are of another cloud
   */
  begin(header: RepliesHeader): void {
    const [first, ...others] = this.completeLines();
    if (!first) {
      this.append({ ...header, started_at: this.startedAt });
      return;
    }
    const { started_at: startedAt, ...found } = this.lineAt(first);
    if (JSON.stringify(found) !== JSON.stringify(header))
      throw new CaptureError(
        `${this.file} has the replies of another capture: ${JSON.stringify(found)}. ` +
          'Use its clouds.yaml and options to continue it, or delete the file to start anew.',
      );
    this.startedAt = startedAt as Micros;
    for (const place of others) this.places.set(String(this.lineAt(place)['request']), place);
  }

  /** The lines of the file. One without an end is removed: its process was killed. */
  private completeLines(): Place[] {
    const { size } = fstatSync(this.descriptor);
    const lines: Place[] = [];
    for (let at = 0; at < size; at += chunkSize) {
      const chunk = this.bytesAt(at, Math.min(chunkSize, size - at));
      for (let found = chunk.indexOf(newline); found >= 0;) {
        lines.push({ position: this.end, length: at + found - this.end });
        this.end = at + found + 1;
        found = chunk.indexOf(newline, found + 1);
      }
    }
    ftruncateSync(this.descriptor, this.end);
    return lines;
  }

  private append(line: object): Place {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    let written = 0;
    while (written < bytes.length)
      written += writeSync(
        this.descriptor,
        bytes,
        written,
        bytes.length - written,
        this.end + written,
      );
    const place = { position: this.end, length: bytes.length - 1 };
    this.end += bytes.length;
    return place;
  }

  /** @throws CaptureError if the line is not JSON */
  private lineAt({ position, length }: Place): Json {
    try {
      return JSON.parse(this.bytesAt(position, length).toString()) as Json;
    } catch {
      throw new CaptureError(
        `${this.file} is damaged at byte ${position}. Delete it to start the capture anew.`,
      );
    }
  }

  private bytesAt(position: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    let read = 0;
    while (read < length) {
      const got = readSync(this.descriptor, bytes, read, length - read, position + read);
      if (!got) break;
      read += got;
    }
    return bytes;
  }
}
