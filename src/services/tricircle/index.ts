// The Tricircle service: pods, the bindings of tenants to them, and where each resource is.
export * from './internal.ts';
