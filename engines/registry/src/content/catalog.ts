// `_catalog`: the repositories that the caller may pull from, in byte order, in pages. Nobody learns the names of others.
import type { ServerResponse } from 'node:http';
import type { RegistrySubject } from '../sign-in/accounts.ts';
import type { RegistryContext } from '../context.ts';
import { isRepository } from '../grammar.ts';
import { selectRepositoryNames } from '../project.sql.ts';
import { RegistryError } from '../registry-error.ts';
import { replyJson } from '../reply.ts';
import { pageSize } from './tag-list.ts';

export const CATALOG_PATH = '/v2/_catalog';
/** Looked at together; of a registry with many strangers' repositories only some of them are the caller's. */
const LOOKED_AT = 500;

export async function replyCatalog(
  { pool }: RegistryContext,
  { subject, query, response }: { subject: RegistrySubject; query: URLSearchParams; response: ServerResponse },
): Promise<void> {
  let last = query.get('last') ?? '';
  if (last !== '' && !isRepository(last)) throw new RegistryError(400, 'NAME_INVALID', 'last is not a repository name');
  const size = pageSize(query.get('n'));
  const mayPull = rightsOf(subject);
  const names: string[] = [];
  for (;;) {
    const rows = await selectRepositoryNames(pool, last, LOOKED_AT);
    for (const row of rows) if (row.isPublic || (await mayPull(row.project))) names.push(row.name);
    if (names.length > size || rows.length < LOOKED_AT) break;
    last = rows.at(-1)?.name ?? '';
  }
  const repositories = names.slice(0, size);
  const isMore = size > 0 && names.length > size;
  const next = `<${CATALOG_PATH}?n=${size}&last=${repositories.at(-1)}>; rel="next"`;
  replyJson(response, 200, { repositories }, isMore ? { Link: next } : {});
}

/** Asks once for each project. */
function rightsOf(subject: RegistrySubject): (project: string) => Promise<boolean> {
  const known = new Map<string, boolean>();
  return async (project) => {
    const may = known.get(project) ?? (await subject.actions(project)).includes('pull');
    known.set(project, may);
    return may;
  };
}
