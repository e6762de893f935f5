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
