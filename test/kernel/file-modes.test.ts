// Tests that only the owner can read the files of a cloud.
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openDatabase } from '../../src/kernel/db/open.ts';
import { centralMigrations } from '../../migrations/central/index.ts';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe('folder of the databases', () => {
  let above: string;
  let umask: number;
  beforeEach(function () {
    if (process.platform === 'win32') this.skip();
    above = mkdtempSync(join(tmpdir(), 'cumulet-'));
    umask = process.umask(0);
  });
  afterEach(() => {
    process.umask(umask);
    rmSync(above, { recursive: true, force: true });
  });

  /** Creates a database in the folder. @returns the mode of each of its files */
  async function modesIn(folder: string): Promise<Record<string, string>> {
    const { db } = await openDatabase({ kind: 'sqlite', folder }, '', centralMigrations);
    try {
      return Object.fromEntries(
        readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]),
      );
    } finally {
      await db.destroy();
    }
  }

  it('is readable only by its owner, with all files, including WAL and shared memory', async () => {
    const folder = join(above, 'new');
    expect(await modesIn(folder)).to.deep.equal({
      'central.sqlite': '600',
      'central.sqlite-shm': '600',
      'central.sqlite-wal': '600',
    });
    expect(modeOf(folder)).to.equal('700');
  });

  it('keeps the mode of an existing folder, but restricts the files in it', async () => {
    const folder = join(above, 'old');
    mkdirSync(folder, { mode: 0o755 });
    writeFileSync(join(folder, 'central.sqlite'), '', { mode: 0o644 });
    chmodSync(join(folder, 'central.sqlite'), 0o644);
    expect((await modesIn(folder))['central.sqlite']).to.equal('600');
    expect(modeOf(folder)).to.equal('755');
  });
});
