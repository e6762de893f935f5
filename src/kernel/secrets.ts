// Secrets that are compared, and secrets that are kept out of messages.
import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether two secrets are equal. How long it takes says nothing about where they differ. */
export function sameSecret(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(first!, second!);
}

/** A URL as messages show it, which may be wrong in any way: without the password. */
export function withoutPassword(url: string): string {
  const shown = url.replace(/([?&]password=)[^&]*/gi, '$1***');
  const end = shown.lastIndexOf('@');
  if (end < 0) return shown;
  const [, scheme = '', user = ''] = /^(\w+:\/+)?([^:]*)/.exec(shown.slice(0, end)) ?? [];
  return `${scheme}${user}${scheme.length + user.length < end ? ':***' : ''}${shown.slice(end)}`;
}
