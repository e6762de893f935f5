// Encodes the parts of a certificate in DER, the binary encoding of certificates, and PEM. The
// package `@peculiar/x509` would add 250 ms to the start, 3 MB, and a global polyfill.
import { isoSeconds, type Micros } from '../clock.ts';

/** Encodes a value with any tag. */
export function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const bytes =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...bytes), content]);
}

export const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, Buffer.concat(parts));
export const set = (...parts: readonly Buffer[]): Buffer => tagged(0x31, Buffer.concat(parts));
export const integer = (value: number): Buffer => tagged(2, Buffer.of(value));
/** Encodes a number of any length, such as a serial number, from its bytes. */
export const unsigned = (bytes: Buffer): Buffer =>
  tagged(2, bytes[0]! & 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes);
export const truth = tagged(1, Buffer.of(0xff));
export const nothing = tagged(5, Buffer.alloc(0));
export const utf8 = (text: string): Buffer => tagged(12, Buffer.from(text));
export const octets = (content: Buffer): Buffer => tagged(4, content);
export const bitString = (content: Buffer): Buffer =>
  tagged(3, Buffer.concat([Buffer.of(0), content]));
export const contextual = (number: number, content: Buffer): Buffer =>
  tagged(0xa0 + number, content);

/** Encodes a time, such as `261120051254Z`; from 2050 on, the year has four digits. */
export function time(at: Micros): Buffer {
  const text = isoSeconds(at).replaceAll(/[-:T]/g, '');
  return text < '2050' ? tagged(0x17, Buffer.from(text.slice(2))) : tagged(0x18, Buffer.from(text));
}

/** Encodes an object identifier, such as `2.5.4.3`. */
export function objectId(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return tagged(6, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}

/** A certificate in PEM, the encoding of the files that programs read. */
export function pemOf(certificate: Buffer): string {
  const lines = certificate.toString('base64').replaceAll(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}
