// `tags/list`: the tags of a repository in byte order, in pages.
import { selectTagNames } from './content.sql.ts';
import type { Call, RegistryContext, Routes } from '../context.ts';
import { isTag } from '../grammar.ts';
import { repositoryExists } from '../project.sql.ts';
import { RegistryError } from '../registry-error.ts';
import { replyJson } from '../reply.ts';

const MAX_PAGE = 10_000;

export function tagListRoutes(context: RegistryContext): Routes {
  return { GET: { action: 'pull', run: (call) => list(context, call) } };
}

async function list({ pool }: RegistryContext, { repository, reference, query, response }: Call): Promise<void> {
  if (reference !== 'list') throw new RegistryError(404, 'UNSUPPORTED', 'no such address');
  const last = query.get('last') ?? '';
  if (last !== '' && !isTag(last)) throw new RegistryError(400, 'TAG_INVALID', 'last is not a tag');
  if (!(await repositoryExists(pool, repository))) throw new RegistryError(404, 'NAME_UNKNOWN', 'repository unknown to this registry');
  const size = pageSize(query.get('n'));
  const names = await selectTagNames(pool, repository, last, size + 1);
  const tags = names.slice(0, size);
  const isMore = size > 0 && names.length > size;
  const next = `</v2/${repository}/tags/list?n=${size}&last=${tags.at(-1)}>; rel="next"`;
  replyJson(response, 200, { name: repository, tags }, isMore ? { Link: next } : {});
}

/** The parameter `n`. */
export function pageSize(text: string | null): number {
  if (text === null) return MAX_PAGE;
  if (!/^\d{1,9}$/.test(text)) throw new RegistryError(400, 'PAGINATION_NUMBER_INVALID', 'n is not a number');
  return Math.min(Number(text), MAX_PAGE);
}
