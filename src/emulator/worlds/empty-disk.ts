// The data of the images of a world: disks without contents.

/** The size of a disk in bytes, as its header says. It fits every built-in flavor with a disk. */
const size = 112 * 1024 ** 2;

/** An empty disk in the format `qcow2`, which is a header only, or `raw`, which is a few zeros. */
export function emptyDisk(format: string): Buffer {
  const data = Buffer.alloc(512);
  if (format !== 'qcow2') return data;
  data.write('QFI\u00FB', 0, 'latin1');
  data.writeUInt32BE(3, 4); // version
  data.writeUInt32BE(16, 20); // bits of a cluster
  data.writeBigUInt64BE(BigInt(size), 24);
  return data;
}
