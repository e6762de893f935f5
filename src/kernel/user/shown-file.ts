// Shows paths of files in messages.
import { isAbsolute, relative } from 'node:path';

/** A file as messages name it: from the working directory, if it is below that. */
export function shownFile(file: string): string {
  const path = relative('', file);
  return path === '' || path.startsWith('..') || isAbsolute(path) ? file : path;
}
