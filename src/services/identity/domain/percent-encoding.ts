// Percent-encoding as signatures need it.

/** Encodes all but letters, digits, `-`, `.`, `_` and `~` (RFC 3986). */
export const percentEncoded = (text: string): string =>
  encodeURIComponent(Buffer.from(text).toString()).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
