// The substitution for the address of this server in the URLs of endpoints.

/** Views replace it with the address that the client used. */
export const originPlaceholder = '$(cumulet_origin)s';
