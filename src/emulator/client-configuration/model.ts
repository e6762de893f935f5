// What clients need to know about a cloud.

/** How clients sign in. */
export type SignIn =
  | {
      readonly kind: 'password';
      /** The passwords of the first users; undefined if this process does not know one. */
      readonly passwords: Readonly<Record<'admin' | 'demo', string | undefined>>;
    }
  /** The cloud accepts the tokens of another Keystone. */
  | { readonly kind: 'elsewhere'; readonly keystone: string }
  /** Without Keystone, clients need the URL of each service, by its type. */
  | { readonly kind: 'none'; readonly endpoints: Readonly<Record<string, string>> };

/** What the configuration of clients is made of. */
export interface ClientConfig {
  /** `http://host:port`, or with `https`. */
  readonly origin: string;
  /** The file with the authority of its certificate, if clients do not know that anyway. */
  readonly cacert?: string | undefined;
  readonly regions: readonly string[];
  readonly signIn: SignIn;
}

/** Environment variables for clients, and what their user has to know. */
export interface ClientEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  /** What is missing in the variables; undefined if a client can sign in with them. */
  readonly missing?: string;
}
