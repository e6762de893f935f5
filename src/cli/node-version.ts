// The versions of Node.js that Cumulet runs on. This file imports nothing, and is written so that
// old versions of Node.js can load it.

/** The oldest version, as in `engines` of package.json. */
const oldest = [20, 19] as const;

/** Why this version of Node.js, such as 18.20.8, is refused; undefined if it is not. */
export function refusalOfNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return undefined;
  return (
    `Cumulet needs Node.js ${oldest.join('.')} or newer; this is ${version}. ` +
    "Install a newer one from https://nodejs.org, or with 'nvm install'."
  );
}
