// Tests the digests of blank disks.
import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { digestsOfBlank, isBlankDisk } from '../../../src/services/image/domain/blank-disks.ts';

const gibibyte = 1024 ** 3;

describe('the digests of a blank disk', () => {
  it('are those of so many zeros', () => {
    const [md5, sha512] = [createHash('md5'), createHash('sha512')];
    const part = Buffer.alloc(16 * 1024 ** 2);
    for (let size = 0; size < gibibyte; size += part.length)
      for (const hash of [md5, sha512]) hash.update(part);
    expect(digestsOfBlank(gibibyte)).to.deep.equal({
      checksum: md5.digest('hex'),
      hashAlgo: 'sha512',
      hashValue: sha512.digest('hex'),
    });
  });

  it('are known for up to 16 GiB, and null for other sizes', () => {
    const known = Array.from({ length: 16 }, (_, index) => digestsOfBlank((index + 1) * gibibyte));
    expect(new Set(known.map(({ checksum }) => checksum)).size).to.equal(16);
    for (const { checksum, hashValue } of known) {
      expect(checksum).to.match(/^[\da-f]{32}$/);
      expect(hashValue).to.match(/^[\da-f]{128}$/);
    }
    for (const size of [0, 512, gibibyte + 1, 17 * gibibyte])
      expect(digestsOfBlank(size)).to.deep.equal({
        checksum: null,
        hashAlgo: null,
        hashValue: null,
      });
  });
});

describe('isBlankDisk', () => {
  it('tells blank disks from data of the same size', () => {
    const { checksum } = digestsOfBlank(gibibyte);
    expect(isBlankDisk({ size: gibibyte, checksum })).to.equal(true);
    expect(isBlankDisk({ size: 17 * gibibyte, checksum: null })).to.equal(true);
    expect(isBlankDisk({ size: gibibyte, checksum: 'f'.repeat(32) })).to.equal(false);
    expect(isBlankDisk({ size: null, checksum: null })).to.equal(false);
  });
});
