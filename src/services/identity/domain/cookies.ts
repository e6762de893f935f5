// Reads the cookies of requests.

/** The values of the cookies with a name in a header Cookie, which may have several. */
export function cookieValues(header: string | undefined, name: string): string[] {
  const start = `${name}=`;
  return (header ?? '')
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one.startsWith(start))
    .map((one) => one.slice(start.length));
}
