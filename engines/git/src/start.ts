/** Runs the git host by itself: `npm start -w engines/git -- --port 3000 --directory ~/git --repository team/app`. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { closeOnSignal, lineLog, openOwnDirectory, ownPassword } from '@slipway/foundation/run-alone.ts';
import { StartError } from '@slipway/foundation/start-error.ts';
import { EmbeddedSource } from './embedded-source.ts';
import { requireGit } from './git-program.ts';
import { cloneUrlOf, isRepositoryRef } from './repository-path.ts';

const { values } = parseArgs({
  options: {
    directory: { type: 'string', default: 'git-data' },
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '3000' },
    repository: { type: 'string', multiple: true, default: [] },
  },
});

const refOf = (text: string): { readonly owner: string; readonly name: string } => {
  const [owner = '', name = '', ...rest] = text.split('/');
  if (rest.length > 0 || !isRepositoryRef({ owner, name })) throw new StartError(`${text} is not a repository: write owner/name`);
  return { owner, name };
};

const wanted = values.repository.map(refOf);
await requireGit();
const { directory, release } = openOwnDirectory(values.directory);
const { isPassword, passwordFile } = ownPassword(directory);
const publicUrl = `http://${values.host}:${values.port}`;
const source = new EmbeddedSource({
  dataDir: path.join(directory, 'repositories'),
  publicUrl,
  authenticate: async (username, password) => (isPassword(password) ? { id: username, displayName: username } : 'unauthenticated'),
  log: lineLog,
});
for (const ref of wanted) {
  const readme = { path: 'README.md', content: Buffer.from(`# ${ref.name}\n`), isExecutable: false };
  if (!(await source.repository(ref)))
    await source.createRepository(ref, [readme], { message: 'Start', author: 'git', email: 'git@localhost' });
  process.stdout.write(`${cloneUrlOf(publicUrl, ref)}\n`);
}
const server = createServer((request, response) => source.mount.handle(request, response));
server.listen(Number(values.port), values.host);
await once(server, 'listening');
process.stdout.write(`Listening at ${publicUrl}. Any user name; the password is in ${passwordFile}\n`);
closeOnSignal(async () => {
  await source.close();
  server.close();
  server.closeAllConnections();
  release();
});
