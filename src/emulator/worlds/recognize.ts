// Recognizes worlds among the files of --seed, without parsing them.
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { loadYaml } from '../../kernel/lazy.ts';

/**
 * Whether a file describes a world: it is called `.yaml` or `.yml`, and does not begin like an
 * export.
 */
export const isWorld = (file: string): boolean =>
  /\.ya?ml$/i.test(file) && !/^\s*\{\s*"cumulet"\s*:/.test(beginningOf(file));

/**
 * Whether a world may have times that are relative to the moment at which it is made: those of
 * leases, while the clock runs. It is decided before each reset, so it parses no file of a world.
 */
export function hasRelativeTimes(file: string): boolean {
  const text = readFileSync(file, 'utf8');
  return /\bleases['"]?\s*:/.test(text) && !hasClock(text);
}

/** Whether a world has a clock that stands still. Only a configuration file needs to be parsed. */
function hasClock(text: string): boolean {
  if (!/^['"]?world['"]?\s*:/m.test(text)) return /^['"]?clock['"]?\s*:/m.test(text);
  const content = loadYaml().parse(text) as { world?: { clock?: unknown } | null };
  return content.world?.clock !== undefined;
}

/** The first bytes of a file; nothing if it cannot be read. */
function beginningOf(file: string): string {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    const bytes = Buffer.alloc(64);
    return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, bytes.length, 0));
  } catch {
    return '';
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
