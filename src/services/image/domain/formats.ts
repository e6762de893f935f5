// Inspects uploaded data: recognizes the disk format from its bytes, reads the size of the disk,
// and checks that it is safe. Upstream: oslo_utils/imageutils/format_inspector.py.
import { unsupportedMedia } from '../../../kernel/errors.ts';
import type { Image } from '../model.ts';

/** A disk format that can be recognized from bytes. */
interface Format {
  readonly name: string;
  /** Whether the bytes begin like a disk of the format. */
  matches(data: Buffer): boolean;
  /** The size of the disk in bytes; 0 if unknown. */
  virtualSize(data: Buffer): number;
  /** Whether the disk neither refers to other files nor confuses programs that read it. */
  isSafe(data: Buffer): boolean;
}

const sector = 512;
const always = (): boolean => true;
const unknown = (): number => 0;

const startsWith =
  (magic: string, least = magic.length) =>
  (data: Buffer): boolean =>
    data.length >= least && data.toString('latin1', 0, magic.length) === magic;

const limited = (size: bigint): number =>
  size > BigInt(Number.MAX_SAFE_INTEGER) ? 0 : Number(size);

/** A safe qcow2 disk has no backing file, no data file, and no unknown feature. */
function isSafeQcow2(data: Buffer): boolean {
  const version = data.readUInt32BE(4);
  if (data.readBigUInt64BE(8) !== 0n || (version !== 2 && version !== 3)) return false;
  const features = data.readBigUInt64BE(72);
  return (features & 4n) === 0n && (version === 2 || features < 16n);
}

const isIso = (data: Buffer): boolean =>
  data.length >= 34 * 1024 &&
  ['CD001', 'NSR02', 'NSR03'].includes(data.toString('latin1', 32_769, 32_774));

function isoSize(data: Buffer): number {
  const header = 32 * 1024;
  return data[header] === 1 ? data.readUInt32LE(header + 80) * data.readUInt16LE(header + 128) : 0;
}

/** Whether the data begins with a boot record other than a FAT file system's. */
const isBootRecord = (data: Buffer): boolean =>
  data.length >= sector &&
  data.readUInt16LE(510) === 0xaa55 &&
  !(data[0x10] === 2 && data[0x15] === 0xf8);

function isSafeBootRecord(data: Buffer): boolean {
  const entries = [0, 1, 2, 3].map((index) => data.subarray(446 + 16 * index, 462 + 16 * index));
  const used = entries.flatMap((entry, index) => (entry[4] ? [index] : []));
  const protective = entries.filter((entry) => entry[4] === 0xee);
  const isWhole = protective.every(
    (entry) => entry[1] === 0 && entry[2] === 2 && entry[3] === 0 && entry.readUInt32LE(8) === 1,
  );
  const isAlone = !protective.length || (used.length === 1 && used[0] === 0);
  return (
    entries.every((entry) => entry[0] === 0 || entry[0] === 0x80) &&
    used.length > 0 &&
    isWhole &&
    isAlone
  );
}

/** Reads the descriptor text of a VMDK file. */
function vmdkDescriptor(data: Buffer): string {
  if (data.length < 64) return '';
  const [start, length] = [data.readBigUInt64LE(28), data.readBigUInt64LE(36)];
  if (start !== 1n || length < 1n || length > 2048n) return '';
  return data.toString('latin1', sector, sector + Number(length) * sector).split('\0', 1)[0]!;
}

/** A safe VMDK is a single file: its descriptor names no other file and has no unknown line. */
function isSafeVmdk(data: Buffer): boolean {
  const lines = vmdkDescriptor(data)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line && !line.startsWith('#') && !line.startsWith('ddb'));
  const extents = lines.filter((line) => /^(?:rw|rdonly|noaccess) /i.test(line));
  const fields = lines.filter((line) => /^[^ =]+=/.test(line));
  const isKnown = fields.some((line) =>
    /^createType="(?:monolithicSparse|streamOptimized)"/i.test(line),
  );
  return (
    isKnown &&
    extents.length > 0 &&
    extents.length + fields.length === lines.length &&
    !extents.some((line) => line.includes('/'))
  );
}

const formats: readonly Format[] = [
  {
    name: 'qcow2',
    matches: startsWith('QFI\xfb', sector),
    virtualSize: (data) => limited(data.readBigUInt64BE(24)),
    isSafe: isSafeQcow2,
  },
  {
    name: 'vhd',
    matches: startsWith('conectix', sector),
    virtualSize: (data) => limited(data.readBigUInt64BE(40)),
    isSafe: always,
  },
  { name: 'vhdx', matches: startsWith('vhdxfile'), virtualSize: unknown, isSafe: always },
  {
    name: 'vmdk',
    matches: startsWith('KDMV'),
    virtualSize: (data) => (data.length < 20 ? 0 : limited(data.readBigUInt64LE(12)) * sector),
    isSafe: isSafeVmdk,
  },
  {
    name: 'vdi',
    matches: (data) => data.length >= sector && data.readUInt32LE(0x40) === 0xbeda107f,
    virtualSize: (data) => limited(data.readBigUInt64LE(0x170)),
    isSafe: always,
  },
  { name: 'qed', matches: startsWith('QED\0', sector), virtualSize: unknown, isSafe: () => false },
  { name: 'iso', matches: isIso, virtualSize: isoSize, isSafe: always },
  {
    name: 'gpt',
    matches: isBootRecord,
    virtualSize: ({ length }) => length,
    isSafe: isSafeBootRecord,
  },
  { name: 'luks', matches: startsWith('LUKS\xba\xbe'), virtualSize: unknown, isSafe: always },
];

const raw: Format = {
  name: 'raw',
  matches: always,
  virtualSize: ({ length }) => length,
  isSafe: always,
};
const inspected: ReadonlySet<string> = new Set([raw, ...formats].map(({ name }) => name));

/**
 * Recognizes the format of bytes. Unrecognized bytes are raw.
 * @throws 415 if they match several formats
 */
function formatOf(data: Buffer): Format {
  const found = formats.filter((format) => format.matches(data));
  const names = found.map(({ name }) => name);
  // A bootable ISO image may begin with a boot record.
  if (found.length === 2 && names.includes('iso') && names.includes('gpt'))
    return found.find(({ name }) => name === 'iso')!;
  if (found.length > 1) throw unsupportedMedia(`Multiple formats detected: ${names.join(',')}`);
  return found[0] ?? raw;
}

/**
 * Inspects the data of an image, unless the disk is in a container.
 * @returns the size of the disk in bytes; null if unknown
 * @throws 415 if the data has another format than the image, or is not safe. Upstream: set_data in
 *   glance/location.py
 */
export function inspect(
  { diskFormat, containerFormat }: Pick<Image, 'diskFormat' | 'containerFormat'>,
  data: Buffer,
): number | null {
  if (containerFormat !== 'bare') return null;
  const format = formatOf(data);
  const isOpaque = format === raw && diskFormat !== null && !inspected.has(diskFormat);
  if (format.name !== diskFormat && !isOpaque && diskFormat !== 'raw')
    throw unsupportedMedia(
      `Image disk_format ${diskFormat} does not match stream data ${format.name}`,
    );
  if (!format.isSafe(data)) throw unsupportedMedia('Image failed safety checks');
  if (isOpaque) return null;
  return (diskFormat === 'raw' ? data.length : format.virtualSize(data)) || null;
}

/** Makes an empty qcow2 disk of that many bytes: just the header, since nothing reads the rest. */
export function emptyQcow2(size: number): Buffer {
  const data = Buffer.alloc(sector);
  data.write('QFI\xfb', 0, 'latin1');
  data.writeUInt32BE(3, 4);
  data.writeUInt32BE(16, 20);
  data.writeBigUInt64BE(BigInt(size), 24);
  return data;
}
