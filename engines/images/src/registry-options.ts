/** Options of the commands that read an image of a registry: `--registry http://127.0.0.1:5000 --user me --password-file password`. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { StartError } from '@slipway/foundation/start-error.ts';
import { OciClient } from './oci/oci-client.ts';

export const registryOptions = {
  registry: { type: 'string', default: 'http://127.0.0.1:5000' },
  user: { type: 'string', default: 'me' },
  'password-file': { type: 'string' },
} as const;

/** Without a password file, only what anybody may pull can be read. Relative paths are the caller's: npm changes the working directory. */
export const clientOf = (values: {
  readonly registry: string;
  readonly user: string;
  readonly 'password-file'?: string | undefined;
}): OciClient => {
  const file = values['password-file'];
  const secret = file && readFileSync(path.resolve(process.env['INIT_CWD'] ?? process.cwd(), file), 'utf8').trim();
  return new OciClient({ baseUrl: values.registry, ...(secret ? { credentials: { username: values.user, secret } } : {}) });
};

/** Finds `team/app:1.0` or `team/app@sha256:…`. */
export const imageAt = async (client: OciClient, text: string): Promise<{ readonly repository: string; readonly digest: string }> => {
  const [, repository, tag, digest] = /^([\w./-]+?)(?::([\w.-]+))?(?:@(sha256:[0-9a-f]{64}))?$/.exec(text) ?? [];
  if (repository === undefined) throw new StartError(`${text} is not an image: write team/app:tag`);
  return { repository, digest: digest ?? (await client.pullManifest(repository, tag ?? 'latest')).digest };
};
