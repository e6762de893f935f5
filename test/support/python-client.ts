// Installs the Python client of this checkout in a folder, without pip.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/kernel/package-root.ts';

/**
 * Copies the package, with the metadata by which pytest finds its plugin, below this folder.
 * @returns the folder for PYTHONPATH
 */
export function installPythonClient(below: string): string {
  const folder = join(below, 'python');
  const source = join(packageRoot(), 'clients', 'python');
  cpSync(join(source, 'src', 'cumulet'), join(folder, 'cumulet'), { recursive: true });
  const project = readFileSync(join(source, 'pyproject.toml'), 'utf8');
  const plugins = /^\[project\.entry-points\.pytest11\]\n([^[]+)/m.exec(project)![1]!;
  const metadata = join(folder, 'cumulet-0.dist-info');
  mkdirSync(metadata);
  writeFileSync(join(metadata, 'METADATA'), 'Metadata-Version: 2.1\nName: cumulet\nVersion: 0\n');
  writeFileSync(join(metadata, 'entry_points.txt'), `[pytest11]\n${plugins.replaceAll('"', '')}`);
  return folder;
}
