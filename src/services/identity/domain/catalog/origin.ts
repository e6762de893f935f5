// The substitution for the address of this server in the URLs of endpoints.

/** Views put the address that the client came by in its place. */
export const originPlaceholder = '$(cumulet_origin)s';
