// Loopback addresses.

/** Whether an address can be reached only from this machine. */
export function isLoopback(address: string): boolean {
  return (
    address === 'localhost' ||
    /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address) ||
    address === '::1' ||
    address === '[::1]'
  );
}

/** Whether a Host header, with or without a port, names this machine. */
export const isLoopbackHost = (host: string): boolean => isLoopback(host.replace(/:\d{1,5}$/, ''));

/** Whether an Origin header names a page that this machine serves. */
export const isLoopbackOrigin = (origin: string): boolean =>
  /^https?:\/\//.test(origin) && isLoopbackHost(origin.replace(/^https?:\/\//, ''));
