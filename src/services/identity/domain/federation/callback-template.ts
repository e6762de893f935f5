// The template of the page that sends a browser to its dashboard, as Python's string.Template reads
// it: `$host`, `${token}`, and `$$` for a dollar sign.

/** The values of the template. */
export interface CallbackValues {
  readonly host: string;
  readonly token: string;
}

const places = /\$(?:(\$)|([a-z_][a-z0-9_]*)|\{([a-z_][a-z0-9_]*)\}|)/gi;

/** Whether a template contains both values, and nothing else begins with a dollar sign. */
export function isCallbackTemplate(template: string): boolean {
  const names = [...template.matchAll(places)]
    .filter(([, dollar]) => dollar === undefined)
    .map(([, , plain, braced]) => plain ?? braced);
  return (
    names.includes('host') &&
    names.includes('token') &&
    names.every((name) => name === 'host' || name === 'token')
  );
}

/** A valid template with its values, which are escaped already. */
export const filledTemplate = (template: string, values: CallbackValues): string =>
  template.replaceAll(places, (_all, dollar?: string, plain?: string, braced?: string) =>
    dollar === undefined ? values[(plain ?? braced) as keyof CallbackValues] : dollar,
  );
