// Loopback addresses.

/** Whether an address is reached from this machine only. */
export function isLoopback(address: string): boolean {
  return address === 'localhost' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address) || address === '::1' || address === '[::1]';
}
