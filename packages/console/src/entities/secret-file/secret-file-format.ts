/** Formats of secret files. Separate from the readers, which load only when a user imports a file. */
export type SecretFileFormat = 'env' | 'json' | 'yaml';

const byName: Readonly<Record<string, SecretFileFormat>> = { json: 'json', yaml: 'yaml', yml: 'yaml', env: 'env', sh: 'env', ps1: 'env' };
/** Returns the format by file name: `secrets.yml` is YAML, `.env.local` is env. Undefined if the name does not tell. */
export const formatOfFileName = (name: string): SecretFileFormat | undefined =>
  /(^|\/)\.env(\.|$)/.test(name) ? 'env' : byName[name.split('.').at(-1)?.toLowerCase() ?? ''];
