/** In which formats files of secrets are read. Apart from the readers, which are loaded when somebody imports a file. */
export type SecretFileFormat = 'env' | 'json' | 'yaml';

const byName: Readonly<Record<string, SecretFileFormat>> = { json: 'json', yaml: 'yaml', yml: 'yaml', env: 'env', sh: 'env', ps1: 'env' };
/** By the file's name: `secrets.yml` is YAML, `.env.local` is env; undefined where the name does not say. */
export const formatOfFileName = (name: string): SecretFileFormat | undefined =>
  /(^|\/)\.env(\.|$)/.test(name) ? 'env' : byName[name.split('.').at(-1)?.toLowerCase() ?? ''];
