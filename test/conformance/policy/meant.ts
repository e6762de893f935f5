// Where our policy rules differ from upstream's on purpose, with the reason.

/** By service and rule. */
export const meant: Readonly<Record<string, Readonly<Record<string, string>>>> = {};
