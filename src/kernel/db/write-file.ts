// Writes files that other processes may read or write at the same time.
import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Writes or replaces a file. A reader sees the old text or the new one, as a whole.
 * @param mode the permissions of the file, by default those of any new file
 */
export function replaceFile(path: string, text: string, mode?: number): void {
  renameSync(writeDraft(path, text, mode), path);
}

/** Writes a file as a whole, like `replaceFile`, unless another process has created it first. */
export function createFile(path: string, text: string, mode?: number): void {
  const draft = writeDraft(path, text, mode);
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}

/** @returns the path of a file that only this process writes */
function writeDraft(path: string, text: string, mode: number | undefined): string {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text, { mode });
  return draft;
}
