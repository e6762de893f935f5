// Writes files that other processes may read at the same time.
import { renameSync, writeFileSync } from 'node:fs';

/** Writes or replaces a file. A reader sees the old text or the new one, as a whole. */
export function replaceFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, path);
}
